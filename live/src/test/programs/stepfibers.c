/* Every instruction of traced calls is single-stepped; at each one another fiber runs for a while,
   and then what interrupted the call calls traced functions itself. */
#include <setjmp.h>
#include <stdio.h>
#include <windows.h>
#include "traced.h"

typedef long (*function)(long, long);

static void *home, *other;
static volatile LONG steps, interrupts, noise;

TRACED long probe(long x, long y) { return x * y; }
TRACED long noted(long x, long y) { return x * 7 + y + interrupts; }
TRACED long leaf(long x, long y) { return x * 3 + y; }
TRACED long tail2(long x, long y) { return x + 5 - y; }
TRACED long tail1(long x, long y) { return tail2(x * 2, y); }
TRACED long inner(long x, long y) { return x - y; }
TRACED long outer(long x, long y) { return inner(x, y) + inner(y, x) + 2; }
static jmp_buf place;
TRACED long leave(long n, long y) {
  if (n == 0) longjmp(place, 1);
  return leave(n - 1, y) + y;
}

/* Sets the trap flag, calls with two arguments, clears it. */
long stepped(function f, long x, long y);
extern char stepped_begin[], stepped_end[];
#ifdef _WIN64
#define INSTRUCTION_POINTER Rip
__asm__(
    ".text\n"
    ".globl stepped\n.globl stepped_begin\n.globl stepped_end\n"
    ".seh_proc stepped\n"
    "stepped:\nstepped_begin:\n"
    "  pushq %rbx\n  .seh_pushreg %rbx\n"
    "  subq $32, %rsp\n  .seh_stackalloc 32\n"
    "  .seh_endprologue\n"
    "  movq %rcx, %rbx\n"
    "  movl %edx, %ecx\n"
    "  movl %r8d, %edx\n"
    "  pushfq\n  orq $0x100, (%rsp)\n  popfq\n"
    "  call *%rbx\n"
    "  pushfq\n  andq $~0x100, (%rsp)\n  popfq\n"
    "  nop\n"
    "  addq $32, %rsp\n  popq %rbx\n  ret\n"
    "stepped_end:\n"
    ".seh_endproc\n");
#else
#define INSTRUCTION_POINTER Eip
__asm__(
    ".text\n"
    ".globl _stepped\n.globl _stepped_begin\n.globl _stepped_end\n"
    "_stepped:\n_stepped_begin:\n"
    "  pushl %ebx\n"
    "  movl 8(%esp), %ebx\n"
    "  pushl 16(%esp)\n  pushl 16(%esp)\n"
    "  pushfl\n  orl $0x100, (%esp)\n  popfl\n"
    "  call *%ebx\n"
    "  pushfl\n  andl $~0x100, (%esp)\n  popfl\n"
    "  nop\n"
    "  addl $8, %esp\n  popl %ebx\n  ret\n"
    "_stepped_end:\n");
#endif

static LONG CALLBACK handler(EXCEPTION_POINTERS *pointers) {
  if (pointers->ExceptionRecord->ExceptionCode != EXCEPTION_SINGLE_STEP) return 0;
  ULONG_PTR at = pointers->ContextRecord->INSTRUCTION_POINTER;
  if (at < (ULONG_PTR)stepped_begin || at >= (ULONG_PTR)stepped_end) {
    steps++;
    interrupts++;
    SwitchToFiber(other);
    noise += noted(interrupts, 11) + noted(3, interrupts);
    pointers->ContextRecord->EFlags |= 0x100;
  }
  return EXCEPTION_CONTINUE_EXECUTION;
}
static void CALLBACK body(void *argument) {
  for (;;) {
    noise += probe(interrupts, 13);
    SwitchToFiber(home);
  }
}
static void report(const char *what, long result) {
  printf("%s: %ld\n", what, result);
  fflush(stdout);
  fprintf(stderr, "%s: %ld steps\n", what, steps);
  steps = 0;
}

int main(void) {
  home = ConvertThreadToFiber(0);
  other = CreateFiber(0, body, 0);
  AddVectoredExceptionHandler(1, handler);
  for (int i = 0; i < 3; i++) {
    report("leaf", stepped(leaf, 100 + i, 20));
    report("tail", stepped(tail1, 300 + i, 40));
    report("outer", stepped(outer, 500 + i, 60));
    if (!setjmp(place)) leave(3 + i, 1);
    report("stale", stepped(i == 1 ? tail1 : outer, 700 + i, 80));
  }
  long sum = 0;
  for (int i = 0; i < 40; i++) sum += stepped(leaf, i, sum & 0xFF);
  report("more", sum);
  return 0;
}

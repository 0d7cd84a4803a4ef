/* Every instruction of traced calls is single-stepped; at each one the stack is unwound. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>
#include "traced.h"

typedef long (*function)(long);

static volatile LONG stepping, steps, wrong, exempt, interrupts;
static volatile DWORD64 wanted_rip, wanted_rsp;
static volatile int nested;
static volatile DWORD64 seen[64];

TRACED long leaf(long x) { return x * 3 + 1; }
TRACED long tail2(long x) { return x + 5; }
TRACED long tail1(long x) { return tail2(x * 2); }
TRACED long inner(long x) { return x - 1; }
TRACED long outer(long x) { return inner(x) + 2; }
TRACED long curious(long x) { return x + (__builtin_return_address(0) != 0); }
TRACED long noted(long x) { return x + interrupts; }
TRACED long many(long a, long b, long c, long d, long e, long f) { return a + b + c + d + e + f; }

/* Sets the trap flag, calls, clears it; where the call returns to is kept. */
long stepped(function f, long x);
extern char stepped_begin[], stepped_return[], stepped_end[];
__asm__(
    ".text\n"
    ".globl stepped\n.globl stepped_begin\n.globl stepped_return\n.globl stepped_end\n"
    ".seh_proc stepped\n"
    "stepped:\nstepped_begin:\n"
    "  pushq %rbx\n  .seh_pushreg %rbx\n"
    "  subq $32, %rsp\n  .seh_stackalloc 32\n"
    "  .seh_endprologue\n"
    "  movq %rcx, %rbx\n"
    "  movl %edx, %ecx\n"
    "  leaq stepped_return(%rip), %rax\n"
    "  movq %rax, wanted_rip(%rip)\n"
    "  movq %rsp, wanted_rsp(%rip)\n"
    "  pushfq\n  orq $0x100, (%rsp)\n  popfq\n"
    "  call *%rbx\n"
    "stepped_return:\n"
    "  pushfq\n  andq $~0x100, (%rsp)\n  popfq\n"
    "  nop\n"
    "  addq $32, %rsp\n  popq %rbx\n  ret\n"
    "stepped_end:\n"
    ".seh_endproc\n");

static int inside(DWORD64 rip) {
  return rip >= (DWORD64)stepped_begin && rip < (DWORD64)stepped_end;
}

static LONG CALLBACK handler(EXCEPTION_POINTERS *pointers) {
  CONTEXT context;
  if (pointers->ExceptionRecord->ExceptionCode != EXCEPTION_SINGLE_STEP) return 0;
  memcpy(&context, pointers->ContextRecord, sizeof context);
  interrupts++;
  if (nested) noted(1);
  if (!inside(context.Rip)) {
    unsigned char *at = (unsigned char *)context.Rip;
    steps++;
    for (int i = 0; i < 20 && context.Rip && !inside(context.Rip); i++) {
      DWORD64 base, establisher;
      void *data;
      RUNTIME_FUNCTION *entry = RtlLookupFunctionEntry(context.Rip, &base, 0);
      if (entry) {
        RtlVirtualUnwind(0, base, context.Rip, entry, &context, &data, &establisher, 0);
      } else {
        context.Rip = *(DWORD64 *)context.Rsp;
        context.Rsp += 8;
      }
    }
    if (context.Rip != wanted_rip || context.Rsp != wanted_rsp) {
      /* The call of the body is the one instruction that cannot be unwound. */
      if (at[0] == 0xFF && at[1] == 0x15) {
        exempt++;
      } else {
        if (wrong < 64) seen[wrong] = (DWORD64)at;
        wrong++;
      }
    }
    pointers->ContextRecord->EFlags |= 0x100;
  }
  return EXCEPTION_CONTINUE_EXECUTION;
}

static void report(const char *what, long result) {
  printf("%s: %ld, wrong %ld\n", what, result, wrong);
  for (int i = 0; i < wrong && i < 64; i++) {
    unsigned char *at = (unsigned char *)seen[i];
    fprintf(stderr, "  %p:", (void *)at);
    for (int b = 0; b < 10; b++) fprintf(stderr, " %02x", at[b]);
    fprintf(stderr, "\n");
  }
  fprintf(stderr, "%s: %ld steps, %ld exempt\n", what, steps, exempt);
  steps = wrong = exempt = 0;
}

static jmp_buf place;
TRACED long leave(long n) {
  if (n == 0) longjmp(place, 1);
  return leave(n - 1) + 1;
}
static long deep_leaf(long x) { return stepped(leaf, x); }
// Read after the call, so that no compiler makes a loop of it.
static volatile long one = 1;
TRACED long dive(long n) { return n == 0 ? deep_leaf(4) : dive(n - 1) + one; }

/* More calls than 1024 need a second chunk of the longest records. */
static void all(int calls) {
  report("first", stepped(leaf, 1));
  report("leaf", stepped(leaf, 2));
  report("tail", stepped(tail1, 3));
  report("outer", stepped(outer, 4));
  report("curious", stepped(curious, 5));
  for (int i = 0; i < 3; i++) {
    if (!setjmp(place)) leave(5 + i);
    report("stale", stepped(i == 1 ? tail1 : outer, 6));
  }
  long sum = 0;
  for (int i = 0; i < calls; i++) sum += stepped(leaf, i);
  report("chunks", sum);
  report("overflow", dive(300));
}
static DWORD CALLBACK thread(void *argument) {
  all(*(int *)argument);
  return 0;
}

int main(int argc, char **argv) {
  static int calls[] = {1100, 100};
  AddVectoredExceptionHandler(1, handler);
  all(100);
  /* With an argument, what interrupts traced functions calls some itself. */
  for (int i = 0; i < 2; i++) {
    nested = argc > 1;
    HANDLE handle = CreateThread(0, 0, thread, &calls[i], 0, 0);
    WaitForSingleObject(handle, INFINITE);
  }
  printf("many %ld\n", many(1, 2, 3, 4, 5, 6));
  return 0;
}

/* Functions with more arguments than registers hold, and calls where the stack ends. */
#include <stdio.h>
#include <string.h>
#include <windows.h>
#include "traced.h"

typedef long long word;

#define TWELVE word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, \
               word k, word l
#define SUM (a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + \
             12 * l)
TRACED word wide(TWELVE) { return SUM; }
/* Whoever looks at its return address is traced without exits. */
TRACED word wide_entry(TWELVE) { return SUM + (__builtin_return_address(0) == 0); }
TRACED word few(word a, word b, word c, word d) { return a + 2 * b + 3 * c + 4 * d; }
TRACED word few_entry(word a, word b, word c, word d) {
  return a + 2 * b + 3 * c + 4 * d + (__builtin_return_address(0) == 0);
}

/* Calls with 101 to 104 on another stack, or elsewhere on this one: the return address lies below
   the place that is given. Neither callee uses its home space. */
word call_at(void *function, char *place);
__asm__(
    ".text\n"
    ".globl call_at\n.seh_proc call_at\n"
    "call_at:\n"
    "  pushq %rbp\n  .seh_pushreg %rbp\n"
    "  movq %rsp, %rbp\n  .seh_setframe %rbp, 0\n"
    "  .seh_endprologue\n"
    "  movq %rcx, %rax\n"
    "  movq %rdx, %rsp\n"
    "  movl $101, %ecx\n  movl $102, %edx\n  movl $103, %r8d\n  movl $104, %r9d\n"
    "  call *%rax\n"
    "  movq %rbp, %rsp\n  popq %rbp\n  ret\n"
    ".seh_endproc\n");

static word near_end(void *function, char *end) {
  char kept[128];
  word sum = 0;
  /* What is there is of those who began this thread. */
  memcpy(kept, end - 128, 128);
  for (int n = 0; n <= 8; n++) {
    for (int i = 0; i < 16; i++) ((word *)end)[-1 - i] = 1000 + i;
    sum += call_at(function, end - 32 - 8 * n);
  }
  sum += call_at(function, end);
  memcpy(end - 128, kept, 128);
  return sum;
}

static DWORD CALLBACK thread(void *argument) {
  char *base = (char *)((NT_TIB *)NtCurrentTeb())->StackBase;
  printf("near the end %lld %lld\n", near_end(few, base), near_end(few_entry, base));
  return 0;
}

int main(void) {
  for (word n = 0; n < 3000; n++) {
    word sum = wide(n, -n, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, ~n);
    sum += wide_entry(n, -n, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, ~n);
    if (n % 500 == 0) printf("%lld\n", sum);
  }
  for (int i = 0; i < 2; i++) {
    HANDLE handle = CreateThread(0, 0, thread, 0, 0, 0);
    WaitForSingleObject(handle, INFINITE);
  }
  /* A stack that the system does not know; behind it there is nothing. */
  char *stack = VirtualAlloc(0, 0x20000, MEM_RESERVE, PAGE_NOACCESS);
  VirtualAlloc(stack, 0x10000, MEM_COMMIT, PAGE_READWRITE);
  printf("elsewhere %lld\n", near_end(few_entry, stack + 0x10000));
  return 0;
}

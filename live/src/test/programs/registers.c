/* What a traced function finds in registers, and what its caller finds afterwards. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>
#include "traced.h"

/* rax rcx rdx rbx rbp rsi rdi r8..r15 flags, mxcsr, then sixteen of 32 bytes. */
struct state {
  uint64_t words[16];
  uint64_t mxcsr;
  uint64_t fill[3];
  uint8_t vectors[16][32];
};
struct state given __attribute__((aligned(32))), found __attribute__((aligned(32)));
struct state made __attribute__((aligned(32))), got __attribute__((aligned(32)));
uint64_t saved_rax, saved_rsp;
void call_with(void);
void set_all(void);

#define V(n, op, what) op(n, what)
#define LOADV(n, what) "  vmovdqu " what "+160+32*" #n "(%rip), %ymm" #n "\n"
#define STOREV(n, what) "  vmovdqu %ymm" #n ", " what "+160+32*" #n "(%rip)\n"
#define EACH(op, what)                                                                         \
  op(0, what) op(1, what) op(2, what) op(3, what) op(4, what) op(5, what) op(6, what)          \
      op(7, what) op(8, what) op(9, what) op(10, what) op(11, what) op(12, what) op(13, what) \
          op(14, what) op(15, what)
#define R(op, what)                                                                            \
  op("rcx", "8", what) op("rdx", "16", what) op("rbx", "24", what) op("rbp", "32", what)       \
      op("rsi", "40", what) op("rdi", "48", what) op("r8", "56", what) op("r9", "64", what)    \
          op("r10", "72", what) op("r11", "80", what) op("r12", "88", what)                    \
              op("r13", "96", what) op("r14", "104", what) op("r15", "112", what)
#define LOADR(r, at, what) "  movq " what "+" at "(%rip), %" r "\n"
#define STORER(r, at, what) "  movq %" r ", " what "+" at "(%rip)\n"
#define LOAD(what)                                                                             \
  EACH(LOADV, what) "  ldmxcsr " what "+128(%rip)\n"                                           \
  "  pushq " what "+120(%rip)\n  popfq\n"                                                      \
  R(LOADR, what) "  movq " what "+0(%rip), %rax\n"
#define STORE(what)                                                                            \
  "  movq %rax, " what "+0(%rip)\n" R(STORER, what)                                            \
  "  pushfq\n  popq %rax\n  movq %rax, " what "+120(%rip)\n"                                   \
  "  stmxcsr " what "+128(%rip)\n" EACH(STOREV, what)

__asm__(
    ".text\n"
    ".globl call_with\n.seh_proc call_with\n"
    "call_with:\n"
    "  pushq %rbx\n  .seh_pushreg %rbx\n  pushq %rbp\n  .seh_pushreg %rbp\n"
    "  pushq %rsi\n  .seh_pushreg %rsi\n  pushq %rdi\n  .seh_pushreg %rdi\n"
    "  pushq %r12\n  .seh_pushreg %r12\n  pushq %r13\n  .seh_pushreg %r13\n"
    "  pushq %r14\n  .seh_pushreg %r14\n  pushq %r15\n  .seh_pushreg %r15\n"
    "  subq $200, %rsp\n  .seh_stackalloc 200\n  .seh_endprologue\n"
    "  vmovups %xmm6, 32(%rsp)\n  vmovups %xmm7, 48(%rsp)\n  vmovups %xmm8, 64(%rsp)\n"
    "  vmovups %xmm9, 80(%rsp)\n  vmovups %xmm10, 96(%rsp)\n  vmovups %xmm11, 112(%rsp)\n"
    "  vmovups %xmm12, 128(%rsp)\n  vmovups %xmm13, 144(%rsp)\n  vmovups %xmm14, 160(%rsp)\n"
    "  vmovups %xmm15, 176(%rsp)\n  stmxcsr 24(%rsp)\n"
    LOAD("given")
    "  call set_all\n"
    STORE("got")
    "  cld\n  ldmxcsr 24(%rsp)\n"
    "  vmovups 32(%rsp), %xmm6\n  vmovups 48(%rsp), %xmm7\n  vmovups 64(%rsp), %xmm8\n"
    "  vmovups 80(%rsp), %xmm9\n  vmovups 96(%rsp), %xmm10\n  vmovups 112(%rsp), %xmm11\n"
    "  vmovups 128(%rsp), %xmm12\n  vmovups 144(%rsp), %xmm13\n  vmovups 160(%rsp), %xmm14\n"
    "  vmovups 176(%rsp), %xmm15\n  vzeroupper\n"
    "  addq $200, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rdi\n  popq %rsi\n"
    "  popq %rbp\n  popq %rbx\n  ret\n"
    ".seh_endproc\n"
    "  nop\n  nop\n  nop\n  nop\n  nop\n  nop\n"
    ".globl set_all\n.def set_all; .scl 2; .type 32; .endef\n.seh_proc set_all\n"
    "set_all:\n  .seh_endprologue\n"
    "  movq %rsp, saved_rsp(%rip)\n"
    STORE("found")
    LOAD("made")
    "  ret\n"
    ".seh_endproc\n"
    ".section .drectve\n  .ascii \" -export:set_all\"\n.text\n");

static uint64_t seed = 88172645463325252ull;
static uint64_t random_word(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}
static void fill(struct state *state, int flags) {
  uint8_t *bytes = (uint8_t *)state;
  for (size_t i = 0; i < sizeof *state; i++) bytes[i] = (uint8_t)(random_word() >> 11);
  state->words[15] = (random_word() & 0xCD5) | 0x202;
  if (flags) state->words[15] = 0xAD7 | 0x400;
  state->mxcsr = 0x1F80 | (random_word() & 0x6000);
}
static int differ(const char *what, struct state *a, struct state *b) {
  int n = 0;
  for (int i = 0; i < 16; i++) {
    if (a->words[i] != b->words[i]) {
      n++;
      printf("%s word %d: %llx %llx\n", what, i, a->words[i], b->words[i]);
    }
  }
  if ((uint32_t)a->mxcsr != (uint32_t)b->mxcsr) n++, printf("%s mxcsr\n", what);
  for (int i = 0; i < 16; i++) {
    if (memcmp(a->vectors[i], b->vectors[i], 32)) n++, printf("%s vector %d\n", what, i);
  }
  return n;
}
static DWORD CALLBACK thread(void *argument) {
  int wrong = 0;
  for (int i = 0; i < 3000; i++) {
    fill(&given, i % 7 == 0);
    fill(&made, i % 5 == 0);
    call_with();
    wrong += differ("entry", &given, &found) + differ("exit", &made, &got);
  }
  printf("wrong %d, stack %s\n", wrong, saved_rsp % 16 == 8 ? "aligned" : "odd");
  return 0;
}

int main(void) {
  thread(0);
  /* The first call of a thread goes another way. */
  for (int i = 0; i < 3; i++) {
    HANDLE handle = CreateThread(0, 0, thread, 0, 0, 0);
    WaitForSingleObject(handle, INFINITE);
  }
  return 0;
}

/* What a traced function of 32-bit code finds in registers, and what its caller finds afterwards. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

/* eax ecx edx ebx ebp esi edi flags, mxcsr, then eight of 32 bytes. */
struct state {
  uint32_t words[8];
  uint32_t mxcsr;
  uint32_t fill[7];
  uint8_t vectors[8][32];
};
struct state given __attribute__((aligned(32))), found __attribute__((aligned(32)));
struct state made __attribute__((aligned(32))), got __attribute__((aligned(32)));
uint32_t saved_mxcsr, saved_esp, called_esp;
void call_with(void);
void set_all(void);

#define LOADV(n, what) "  vmovdqu _" what "+64+32*" #n ", %ymm" #n "\n"
#define STOREV(n, what) "  vmovdqu %ymm" #n ", _" what "+64+32*" #n "\n"
#define EACH(op, what)                                                                         \
  op(0, what) op(1, what) op(2, what) op(3, what) op(4, what) op(5, what) op(6, what) op(7, what)
#define R(op, what)                                                                            \
  op("ecx", "4", what) op("edx", "8", what) op("ebx", "12", what) op("ebp", "16", what)        \
      op("esi", "20", what) op("edi", "24", what)
#define LOADR(r, at, what) "  movl _" what "+" at ", %" r "\n"
#define STORER(r, at, what) "  movl %" r ", _" what "+" at "\n"
#define LOAD(what)                                                                             \
  EACH(LOADV, what) "  ldmxcsr _" what "+32\n  pushl _" what "+28\n  popfl\n"                  \
  R(LOADR, what) "  movl _" what ", %eax\n"
#define STORE(what)                                                                            \
  "  movl %eax, _" what "\n" R(STORER, what) "  pushfl\n  popl _" what "+28\n"                 \
  "  stmxcsr _" what "+32\n" EACH(STOREV, what)

__asm__(
    ".text\n"
    ".globl _call_with\n"
    "_call_with:\n"
    "  pushl %ebx\n  pushl %ebp\n  pushl %esi\n  pushl %edi\n"
    "  stmxcsr _saved_mxcsr\n  movl %esp, _called_esp\n"
    LOAD("given")
    "  call _set_all\n"
    STORE("got")
    "  cld\n  ldmxcsr _saved_mxcsr\n  vzeroupper\n"
    "  subl %esp, _called_esp\n"
    "  popl %edi\n  popl %esi\n  popl %ebp\n  popl %ebx\n  ret\n"
    "  nop\n  nop\n  nop\n  nop\n  nop\n  nop\n"
    ".globl _set_all\n.def _set_all; .scl 2; .type 32; .endef\n"
    "_set_all:\n"
    "  movl %esp, _saved_esp\n"
    STORE("found")
    LOAD("made")
    "  ret\n"
    ".section .drectve\n  .ascii \" -export:set_all\"\n.text\n");

static uint64_t seed = 88172645463325252ull;
static uint32_t random_word(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 11);
}
static void fill(struct state *state, int flags) {
  uint8_t *bytes = (uint8_t *)state;
  for (size_t i = 0; i < sizeof *state; i++) bytes[i] = (uint8_t)random_word();
  state->words[7] = (random_word() & 0xCD5) | 0x202;
  if (flags) state->words[7] = 0xAD7 | 0x400;
  state->mxcsr = 0x1F80 | (random_word() & 0x6000);
}
static int differ(const char *what, struct state *a, struct state *b) {
  int n = 0;
  for (int i = 0; i < 8; i++) {
    if (a->words[i] != b->words[i]) {
      n++;
      printf("%s word %d: %x %x\n", what, i, a->words[i], b->words[i]);
    }
  }
  if (a->mxcsr != b->mxcsr) n++, printf("%s mxcsr\n", what);
  for (int i = 0; i < 8; i++) {
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
    wrong += differ("entry", &given, &found) + differ("exit", &made, &got) + (called_esp != 0);
  }
  printf("wrong %d, stack %s\n", wrong, saved_esp % 4 == 0 ? "aligned" : "odd");
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

/* Registrations of handlers that 32-bit code makes by hand: whoever is called finds them unchanged. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

struct registration {
  struct registration *next;
  void *handler;
};
static struct registration *expected[16];
static void *handlers[16];
static int depth, wrong;

static struct registration *head(void) {
  struct registration *first;
  __asm__ volatile("movl %%fs:0, %0" : "=r"(first));
  return first;
}
static int chain(struct registration **all, void **of) {
  int n = 0;
  for (struct registration *one = head(); one != (void *)-1 && n < 16; one = one->next) {
    all[n] = one;
    of[n++] = one->handler;
  }
  return n;
}
/* Looks at the chain while its own frame and those of its callers are traced. */
TRACED int looks(int n) {
  struct registration *all[16];
  void *of[16];
  int found = chain(all, of);
  wrong += found != depth;
  for (int i = 0; i < found && i < depth; i++) wrong += all[i] != expected[i] || of[i] != handlers[i];
  return n;
}
TRACED int calls(int n) { return n == 0 ? looks(n) : calls(n - 1) + looks(n); }

TRACED int adds(int n) { return n + 1; }

static EXCEPTION_DISPOSITION handler(EXCEPTION_RECORD *record, void *frame, CONTEXT *context, void *more) {
  if (record->ExceptionCode != 0xE0001234) return ExceptionContinueSearch;
  /* The system has a registration of its own here. */
  wrong += adds(1) != 2;
  return ExceptionContinueExecution;
}

int main(void) {
  struct registration first = {head(), handler}, second = {&first, handler};
  __asm__ volatile("movl %0, %%fs:0" : : "r"(&second) : "memory");
  depth = chain(expected, handlers);
  for (int i = 0; i < 100; i++) calls(i % 8);
  for (int i = 0; i < 10; i++) RaiseException(0xE0001234, 0, 0, 0);
  looks(0);
  __asm__ volatile("movl %0, %%fs:0" : : "r"(first.next) : "memory");
  printf("depth %d wrong %d\n", depth > 2, wrong);
  return 5 + wrong;
}

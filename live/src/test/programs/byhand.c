/* Exceptions that 32-bit code takes by registrations which it makes by hand: it unwinds, and jumps
   to a stack pointer of its own. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

struct registration {
  struct registration *next;
  EXCEPTION_DISPOSITION (*handler)(EXCEPTION_RECORD *, struct registration *, CONTEXT *, void *);
  DWORD code;      /* taken by this one */
  int has_record;  /* whether the unwinder is told of the exception */
  void *place[5];  /* where to go on */
};
static int taken, left;

static EXCEPTION_DISPOSITION takes(
    EXCEPTION_RECORD *record, struct registration *frame, CONTEXT *context, void *more) {
  if (record->ExceptionFlags & 2) {
    left++; /* somebody outside of it unwinds */
    return ExceptionContinueSearch;
  }
  if (record->ExceptionCode != frame->code) return ExceptionContinueSearch;
  RtlUnwind(frame, 0, frame->has_record ? record : 0, 0);
  taken++;
  __builtin_longjmp(frame->place, 1);
}
static void enter(struct registration *one, DWORD code, int has_record) {
  one->handler = takes;
  one->code = code;
  one->has_record = has_record;
  __asm__ volatile("movl %%fs:0, %0" : "=r"(one->next));
  __asm__ volatile("movl %0, %%fs:0" : : "r"(one) : "memory");
}
static void leave(struct registration *one) {
  __asm__ volatile("movl %0, %%fs:0" : : "r"(one->next) : "memory");
}

TRACED int raises(DWORD code) {
  RaiseException(code, 0, 0, 0);
  return 0;
}
TRACED int through(int depth, DWORD code);
/* Else it would be a loop. */
static int (*volatile again)(int, DWORD) = through;
TRACED int through(int depth, DWORD code) {
  return depth == 0 ? raises(code) : again(depth - 1, code) + 1;
}
/* The inner registration takes E0000042, the outer one E0000043. */
TRACED int inner(int depth, DWORD code) {
  struct registration mine;
  int result = 1;
  enter(&mine, 0xE0000042, 1);
  if (__builtin_setjmp(mine.place) == 0) result = through(depth, code);
  leave(&mine);
  return result;
}
TRACED int outer(int depth, DWORD code) {
  struct registration mine;
  volatile int result = 2;
  enter(&mine, 0xE0000043, 0);
  if (__builtin_setjmp(mine.place) == 0) result = inner(depth, code);
  leave(&mine);
  return result;
}
TRACED int plain(int n) { return n + 1; }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 40; i++) sum += plain(outer(i % 5, 0xE0000042 + i % 2));
  printf("taken %d left %d sum %d\n", taken, left, sum);
  return 6;
}

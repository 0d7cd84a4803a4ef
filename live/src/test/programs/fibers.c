/* Fibers that switch while traced functions are live on all of them, then on other threads. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

#define FIBERS 4
static void *fiber[FIBERS], *home;
static long sums[FIBERS];
static int done[FIBERS];

TRACED long work(long x) { return x * 5 + 1; }
TRACED void yield_now(int me) {
  SwitchToFiber(me + 1 < FIBERS ? fiber[me + 1] : home);
}
TRACED long climb(int me, int depth);
/* Through a pointer: the compiler would copy the function into itself. */
static long (*volatile again)(int, int) = climb;
TRACED long climb(int me, int depth) {
  sums[me] += work(depth);
  if (depth % 3 == 0) yield_now(me);
  long r = depth == 0 ? 0 : again(me, depth - 1) + 1;
  if (depth % 5 == 0) yield_now(me);
  sums[me] += work(r);
  return r;
}
static void CALLBACK body(void *argument) {
  int me = (int)(intptr_t)argument;
  for (int round = 0; round < 20; round++) {
    sums[me] += climb(me, 5 + me * 11);
  }
  done[me] = 1;
  for (;;) yield_now(me);
}
static DWORD CALLBACK runner(void *argument) {
  home = ConvertThreadToFiber(0);
  int rounds = (int)(intptr_t)argument;
  for (int i = 0; i < rounds; i++) {
    SwitchToFiber(fiber[0]);
    sums[0] += work(i);
  }
  ConvertFiberToThread();
  return 0;
}

int main(void) {
  for (int i = 0; i < FIBERS; i++) fiber[i] = CreateFiber(0, body, (void *)(intptr_t)i);
  runner((void *)50);
  /* They go on in other threads, in the middle of what they do. */
  for (int i = 0; i < 6; i++) {
    HANDLE thread = CreateThread(0, 0, runner, (void *)70, 0, 0);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
  }
  runner((void *)500);
  for (int i = 0; i < FIBERS; i++) printf("fiber %d: %ld %d\n", i, sums[i], done[i]);
  return 0;
}

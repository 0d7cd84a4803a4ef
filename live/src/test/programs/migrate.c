/* Two threads that hand fibers to each other, while both call traced functions. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

#define FIBERS 8
#define ROUNDS 4000
static void *fiber[FIBERS];
static volatile LONG busy[FIBERS];
static volatile LONG left = FIBERS;
static __thread void *home;
static volatile long results[FIBERS];

TRACED long inner(long x) { return x + 1; }
TRACED long outer(long x) { return inner(x) + inner(x + 1); }
TRACED void go_home(void *where) { SwitchToFiber(where); }
/* Where home is must be asked again after each switch: another thread may go on. */
static __attribute__((noipa)) void *where_home(void) { return home; }

static void CALLBACK body(void *argument) {
  int me = (int)(intptr_t)argument;
  long sum = 0;
  for (int i = 0; i < ROUNDS; i++) {
    sum += outer(i);
    if (i % 4 == 0) go_home(where_home());
    sum += outer(sum & 0xFF);
  }
  results[me] = sum;
  busy[me] = 2;
  InterlockedDecrement(&left);
  for (;;) go_home(where_home());
}
static DWORD CALLBACK runner(void *argument) {
  home = ConvertThreadToFiber(0);
  int i = (int)(intptr_t)argument;
  while (left > 0) {
    i = (i + 1) % FIBERS;
    if (InterlockedCompareExchange(&busy[i], 1, 0) == 0) {
      SwitchToFiber(fiber[i]);
      /* Another thread may go on with it while this one, which comes from it, calls again. */
      InterlockedCompareExchange(&busy[i], 0, 1);
      outer(i);
    }
  }
  return 0;
}

int main(void) {
  HANDLE threads[3];
  for (int i = 0; i < FIBERS; i++) fiber[i] = CreateFiber(0, body, (void *)(intptr_t)i);
  for (int i = 0; i < 3; i++) threads[i] = CreateThread(0, 0, runner, (void *)(intptr_t)i, 0, 0);
  WaitForMultipleObjects(3, threads, TRUE, INFINITE);
  for (int i = 0; i < FIBERS; i++) printf("fiber %d: %ld\n", i, results[i]);
  return 0;
}

/* More stacks than can be traced: fibers, then threads, that all call a traced function. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
#include "traced.h"

static void *home;
static volatile LONG sum;
static int calls;

TRACED long leaf(long x) { return x + 1; }

static void CALLBACK body(void *argument) {
  for (;;) {
    InterlockedAdd(&sum, leaf((long)(intptr_t)argument));
    SwitchToFiber(home);
  }
}
static double ticks(void) {
  LARGE_INTEGER now, frequency;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&frequency);
  return 1e9 * now.QuadPart / frequency.QuadPart;
}
static DWORD CALLBACK many(void *argument) {
  double begin = ticks();
  long mine = 0;
  for (int i = 0; i < calls; i++) mine += leaf(i);
  InterlockedAdd(&sum, mine);
  if (argument) fprintf(stderr, "a call: %.1f ns\n", (ticks() - begin) / calls);
  return 0;
}

/* fibers, rounds through all of them, threads, calls of each; a word more: what a call costs. */
int main(int argc, char **argv) {
  int fibers = atoi(argv[1]), rounds = atoi(argv[2]), threads = atoi(argv[3]);
  calls = atoi(argv[4]);
  void **fiber = malloc(fibers * sizeof *fiber);
  home = ConvertThreadToFiber(0);
  for (int i = 0; i < fibers; i++) fiber[i] = CreateFiber(65536, body, (void *)(intptr_t)i);
  for (int i = 0; i < fibers; i++) SwitchToFiber(fiber[i]);
  double begin = ticks();
  for (int round = 1; round < rounds; round++) {
    for (int i = 0; i < fibers; i++) SwitchToFiber(fiber[i]);
  }
  if (argc > 5 && rounds > 1) {
    fprintf(stderr, "a switch: %.1f ns\n", (ticks() - begin) / (rounds - 1) / fibers);
  }
  HANDLE thread[64];
  for (int i = 0; i < threads; i++) {
    thread[i] = CreateThread(0, 0, many, (void *)(intptr_t)(argc > 5), 0, 0);
  }
  for (int i = 0; i < threads; i++) WaitForSingleObject(thread[i], INFINITE);
  printf("sum %ld\n", sum);
  return 0;
}

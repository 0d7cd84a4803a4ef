/* Two threads run out of room for records on one fiber, one after the other; then there is room. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

static void *home, *fiber;
static HANDLE turn[2];
static long sum;

TRACED long leaf(long x) { return x + 1; }
static __attribute__((noipa)) void calls(int n) {
  for (int i = 0; i < n; i++) sum += leaf(i);
}
static void CALLBACK body(void *argument) {
  /* In the first thread: more than two chunks hold. */
  calls(1500);
  SwitchToFiber(home);
  /* In the second. */
  calls(100);
  SwitchToFiber(home);
}
static DWORD CALLBACK second(void *argument) {
  home = ConvertThreadToFiber(0);
  SwitchToFiber(fiber);
  SetEvent(turn[0]);
  WaitForSingleObject(turn[1], INFINITE);
  calls(500);
  return 0;
}

int main(int argc, char **argv) {
  for (int i = 0; i < 2; i++) turn[i] = CreateEventA(0, 0, 0, 0);
  home = ConvertThreadToFiber(0);
  fiber = CreateFiber(0, body, 0);
  calls(1500);
  SwitchToFiber(fiber);
  HANDLE thread = CreateThread(0, 0, second, 0, 0, 0);
  WaitForSingleObject(turn[0], INFINITE);
  printf("no room\n");
  fflush(stdout);
  /* Until somebody has read what there is. */
  while (argc > 1 && GetFileAttributesA(argv[1]) == INVALID_FILE_ATTRIBUTES) Sleep(1);
  calls(1000);
  SetEvent(turn[1]);
  WaitForSingleObject(thread, INFINITE);
  printf("sum %ld\n", sum);
  return 0;
}

/* Calls traced functions on four threads until a file is there; then so many more times that the
   sums are known, and the same on twenty threads that were not there before. Ends with 43. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

enum { OLD = 4, NEW = 20, ROUNDS = 20000 };

static const char *file;
static volatile LONG there;
static long long sums[OLD + NEW];

TRACED long long leaf(long long x) { return 3 * x + 1; }
TRACED long long twice(long long x) { return leaf(x) + leaf(x + 1); }

static DWORD CALLBACK body(void *argument) {
  int me = (int)(intptr_t)argument;
  while (!there) twice(me);
  for (long long i = 0; i < ROUNDS; i++) sums[me] += twice(i + me);
  return 0;
}

static void run(int from, int to) {
  HANDLE threads[OLD + NEW];
  for (int i = from; i < to; i++) {
    threads[i] = CreateThread(0, 0, body, (void *)(intptr_t)i, 0, 0);
  }
  while (!there) {
    Sleep(10);
    there = GetFileAttributesA(file) != INVALID_FILE_ATTRIBUTES;
  }
  WaitForMultipleObjects(to - from, threads + from, TRUE, INFINITE);
}

int main(int argc, char **argv) {
  file = argv[1];
  run(0, OLD);
  run(OLD, OLD + NEW);
  for (int i = 0; i < OLD + NEW; i++) printf("%d %lld\n", i, sums[i]);
  return 43;
}

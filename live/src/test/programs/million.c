/* One million calls: four threads, a quarter each: 50,000 times a call that makes four. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

enum { THREADS = 4, TIMES = 50000 };

TRACED long leaf(long x, long y) { return 2 * x + y; }
TRACED long twice(long x) { return leaf(x, 1) + leaf(x, 2); }
TRACED long top(long x) { return twice(x) + leaf(x, 3); }

static DWORD CALLBACK body(void *argument) {
  long sum = (long)(intptr_t)argument;
  for (long i = 0; i < TIMES; i++) sum += top(i & 0xFF);
  return (DWORD)sum;
}

int main(void) {
  HANDLE threads[THREADS];
  for (int i = 0; i < THREADS; i++) threads[i] = CreateThread(0, 0, body, (void *)(intptr_t)i, 0, 0);
  WaitForMultipleObjects(THREADS, threads, TRUE, INFINITE);
  for (int i = 0; i < THREADS; i++) {
    DWORD code;
    GetExitCodeThread(threads[i], &code);
    printf("thread %d: %lu\n", i, code);
  }
  return 10;
}

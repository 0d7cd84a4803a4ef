/* Threads come and go; some of them end in the middle of traced functions. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

static volatile LONG sum;

TRACED long step(long x) { return x + 1; }
TRACED long nest(long n, int leave) {
  if (n == 0) {
    if (leave) ExitThread(5);
    return step(0);
  }
  long r = nest(n - 1, leave);
  InterlockedAdd(&sum, step(r));
  return r + 1;
}
static DWORD CALLBACK body(void *argument) {
  int me = (int)(intptr_t)argument;
  nest(3, 0);
  nest(4, me % 5 == 0);
  return 0;
}

int main(void) {
  for (int round = 0; round < 50; round++) {
    HANDLE threads[10];
    for (int i = 0; i < 10; i++) {
      threads[i] = CreateThread(0, 0, body, (void *)(intptr_t)(round * 10 + i), 0, 0);
    }
    WaitForMultipleObjects(10, threads, TRUE, INFINITE);
    for (int i = 0; i < 10; i++) CloseHandle(threads[i]);
  }
  printf("sum %ld\n", sum);
  return 0;
}

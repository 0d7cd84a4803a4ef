/*
 * Calls one function often and another one rarely, in two threads, for about half a second; prints how
 * often.
 */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

enum { ROUNDS = 40, OFTEN = 25000, RARELY = 10 };

TRACED long often(long x) { return x * 5 + 1; }
TRACED long rarely(long x) { return x * 7 + 1; }

static DWORD WINAPI body(void *argument) {
  long sum = (long)(LONG_PTR)argument;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < OFTEN; i++) sum += often(i);
    for (int i = 0; i < RARELY; i++) sum += rarely(i);
    Sleep(10);
  }
  return (DWORD)sum;
}

int main(void) {
  HANDLE other = CreateThread(0, 0, body, (void *)1, 0, 0);
  body(0);
  WaitForSingleObject(other, INFINITE);
  printf("%d %d\n", 2 * ROUNDS * OFTEN, 2 * ROUNDS * RARELY);
  return 0;
}

/* Twelve threads that have called once wait for a lock whose owner goes on calling. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

enum { THREADS = 12, CALLS = 500000 };

static CRITICAL_SECTION lock;
static HANDLE called;

TRACED long leaf(long x) { return x + 1; }

static DWORD CALLBACK body(void *argument) {
  long one = leaf((long)(intptr_t)argument);
  ReleaseSemaphore(called, 1, 0);
  EnterCriticalSection(&lock);
  LeaveCriticalSection(&lock);
  return (DWORD)one;
}

int main(void) {
  HANDLE threads[THREADS];
  long sum = 0;
  InitializeCriticalSection(&lock);
  called = CreateSemaphoreW(0, 0, THREADS, 0);
  EnterCriticalSection(&lock);
  for (int i = 0; i < THREADS; i++) threads[i] = CreateThread(0, 0, body, 0, 0, 0);
  for (int i = 0; i < THREADS; i++) WaitForSingleObject(called, INFINITE);
  for (long i = 0; i < CALLS; i++) sum = leaf(sum);
  LeaveCriticalSection(&lock);
  WaitForMultipleObjects(THREADS, threads, TRUE, INFINITE);
  printf("%ld\n", sum);
  return 0;
}

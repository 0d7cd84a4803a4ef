// Threads that stand in the middle of their calls until a file is there, and others that go on. All
// are in their calls when the program says that they are parked.
#include <cstdio>
#include <windows.h>
#include "traced.h"

static const int PARKED = 4, BUSY = 2;
static HANDLE go;
// A word of the main thread's stack, for whoever wants to keep something there.
EXTERN __declspec(dllexport) void *volatile *kept;
void *volatile *kept;
static volatile LONG begun;

TRACED int tail(int x);
TRACED int inner(int x) {
  InterlockedIncrement(&begun);
  WaitForSingleObject(go, INFINITE);
  if (x == 3) throw x;
  return x + 1;
}
TRACED int tail(int x) { return inner(x); }  // jumps
TRACED int outer(int x) {
  try {
    return tail(x) * 10 + 5;
  } catch (int caught) {
    return caught * 1000;
  }
}
TRACED int leaf(int x) { return x * 3 + 1; }
TRACED int middle(int x) {
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += leaf(x + i);
  return sum;
}
static DWORD CALLBACK parks(void *x) { return outer((int)(intptr_t)x); }
static DWORD CALLBACK works(void *) {
  long wrong = 0;
  unsigned rounds = 0;
  InterlockedIncrement(&begun);
  while (WaitForSingleObject(go, 0) == WAIT_TIMEOUT) {
    for (int i = 0; i < 100; i++, rounds++) {
      int x = (int)(rounds & 1023);
      wrong += middle(x) != 10 * (3 * x + 1) + 135;
    }
  }
  return wrong;
}

int main(int, char **argv) {
  HANDLE threads[PARKED + BUSY];
  void *volatile keeps = 0;
  kept = &keeps;
  go = CreateEventA(0, TRUE, FALSE, 0);
  for (int i = 0; i < PARKED + BUSY; i++) {
    threads[i] = CreateThread(0, 0, i < PARKED ? parks : works, (void *)(intptr_t)i, 0, 0);
  }
  while (begun < PARKED + BUSY) Sleep(1);
  std::puts("parked");
  std::fflush(stdout);
  while (GetFileAttributesA(argv[1]) == INVALID_FILE_ATTRIBUTES) Sleep(5);
  SetEvent(go);
  WaitForMultipleObjects(PARKED + BUSY, threads, TRUE, INFINITE);
  for (HANDLE thread : threads) {
    DWORD code;
    GetExitCodeThread(thread, &code);
    std::printf("%lu\n", code);
  }
  return 42;
}

/* Threads that wait in functions of several conventions until a file is there, one of them with a
   fiber that sleeps in such a function. */
#include <stdio.h>
#include <windows.h>
#define APART __attribute__((noinline))

static HANDLE go;
static volatile LONG parked;
static void *home;
static volatile int sleeps;

static APART int waits(int x) {
  InterlockedIncrement(&parked);
  WaitForSingleObject(go, INFINITE);
  return x + 1;
}
static APART int __stdcall by_callee(int a, int b, int c) { return waits(a + b) + c; }
static APART int __fastcall in_registers(int a, int b, int c) { return by_callee(a, b, c) * 2; }
static int recursion(int x);
/* Through a pointer: the compiler would make a loop of it. */
static int (*volatile again)(int) = recursion;
static int recursion(int x) { return x == 0 ? in_registers(1, 2, 3) : again(x - 1) + 1; }

static APART int asleep(int x) {
  SwitchToFiber(home);
  return x + 4;
}
static void CALLBACK on_fiber(void *x) {
  sleeps = asleep((int)(intptr_t)x);
  SwitchToFiber(home);
}
static DWORD CALLBACK runs(void *x) { return recursion((int)(intptr_t)x); }
static DWORD CALLBACK has_fiber(void *x) {
  home = ConvertThreadToFiber(0);
  void *other = CreateFiber(0x20000, on_fiber, x);
  SwitchToFiber(other);
  int sum = by_callee(1, 1, 1);
  SwitchToFiber(other);
  return sum + sleeps;
}

int main(int argc, char **argv) {
  HANDLE threads[7];
  DWORD code, sum = 0;
  (void)argc;
  go = CreateEventA(0, TRUE, FALSE, 0);
  for (int i = 0; i < 6; i++) threads[i] = CreateThread(0, 0, runs, (void *)(intptr_t)i, 0, 0);
  threads[6] = CreateThread(0, 0, has_fiber, (void *)10, 0, 0);
  while (parked < 7) Sleep(1);
  puts("parked");
  fflush(0);
  while (GetFileAttributesA(argv[1]) == INVALID_FILE_ATTRIBUTES) Sleep(5);
  SetEvent(go);
  for (int i = 0; i < 7; i++) {
    WaitForSingleObject(threads[i], INFINITE);
    GetExitCodeThread(threads[i], &code);
    sum += code;
  }
  /* Functions that were traced go on as others do. */
  for (int i = 0; i < 1000; i++) sum += in_registers(i, 0, 0);
  printf("sum %lu\n", sum);
  return 42;
}

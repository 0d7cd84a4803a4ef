/* 49 threads that stand in code of all kinds. */
#include "standing.h"

typedef int (*Kind)(int);
#define APART __attribute__((noinline))

static APART int waits(int x) { stand("waits"); return x + 1; }
static APART int spins(int x) { stand("spins"); return x + 2; }

static APART int CALLBACK compare(const void *a, const void *b) {
  stand("callback");
  return *(const int *)a - *(const int *)b;
}
static APART int calls_back(int x) {
  int values[] = {5, -1};
  qsort(values, 2, sizeof *values, compare);
  return values[1] + x;
}
static int deep(int x);
/* Through a pointer: the compiler would make a loop of it. */
static int (*volatile again)(int) = deep;
static int deep(int x) { return x == 0 ? (stand("deep"), 1) : again(x - 1) + 1; }
static APART int recurses(int x) { return deep(30) + x; }
/* A large frame, which is probed, and one whose size is not known before. */
static APART int large(int x) {
  volatile char bytes[20000];
  bytes[x] = 1;
  stand("large");
  return bytes[x] + x;
}
static APART int allocates(int x) {
  volatile char *bytes = __builtin_alloca(1000 + 16 * (x + 1));
  bytes[x] = 2;
  stand("alloca");
  return bytes[x] + x;
}
/* Floating-point registers that a function has to preserve. */
static APART double many(double a, double b, double c, double d, int x) {
  double e = a * b, f = c * d, g = a + d, h = b - c;
  stand("floats");
  return e + f * g - h + a * b * c * d + x;
}
static APART int floats(int x) { return (int)many(1, 2, 3, 4, x); }

static LONG CALLBACK handler(EXCEPTION_POINTERS *what) {
  if (what->ExceptionRecord->ExceptionCode != 0xE0000042) return EXCEPTION_CONTINUE_SEARCH;
  stand("handler");
  return EXCEPTION_CONTINUE_EXECUTION;
}
static APART int raises(int x) {
  RaiseException(0xE0000042, 0, 0, 0);
  return x + 3;
}
static void CALLBACK procedure(ULONG_PTR x) { stand("apc"); sink += (LONG)x; }
static APART int alerts(int x) {
  QueueUserAPC(procedure, GetCurrentThread(), 1);
  SleepEx(INFINITE, TRUE);
  return x + 4;
}
static void CALLBACK on_fiber(void *back) {
  stand("fiber");
  SwitchToFiber(back);
}
static APART int fibers(int x) {
  void *mine = ConvertThreadToFiber(0);
  void *other = CreateFiber(0x20000, on_fiber, mine);
  SwitchToFiber(other);
  DeleteFiber(other);
  ConvertFiberToThread();
  return x + 5;
}

static const Kind KINDS[] = {waits, spins, calls_back, recurses, large, allocates, floats, raises,
                             alerts, fibers};
#define KIND_COUNT (int)(sizeof KINDS / sizeof *KINDS)
#define THREADS 49

static DWORD CALLBACK run(void *x) {
  int number = (int)(intptr_t)x;
  /* As many spin as there may be processors; all others wait. */
  int kind = number < KIND_COUNT ? number : number % KIND_COUNT == 1 ? 0 : number % KIND_COUNT;
  return (DWORD)KINDS[kind](number);
}

int main(int argc, char **argv) {
  HANDLE threads[THREADS];
  (void)argc;
  begin();
  AddVectoredExceptionHandler(1, handler);
  for (int i = 0; i < THREADS; i++) threads[i] = CreateThread(0, 0, run, (void *)(intptr_t)i, 0, 0);
  return finish(threads, THREADS, argv[1]);
}

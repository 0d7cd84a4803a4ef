/* Everything at once: fibers that go from thread to thread in the middle of calls, exceptions, long
   jumps, tail calls, recursion deeper than there are slots, procedure calls and vectored handlers
   that interrupt, and threads that come and go, some of them in the middle of traced functions.
   What each fiber computes depends on its number and the seed alone. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
#include "traced.h"

#define MOST 64

struct State {
  unsigned long long seed, sum;
  jmp_buf place;
  void *fiber;
  volatile LONG busy;
};
static State states[MOST];
static int fibers, rounds;
static volatile LONG left;
static volatile LONGLONG entered, unended, threads_begun;
static __thread void *home;
/* Read after calls, so that no compiler makes loops of them. */
static volatile long one = 1;

static __attribute__((noipa)) void *where_home(void) { return home; }
/* From every traced function: how many calls there were. */
static void enter(void) { InterlockedIncrement64(&entered); }

static unsigned next(State *s, unsigned most) {
  s->seed = s->seed * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(s->seed >> 33) % most;
}

TRACED long leaf(long x, long y) {
  enter();
  return x * 3 + y;
}
TRACED long last(long x, long y) {
  enter();
  return x - y;
}
TRACED long before_last(long x, long y) {
  enter();
  return last(x * 5, y + 1);
}
TRACED long tail(long x, long y) {
  enter();
  return before_last(y, x);
}
TRACED void go_home(State *s) {
  enter();
  SwitchToFiber(where_home());
  s->sum += s->sum >> 60;
}
TRACED long deep(State *s, long n, long at) {
  enter();
  if (n == at) go_home(s);
  if (n == 0) return leaf(1, 2);
  long r = deep(s, n - 1, at);
  s->sum += r;
  return r + (n & 3);
}
TRACED long thrower(State *s, long n) {
  enter();
  if (n == 0) throw (int)next(s, 1000);
  long r = thrower(s, n - 1);
  return r + leaf(n, r);
}
TRACED long catcher(State *s, long n, int again) {
  enter();
  try {
    return thrower(s, n);
  } catch (int code) {
    s->sum += leaf(code, n);
    if (again && (code & 1)) throw;
    return code;
  }
}
TRACED long guard(State *s, long n) {
  enter();
  try {
    return catcher(s, n, 1);
  } catch (int code) {
    return tail(code, n);
  }
}
TRACED long jumper(State *s, long n) {
  enter();
  if (n == 0) longjmp(s->place, 1 + (int)next(s, 100));
  return jumper(s, n - 1) + one;
}
TRACED long landing(State *s, long n) {
  enter();
  int code = setjmp(s->place);
  if (code == 0) return jumper(s, n);
  return leaf(code, n);
}
TRACED long interrupting(long x) {
  enter();
  return tail(x, leaf(x, 1));
}
static void CALLBACK procedure(ULONG_PTR p) {
  State *s = (State *)p;
  s->sum += interrupting(next(s, 50));
}
TRACED long alerted(State *s) {
  enter();
  QueueUserAPC(procedure, GetCurrentThread(), (ULONG_PTR)s);
  SleepEx(0, TRUE);
  return leaf(s->sum & 0xFF, 3);
}
static LONG CALLBACK handler(EXCEPTION_POINTERS *pointers) {
  if (pointers->ExceptionRecord->ExceptionCode != 0xE0005700) return EXCEPTION_CONTINUE_SEARCH;
  State *s = (State *)pointers->ExceptionRecord->ExceptionInformation[0];
  s->sum += interrupting(next(s, 70));
  return EXCEPTION_CONTINUE_EXECUTION;
}
TRACED long raising(State *s) {
  enter();
  ULONG_PTR p = (ULONG_PTR)s;
  RaiseException(0xE0005700, 0, 1, &p);
  return leaf(s->sum & 0xFF, 5);
}
TRACED long nest(long n, int end) {
  enter();
  if (n == 0) {
    if (end) ExitThread(7);
    return leaf(2, 3);
  }
  long r = nest(n - 1, end);
  return r + last(r, n);
}
static DWORD CALLBACK child(void *p) {
  InterlockedIncrement64(&threads_begun);
  int what = (int)(intptr_t)p;
  long r = nest(3 + what % 5, 0);
  if (what % 3 == 0) {
    InterlockedExchangeAdd64(&unended, 3 + what % 7);
    nest(2 + what % 7, 1);
  }
  return (DWORD)(r & 0xFFFF);
}
TRACED long birth(State *s) {
  enter();
  HANDLE thread = CreateThread(0, 0, child, (void *)(intptr_t)next(s, 100), 0, 0);
  DWORD code = 0;
  WaitForSingleObject(thread, INFINITE);
  GetExitCodeThread(thread, &code);
  CloseHandle(thread);
  return leaf(code, 1);
}
TRACED long step(State *s) {
  enter();
  switch (next(s, 16)) {
    case 0: return guard(s, next(s, 20));
    case 1: return catcher(s, next(s, 10), 0);
    case 2: return landing(s, next(s, 30));
    case 3: return deep(s, next(s, 400), -1);
    case 4:
    case 5: return deep(s, next(s, 60), next(s, 30));
    case 6: return alerted(s);
    case 7: return raising(s);
    case 8: return next(s, 8) == 0 ? birth(s) : 1;
    case 9:
      go_home(s);
      return tail(s->sum & 0xFFF, 9);
    default: return tail(next(s, 100), leaf(next(s, 100), 4));
  }
}
static void CALLBACK body(void *argument) {
  State *s = (State *)argument;
  for (int i = 0; i < rounds; i++) s->sum = s->sum * 31 + step(s);
  s->busy = 2;
  InterlockedDecrement(&left);
  for (;;) SwitchToFiber(where_home());
}
/* Runs fibers for a while, then ends; the fibers go on in others. */
static DWORD CALLBACK runner(void *argument) {
  InterlockedIncrement64(&threads_begun);
  home = ConvertThreadToFiber(0);
  leaf(1, 1);
  int i = (int)(intptr_t)argument;
  int switches = 20 + i % 50;
  while (left > 0 && switches > 0) {
    i = (i + 1) % fibers;
    State *s = &states[i];
    if (InterlockedCompareExchange(&s->busy, 1, 0) == 0) {
      SwitchToFiber(s->fiber);
      InterlockedCompareExchange(&s->busy, 0, 1);
      switches--;
    } else {
      SwitchToThread();
    }
  }
  ConvertFiberToThread();
  return 0;
}

/* seed, fibers, rounds of each, threads at once */
int main(int argc, char **argv) {
  unsigned long long seed = strtoull(argv[1], 0, 10);
  fibers = atoi(argv[2]);
  rounds = atoi(argv[3]);
  int threads = atoi(argv[4]);
  left = fibers;
  AddVectoredExceptionHandler(1, handler);
  for (int i = 0; i < fibers; i++) {
    states[i].seed = seed * 1000 + i;
    states[i].fiber = CreateFiber(1 << 20, body, &states[i]);
  }
  HANDLE running[MOST];
  int number = 0;
  for (int i = 0; i < threads; i++) {
    running[i] = CreateThread(0, 0, runner, (void *)(intptr_t)number++, 0, 0);
  }
  while (left > 0) {
    DWORD ended = WaitForMultipleObjects(threads, running, FALSE, INFINITE) - WAIT_OBJECT_0;
    CloseHandle(running[ended]);
    running[ended] = CreateThread(0, 0, runner, (void *)(intptr_t)number++, 0, 0);
  }
  WaitForMultipleObjects(threads, running, TRUE, INFINITE);
  for (int i = 0; i < fibers; i++) printf("fiber %d: %llx\n", i, states[i].sum);
  fprintf(stderr, "entered %lld unended %lld threads %lld\n", entered, unended, threads_begun);
  return 3;
}

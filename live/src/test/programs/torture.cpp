/* Everything that tracing has to bear, at once and until it is told to stop: 49 threads that throw,
   raise, jump, recurse, call in turn with their end, interrupt themselves and each other, load and
   unload libraries, begin and end, and fibers that go from thread to thread. All of them check all of
   the time what they do; the first that finds something wrong says so and ends the program.
     torture STOP SEED PAUSE SEH THROWING LIBRARY...
   Who has done something sleeps for PAUSE milliseconds at most. It ends with 49 when the file STOP is there, and says "all right". */
#include <setjmp.h>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <windows.h>
#include "traced.h"

enum { WORKERS = 40, RUNNERS = 8, FIBERS = 20 };
#define TO_GO_ON 0xE0005700

static volatile LONG stopped, runners, working = WORKERS;
static volatile LONGLONG done, births, moves, libraries_loaded, sent, delivered;
/* Read after calls, so that no compiler makes loops of them. */
static volatile long one = 1;
static int pause;
static HANDLE workers[WORKERS];
static char **libraries;
static int number_of_libraries;
static long (*seh_round)(long, long);
static long (*caught)(int);
static __thread void *home;
static __attribute__((noipa)) void *where_home(void) { return home; }

static void wrong(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  std::printf(", in thread %lu\n", GetCurrentThreadId());
  std::fflush(stdout);
  TerminateProcess(GetCurrentProcess(), 70);
}
static void must(const char *what, long long is, long long expected) {
  if (is != expected) wrong("wrong: %s: %lld, not %lld", what, is, expected);
}

#define KEPT __declspec(dllexport) __attribute__((noipa, patchable_function_entry(6, 6)))
namespace plain {
struct Work;
static void go_away(Work *) { SwitchToThread(); }
#include "tortureops.h"
}
namespace fibre {
struct Work;
static void go_away(Work *) {
  InterlockedIncrement64(&moves);
  SwitchToFiber(where_home());
}
#include "tortureops.h"
}
using plain::Work;
using plain::next;

static LONG CALLBACK handler(EXCEPTION_POINTERS *pointers) {
  EXCEPTION_RECORD *record = pointers->ExceptionRecord;
  if (record->ExceptionCode != TO_GO_ON) return EXCEPTION_CONTINUE_SEARCH;
  ULONG_PTR *x = (ULONG_PTR *)record->ExceptionInformation[1];
  *x = plain::interrupting((long)*x);
  return EXCEPTION_CONTINUE_EXECUTION;
}
#ifdef _WIN64
#define STACK_POINTER Rsp
#else
#define STACK_POINTER Esp
#endif
static LONG CALLBACK crashed(EXCEPTION_POINTERS *pointers) {
  ULONG_PTR *stack = (ULONG_PTR *)pointers->ContextRecord->STACK_POINTER;
  wrong("wrong: exception %lx at %p, stack %p: %p %p %p %p, parameters %p %p",
        pointers->ExceptionRecord->ExceptionCode, pointers->ExceptionRecord->ExceptionAddress, stack,
        stack[0], stack[1], stack[2], stack[3], pointers->ExceptionRecord->ExceptionInformation[0],
        pointers->ExceptionRecord->ExceptionInformation[1]);
  return EXCEPTION_CONTINUE_SEARCH;
}
static void terminated(void) { wrong("wrong: nobody catches what was thrown"); }

static void CALLBACK procedure(ULONG_PTR argument) {
  long count = 0, what = (long)(argument % 3000);
  must("exception in a procedure call", plain::guard(3, what, &count), what);
  InterlockedIncrement64(&delivered);
}
static void CALLBACK own_procedure(ULONG_PTR argument) {
  Work *w = (Work *)argument;
  w->delivered++;
  plain::tails(w);
}
static void procedures(Work *w) {
  long before = w->delivered, number = 1 + next(w, 4);
  for (long i = 0; i < number; i++) {
    if (!QueueUserAPC(own_procedure, GetCurrentThread(), (ULONG_PTR)w)) wrong("wrong: no call");
  }
  SleepEx(0, TRUE);
  must("procedure calls", w->delivered - before, number);
  HANDLE other = workers[next(w, WORKERS)];
  if (other && QueueUserAPC(procedure, other, next(w, 100000))) InterlockedIncrement64(&sent);
}
KEPT long nest(long n, int end) {
  if (n == 0) {
    if (end) ExitThread(7);
    return plain::leaf(2, 3);
  }
  long r = nest(n - 1, end);
  return r + n * one;
}
static DWORD CALLBACK child(void *argument) {
  int what = (int)(intptr_t)argument;
  long r = nest(what % 6, 0);
  if (what % 3 == 0) nest(what % 7, 1);
  return (DWORD)r;
}
static void birth(Work *w) {
  long what = next(w, 100), n = what % 6;
  HANDLE thread = CreateThread(0, 0, child, (void *)(intptr_t)what, 0, 0);
  if (!thread) wrong("wrong: no thread: %lu", GetLastError());
  DWORD code = 0;
  WaitForSingleObject(thread, INFINITE);
  GetExitCodeThread(thread, &code);
  CloseHandle(thread);
  must("end of a thread", code, what % 3 == 0 ? 7 : 9 + n * (n + 1) / 2);
  InterlockedIncrement64(&births);
}
static void library(Work *w) {
  char *name = libraries[next(w, number_of_libraries)];
  HMODULE module = LoadLibraryA(name);
  if (!module) wrong("wrong: %s is not loaded: %lu", name, GetLastError());
  long (*doubled)(long) = (long (*)(long))(void *)GetProcAddress(module, "doubled");
  if (!doubled) wrong("wrong: nothing in %s: %lu", name, GetLastError());
  long n = next(w, 100);
  must("call of a library", doubled(n), 4 * n + 2);
  if (!FreeLibrary(module)) wrong("wrong: %s is not unloaded: %lu", name, GetLastError());
  InterlockedIncrement64(&libraries_loaded);
}
static void memory(Work *w) {
  unsigned char *blocks[20];
  size_t sizes[20];
  for (int i = 0; i < 20; i++) {
    sizes[i] = 1 + next(w, 700);
    blocks[i] = (unsigned char *)HeapAlloc(GetProcessHeap(), 0, sizes[i]);
    std::memset(blocks[i], i, sizes[i]);
  }
  for (int i = 0; i < 20; i++) {
    for (size_t at = 0; at < sizes[i]; at++) must("memory", blocks[i][at], i);
    HeapFree(GetProcessHeap(), 0, blocks[i]);
  }
}
static void text(Work *w) {
  char formatted[64];
  WCHAR wide[64];
  char back[64];
  long n = next(w, 100000);
  std::snprintf(formatted, sizeof formatted, "number %ld", n);
  MultiByteToWideChar(CP_UTF8, 0, formatted, -1, wide, 64);
  CharUpperW(wide);
  WideCharToMultiByte(CP_UTF8, 0, wide, -1, back, 64, 0, 0);
  must("text", std::strtol(back + 7, 0, 10), n);
  must("capitals", back[0], 'N');
}
static void throwing(Work *w) { must("exception of a library", caught(next(w, 8)), 7); }
static void structured(Work *w) {
  long kind = next(w, 8), x = 1 + next(w, 200);
  static const long expected[] = {5, 0x94, 0, 0, 0, 60, 0x2008, 0};
  long is = seh_round(kind, x);
  long plus = kind == 2 || kind == 4 ? 0x1000 + x : kind == 3 ? x + 10 : kind == 7 ? x * (x + 1) / 2 : 0;
  must("structured exception", is, expected[kind] + plus);
}

static DWORD CALLBACK worker(void *argument) {
  Work w = {};
  w.seed = (unsigned long long)(intptr_t)argument;
  while (!stopped) {
    switch (next(&w, 16)) {
      case 0: case 1: plain::exceptions(&w); break;
      case 2: plain::jumps(&w); break;
      case 3: plain::depths(&w, 400); break;
      case 4: case 5: procedures(&w); break;
      case 6: plain::goes_on(&w); break;
      case 7: birth(&w); break;
      case 8: library(&w); break;
      case 9: memory(&w); break;
      case 10: text(&w); break;
      case 11: throwing(&w); break;
      case 12: case 13: structured(&w); break;
      case 14: plain::depths(&w, 20); break;
      default: plain::tails(&w); break;
    }
    InterlockedIncrement64(&done);
    SleepEx(next(&w, pause), TRUE);
  }
  /* Nobody sends any more when all are here. */
  InterlockedDecrement(&working);
  while (working > 0) SleepEx(1, TRUE);
  SleepEx(0, TRUE);
  return 0;
}

static fibre::Work states[FIBERS];
static void CALLBACK body(void *argument) {
  fibre::Work *w = (fibre::Work *)argument;
  for (;;) {
    switch (fibre::next(w, 6)) {
      case 0: fibre::exceptions(w); break;
      case 1: fibre::jumps(w); break;
      case 2: fibre::depths(w, 400); break;
      case 3: fibre::goes_on(w); break;
      case 4: fibre::tails(w); break;
      default: fibre::depths(w, 40); break;
    }
    InterlockedIncrement64(&done);
  }
}
/* Runs fibers for a while, then another thread takes its place; the fibers go on in others. */
static DWORD CALLBACK runner(void *argument) {
  int i = (int)(intptr_t)argument;
  home = ConvertThreadToFiber(0);
  for (int switches = 20 + i % 50; switches > 0 && !stopped;) {
    i = (i + 1) % FIBERS;
    fibre::Work *w = &states[i];
    if (InterlockedCompareExchange(&w->busy, 1, 0) == 0) {
      SwitchToFiber(w->fiber);
      InterlockedExchange(&w->busy, 0);
      switches--;
      plain::leaf(1, i);
    }
    Sleep(switches % 4 == 0 ? pause / 4 : 0);
  }
  ConvertFiberToThread();
  if (stopped) {
    InterlockedDecrement(&runners);
  } else {
    HANDLE after = CreateThread(0, 0, runner, (void *)(intptr_t)(i + 7), 0, 0);
    if (!after) wrong("wrong: no thread: %lu", GetLastError());
    CloseHandle(after);
  }
  return 0;
}

static HMODULE load(const char *name) {
  HMODULE module = LoadLibraryA(name);
  if (!module) wrong("wrong: %s is not loaded: %lu", name, GetLastError());
  return module;
}
int main(int argc, char **argv) {
  SetUnhandledExceptionFilter(crashed);
  std::set_terminate(terminated);
  AddVectoredExceptionHandler(1, handler);
  unsigned long long seed = std::strtoull(argv[2], 0, 10) * 1000;
  pause = std::atoi(argv[3]);
  seh_round = (long (*)(long, long))(void *)GetProcAddress(load(argv[4]), "seh_round");
  caught = (long (*)(int))(void *)GetProcAddress(load(argv[5]), "caught");
  libraries = argv + 6;
  number_of_libraries = argc - 6;
  for (int i = 0; i < FIBERS; i++) {
    states[i].seed = seed + 100 + i;
    states[i].fiber = CreateFiber(1 << 20, body, &states[i]);
  }
  for (int i = 0; i < WORKERS; i++) {
    workers[i] = CreateThread(0, 0, worker, (void *)(intptr_t)(seed + i), 0, 0);
  }
  runners = RUNNERS;
  for (int i = 0; i < RUNNERS; i++) {
    CloseHandle(CreateThread(0, 0, runner, (void *)(intptr_t)i, 0, 0));
  }
  std::puts("ready");
  std::fflush(stdout);
  while (GetFileAttributesA(argv[1]) == INVALID_FILE_ATTRIBUTES) Sleep(20);
  stopped = 1;
  for (int i = 0; i < WORKERS; i++) WaitForSingleObject(workers[i], INFINITE);
  while (runners > 0) Sleep(1);
  must("procedure calls of others", delivered, sent);
  std::printf("all right: %lld done, %lld births, %lld moves, %lld libraries, %lld procedure calls\n",
              done, births, moves, libraries_loaded, delivered);
  return 49;
}

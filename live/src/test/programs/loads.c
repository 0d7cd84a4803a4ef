/* Loads and unloads libraries: loads HOW ROUNDS THREADS [FILE] LIBRARY...
     loop    each thread loads, calls and unloads the libraries in turn
     stay    loads all, calls, lets them stay
     throw   the first library stays and throws in one thread; the others come and go in the rest
     nest    one thread loads the first library, which loads the second, and unloads it
     again   the library is there already when FILE is awaited; it goes then, and comes and is
             called when a second FILE is there, with 2 behind its name
     time    loops, and tells what a round takes at the least, in microseconds
   It begins when FILE is there, if the name is not "-". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include "traced.h"

typedef long (*function)(long);

static const char *how;
static int rounds, libraries;
static char **names;
static volatile long total, begun;

TRACED long begins(void) { return ++begun; }

static void fail(const char *what) {
  printf("%s failed: %lu\n", what, GetLastError());
  fflush(stdout);
  ExitProcess(9);
}

static HMODULE load(const char *name) {
  HMODULE module = LoadLibraryA(name);
  if (module == NULL) fail(name);
  return module;
}

static void await(const char *file) {
  while (GetFileAttributesA(file) == INVALID_FILE_ATTRIBUTES) Sleep(5);
}

static void use(HMODULE module, long n) {
  function doubled = (function)(void *)GetProcAddress(module, "doubled");
  if (doubled == NULL) fail("doubled");
  InterlockedExchangeAdd(&total, doubled(n));
}

static DWORD WINAPI work(void *argument) {
  int number = (int)(INT_PTR)argument;
  if (number == 0 && strcmp(how, "throw") == 0) {
    function caught = (function)(void *)GetProcAddress(load(names[0]), "caught");
    for (int i = 0; i < 20 * rounds; i++) InterlockedExchangeAdd(&total, caught(i % 8));
    return 0;
  }
  int first = strcmp(how, "throw") == 0 ? 1 : 0;
  for (int i = 0; i < rounds; i++) {
    HMODULE module = load(names[first + (i + number) % (libraries - first)]);
    use(module, i);
    if (strcmp(how, "stay") != 0 && !FreeLibrary(module)) fail("unloading");
  }
  return 0;
}

static void timed(void) {
  LARGE_INTEGER rate, before, after;
  double least = 1e9, all = 0;
  QueryPerformanceFrequency(&rate);
  for (int i = 0; i < rounds; i++) {
    QueryPerformanceCounter(&before);
    HMODULE module = load(names[0]);
    QueryPerformanceCounter(&after);
    FreeLibrary(module);
    double took = (after.QuadPart - before.QuadPart) * 1e6 / rate.QuadPart;
    if (took < least) least = took;
    all += took;
  }
  printf("loading takes %.0f us, at least %.0f\n", all / rounds, least);
}

int main(int argc, char **argv) {
  HANDLE threads[64];
  how = argv[1];
  rounds = atoi(argv[2]);
  int count = atoi(argv[3]);
  libraries = argc - 5;
  names = argv + 5;
  BOOL again = strcmp(how, "again") == 0;
  HMODULE there = again ? load(names[0]) : NULL;
  puts("ready");
  fflush(stdout);
  if (strcmp(argv[4], "-") != 0) await(argv[4]);
  if (again) {
    char second[MAX_PATH];
    snprintf(second, sizeof second, "%s2", argv[4]);
    FreeLibrary(there);
    await(second);
  }
  begins();
  if (strcmp(how, "time") == 0) {
    timed();
    return 0;
  }
  if (strcmp(how, "nest") == 0) {
    SetEnvironmentVariableA("NESTED", names[1]);
    libraries = 1;
    how = "loop";
  }
  for (int i = 0; i < count; i++) {
    threads[i] = CreateThread(NULL, 0, work, (void *)(INT_PTR)i, 0, NULL);
  }
  WaitForMultipleObjects(count, threads, TRUE, INFINITE);
  printf("total %ld\n", total);
  return 5;
}

// One leaf function, called in a loop that measures itself.
//
//   leaf FILE cost SLICES CALLS WORK    per slice, in nanoseconds a call: a twin that nobody traces,
//                                       the leaf, and reading the time stamp counter twice
//   leaf FILE rate SECONDS THREADS WORK calls and nanoseconds
//
// WORK is how many multiplications lie between two calls, each waiting for the one before it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>
#ifdef _WIN32
#include <windows.h>
#define EXPORT __declspec(dllexport)
#define LEFT_ALONE
typedef HANDLE thread;
#define THREAD DWORD WINAPI
#else
#include <pthread.h>
#include <time.h>
#define EXPORT
// Whatever the tracer of this build uses is left out of all but the leaf.
#define LEFT_ALONE __attribute__((no_instrument_function, patchable_function_entry(0, 0)))
typedef pthread_t thread;
#define THREAD void *
#endif

EXPORT __attribute__((noinline, noipa, aligned(64))) int leaf(int x) { return x * 3 + 1; }

LEFT_ALONE __attribute__((noinline, noipa, aligned(64))) int twin(int x) { return x * 3 + 1; }

LEFT_ALONE static double nanos(void) {
#ifdef _WIN32
  LARGE_INTEGER now, rate;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&rate);
  return now.QuadPart * (1e9 / rate.QuadPart);
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
#endif
}

#define WORK(x)                            \
  for (int i = 0; i < work; i++) {         \
    x = x * 1664525 + 1013904223;          \
    __asm__ volatile("" : "+r"(x));        \
  }

static int work;
static double seconds;
static volatile int sink;

LEFT_ALONE static double loop(int (*function)(int), long calls) {
  int x = 1;
  double begin = nanos();
  for (long n = 0; n < calls; n++) {
    x = function(x);
    WORK(x)
  }
  double end = nanos();
  sink = x;
  return (end - begin) / calls;
}

LEFT_ALONE static double clocks(long times) {
  unsigned long long sum = 0;
  double begin = nanos();
  for (long n = 0; n < times; n++) {
    sum += __rdtsc();
    __asm__ volatile("" : "+r"(sum));
    sum += __rdtsc();
    __asm__ volatile("" : "+r"(sum));
  }
  double end = nanos();
  sink = (int)sum;
  return (end - begin) / times;
}

struct part {
  long calls;
  double nanos;
};

LEFT_ALONE static THREAD part(void *to) {
  struct part *part = to;
  int x = 1;
  double begin = nanos();
  double now = begin;
  while (now - begin < seconds * 1e9) {
    for (int n = 0; n < 10000; n++) {
      x = leaf(x);
      WORK(x)
    }
    part->calls += 10000;
    now = nanos();
  }
  sink = x;
  part->nanos = now - begin;
  return 0;
}

LEFT_ALONE static void rate(FILE *out, int threads) {
  struct part parts[16] = {{0}};
  thread ids[16];
  for (int i = 0; i < threads; i++) {
#ifdef _WIN32
    ids[i] = CreateThread(0, 0, part, &parts[i], 0, 0);
#else
    pthread_create(&ids[i], 0, part, &parts[i]);
#endif
  }
  for (int i = 0; i < threads; i++) {
#ifdef _WIN32
    WaitForSingleObject(ids[i], INFINITE);
#else
    pthread_join(ids[i], 0);
#endif
    fprintf(out, "%ld %.0f\n", parts[i].calls, parts[i].nanos);
  }
}

LEFT_ALONE int main(int count, char **words) {
  FILE *out = count == 6 ? fopen(words[1], "w") : 0;
  if (!out) {
    return 2;
  }
  work = atoi(words[5]);
  if (!strcmp(words[2], "rate")) {
    int threads = atoi(words[4]);
    seconds = atof(words[3]);
    rate(out, threads < 1 || threads > 16 ? 1 : threads);
  } else {
    long calls = atol(words[4]);
    loop(leaf, 1000);
    for (int slice = atoi(words[3]); slice > 0; slice--) {
      double plain = loop(twin, calls);
      double traced = loop(leaf, calls);
      fprintf(out, "%.3f %.3f %.3f\n", plain, traced, clocks(calls / 4));
    }
  }
  return fclose(out);
}

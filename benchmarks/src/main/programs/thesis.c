// Calls rows of functions made by thesis.awk, and measures how long that takes.
//
//   thesis FILE ROUNDS WORK    nanoseconds of wall time and of processor time; WORK is how many
//                              multiplications each call takes
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef _WIN32
#include <windows.h>
#define LEFT_ALONE
#else
#include <time.h>
// Whatever the tracer of this build uses is left out of all but the rows.
#define LEFT_ALONE __attribute__((no_instrument_function, patchable_function_entry(0, 0)))
#endif

extern int (*const rows[])(int);
extern const int row_count;
static int amount;

LEFT_ALONE __attribute__((noinline, noipa)) int work(int x) {
  for (int i = 0; i < amount; i++) {
    x = x * 1664525 + 1013904223;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

LEFT_ALONE static double processor(void) {
#ifdef _WIN32
  FILETIME begun, ended, kernel, user;
  GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user);
  return 100.0 * (kernel.dwLowDateTime + user.dwLowDateTime) +
         100.0 * 4294967296.0 * (kernel.dwHighDateTime + user.dwHighDateTime);
#else
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
#endif
}

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

LEFT_ALONE int main(int count, char **words) {
  FILE *out = count == 4 ? fopen(words[1], "w") : 0;
  if (!out) {
    return 2;
  }
  amount = atoi(words[3]);
  int x = 1;
  double begin = nanos(), used = processor();
  for (int round = atoi(words[2]); round > 0; round--) {
    for (int row = 0; row < row_count; row++) {
      x = rows[row](x);
    }
  }
  fprintf(out, "%.0f %.0f %d\n", nanos() - begin, processor() - used, x);
  return fclose(out);
}

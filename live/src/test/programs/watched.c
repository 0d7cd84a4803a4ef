/* Functions of several kinds for probes: strings, recursion, threads, a library that comes late. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
#include "traced.h"

TRACED long named(const char *name, long x) { return name[0] + x; }
TRACED long slow(long x) {
  Sleep((DWORD)(x % 3) * 5);
  return x;
}
TRACED long fibonacci(long n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
TRACED unsigned long long wide(unsigned long long a, int b, short c, char d, long long e) {
  return a + b + c + d + e;
}
TRACED int little(int x) { return x * 7 + named("x", x); }

static DWORD CALLBACK body(void *argument) {
  long sum = (long)(intptr_t)argument;
  for (long i = 0; i < 2000; i++) {
    char name[16];
    snprintf(name, sizeof name, "%c-%ld", 'a' + (int)(i % 5), i);
    sum += named(name, i);
    wide(0xFFFFFFFF00000000ull + i, -(int)i, (short)i, (char)i, -i);
  }
  for (long i = 0; i < 6; i++) sum += slow(i);
  sum += fibonacci(15);
  return (DWORD)sum;
}

int main(int count, char **words) {
  HANDLE threads[3];
  for (int i = 0; i < 3; i++) threads[i] = CreateThread(0, 0, body, (void *)(intptr_t)i, 0, 0);
  WaitForMultipleObjects(3, threads, TRUE, INFINITE);
  HMODULE late = LoadLibraryA("winmm.dll");
  DWORD(WINAPI * now)(void) = (DWORD(WINAPI *)(void))(void *)GetProcAddress(late, "timeGetTime");
  for (int i = 0; i < 20; i++) now();
  little(count);
  printf("done %d\n", count);
  return 10;
}

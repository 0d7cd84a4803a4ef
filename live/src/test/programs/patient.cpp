/* Waits for a file in no traced call; then throws ten times through traced functions. */
#include <cstdio>
#include <windows.h>
#include "traced.h"

TRACED int thrower(int x) {
  if (x >= 0) throw x;
  return x;
}
TRACED int through(int x) { return thrower(x) + 1; }

int main(int argc, char **argv) {
  int sum = 0;
  std::puts("ready");
  std::fflush(stdout);
  while (GetFileAttributesA(argv[1]) == INVALID_FILE_ATTRIBUTES) Sleep(10);
  for (int i = 0; i < 10; i++) {
    try {
      sum += through(i);
    } catch (int caught) {
      sum += caught;
    }
  }
  std::printf("sum %d\n", sum);
  return sum;
}

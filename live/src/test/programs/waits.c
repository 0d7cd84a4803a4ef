/* Runs until a file is there, in traced calls, and ends with 42. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

static volatile long rounds;

TRACED int waiting(const char *file) {
  rounds++;
  return GetFileAttributesA(file) == INVALID_FILE_ATTRIBUTES;
}

int main(int argc, char **argv) {
  while (waiting(argv[1])) Sleep(10);
  puts("waited");
  return 42;
}

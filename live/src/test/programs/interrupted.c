/* Works until Ctrl+C. With the names of two files it goes on then: it waits for the first, works
   some more, and makes the second. */
#include <stdio.h>
#include <windows.h>
#include "traced.h"

static volatile LONG pressed;
static volatile long rounds;

TRACED void working(void) {
  rounds++;
  Sleep(1);
}

static BOOL WINAPI handler(DWORD kind) {
  InterlockedIncrement(&pressed);
  return TRUE;
}

int main(int argc, char **argv) {
  if (argc == 3) SetConsoleCtrlHandler(handler, TRUE);
  while (!pressed) working();
  while (GetFileAttributesA(argv[1]) == INVALID_FILE_ATTRIBUTES) working();
  for (int i = 0; i < 20; i++) working();
  fclose(fopen(argv[2], "w"));
  return 43;
}

/* Prints what it knows of a console: how many processes use it, and whether it has a window. */
#include <stdio.h>
#include <windows.h>

int main(void) {
  DWORD ids[64];
  printf("%lu processes, %s, code page %u\n", GetConsoleProcessList(ids, 64),
         GetConsoleWindow() ? "a window" : "no window", GetConsoleOutputCP());
  return 0;
}

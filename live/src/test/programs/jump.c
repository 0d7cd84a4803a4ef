/* Long jumps over traced frames, three times; every one with frames of its own. They are made by
   the runtime whose name is given, which is loaded then, or by the program's own. */
#include <setjmp.h>
#include <stdio.h>
#include <windows.h>
#include "traced.h"

typedef void (*leaving)(jmp_buf, int);

static leaving leave = longjmp;
static jmp_buf place;
static volatile int sink;

TRACED int down(int n) {
  if (n == 0) leave(place, 5);
  int r = down(n - 1);
  sink += r;
  return r;
}
TRACED int calm(int x) { return x + 1; }
TRACED int round_trip(int n) {
  volatile int before = calm(n);
  int r = setjmp(place);
  if (r == 0) {
    down(n);
    return -1;
  }
  return before + r + calm(n);
}

int main(int count, char **words) {
  if (count > 1) {
    leave = (leaving)(void *)GetProcAddress(LoadLibraryA(words[1]), "longjmp");
    if (leave == NULL) return 9;
  }
  for (int i = 0; i < 3; i++) {
    printf("jump %d\n", round_trip(6 + i));
  }
  int sum = 0;
  for (int i = 0; i < 100; i++) sum += calm(i);
  printf("calm %d\n", sum);
  return 0;
}

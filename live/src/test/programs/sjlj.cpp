// Exceptions of C++ whose handlers are registered as the program runs and reached by a jump (SJLJ), as
// clang compiles them for 32 bits with -fsjlj-exceptions. The runtime is sjljruntime.c.
#include "traced.h"

extern "C" int printf(const char *, ...);

static int ended;

struct Counted {
  int number;
  Counted(int n) : number(n) {}
  __attribute__((noinline)) ~Counted() { ended += number; }
};

TRACED int thrower(int x) {
  Counted c(1);
  if (x > 0) throw x;
  return x;
}
TRACED int without(int x) {
  volatile int sum = thrower(x);
  return sum + 1;
}
TRACED int through(int x) {
  Counted c(10);
  return without(x) + 1;
}
TRACED int catcher(int x) {
  try {
    return through(x);
  } catch (int e) {
    return -e;
  }
}
TRACED int rethrower(int x) {
  Counted c(100);
  try {
    return through(x);
  } catch (int e) {
    throw;
  }
}
TRACED int changer(int x) {
  try {
    return rethrower(x);
  } catch (int e) {
    throw e + 1000;
  }
}
TRACED int ladder(int n) {
  Counted c(1000);
  if (n == 0) throw 500;
  try {
    return ladder(n - 1);
  } catch (int e) {
    if (n % 3 == 0) throw e + n;
    throw;
  }
}
TRACED int plain(int x) { return x + 1; }

int main() {
  int sum = 0;
  for (int i = 0; i < 30; i++) sum += plain(catcher(i % 3));
  printf("catcher %d\n", sum);
  for (int i = 1; i <= 5; i++) {
    try {
      changer(i);
    } catch (int e) {
      sum += plain(e);
    }
  }
  printf("changer %d\n", sum);
  try {
    ladder(10);
  } catch (int e) {
    printf("ladder %d\n", e);
  }
  for (int i = 0; i < 100; i++) sum += plain(i);
  printf("plain %d, ended %d\n", sum, ended);
  return 3;
}

// Functions side by side, without a byte between them (built with -fno-align-functions).
#include <cstdio>
#include <windows.h>
#define TIGHT extern "C" __declspec(dllexport) __attribute__((noipa))

static int table[] = {3, 1, 4, 1, 5, 9, 2, 6};

TIGHT int leaf(int x) { return table[x & 7] + x; }
TIGHT int framed(int x) {
  volatile int many[40];
  for (int i = 0; i < 40; i++) many[i] = leaf(x + i);
  return many[x & 31];
}
TIGHT int thrower(int x) {
  if (x % 3 == 0) throw x;
  return leaf(x);
}
TIGHT int catcher(int x) {
  try {
    return thrower(x) + 1;
  } catch (int caught) {
    return -caught;
  }
}
TIGHT int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
TIGHT double scale(double x, int n) { return n ? scale(x * 1.5, n - 1) : x; }

int main() {
  long sum = 0;
  for (int i = 0; i < 90; i++) sum += framed(i) + catcher(i);
  std::printf("%ld %d %.3f\n", sum, fib(15), scale(2, 9));
  return 6;
}

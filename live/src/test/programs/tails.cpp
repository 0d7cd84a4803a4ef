// Functions that end by jumping to another one.
#include <cstdio>
#include "traced.h"

TRACED long last(long x) {
  if (x < 0) throw x;
  return x * 2;
}
TRACED long middle(long x) { return last(x + 1); }
TRACED long first(long x) { return middle(x + 1); }
// More arguments than registers: the tail call writes its caller's stack.
TRACED long many2(long a, long b, long c, long d, long e, long f) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
}
TRACED long many1(long a, long b, long c, long d, long e, long f) {
  return many2(f, e, d, c, b, a);
}
TRACED long ring2(long n);
TRACED long ring1(long n) { return n <= 0 ? n : ring2(n - 1); }
TRACED long ring2(long n) { return n <= 0 ? n : ring1(n - 1); }

TRACED long catching(long x) {
  try {
    return first(x) + 1;
  } catch (long e) {
    return 1000 - e;
  }
}

int main() {
  long sum = 0;
  for (long i = 0; i < 20; i++) sum += first(i);
  std::printf("first %ld\n", sum);
  for (long i = -5; i < 3; i++) std::printf("catching %ld\n", catching(i));
  std::printf("many %ld\n", many1(1, 2, 3, 4, 5, 6));
  // As many frames as slots and more, all at one place of the stack.
  std::printf("ring %ld\n", ring1(100));
  std::printf("ring %ld\n", ring1(1000));
  sum = 0;
  for (long i = 0; i < 20; i++) sum += last(i);
  std::printf("last %ld\n", sum);
  return 0;
}

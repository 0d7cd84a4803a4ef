/* How often each function is called is known: the test has the numbers. */
#include <stdio.h>
#include <stdlib.h>
#include "traced.h"

static volatile long sink;

TRACED long leaf(long x) { return x * 3 + 1; }

/* Through a pointer: the compiler would make loops of some of the calls. */
TRACED long fib(long n);
static long (*volatile again)(long) = fib;
TRACED long fib(long n) { return n < 2 ? n : again(n - 1) + again(n - 2); }

TRACED long odd(long n);
TRACED long even(long n) { return n == 0 ? 1 : odd(n - 1); }
TRACED long odd(long n) { return n == 0 ? 0 : even(n - 1); }

/* No tail call: something is left to be done. */
TRACED long deep(long n) {
  if (n == 0) {
    sink++;
    return 0;
  }
  long below = deep(n - 1);
  sink += n;
  return below + 1;
}

TRACED double mixed(int a, double b, long long c, float d, int e, double f) {
  return a + b + c + d + e + f;
}

TRACED long after(long x) { return leaf(x) + 1; }

int main(void) {
  long sum = 0;
  for (long i = 0; i < 1000; i++) {
    sum += leaf(i);
  }
  printf("leaf %ld\n", sum);
  printf("fib %ld\n", fib(15));
  printf("even %ld odd %ld\n", even(100), odd(101));
  printf("deep 200 %ld\n", deep(200));
  printf("deep 300 %ld\n", deep(300));
  printf("deep 2000 %ld\n", deep(2000));
  printf("mixed %.3f\n", mixed(1, 2.5, 3, 4.25f, 5, 6.125));
  for (long i = 0; i < 10; i++) {
    sum += after(i);
  }
  printf("after %ld sink %ld\n", sum, sink);
  return 7;
}

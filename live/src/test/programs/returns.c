/* Functions that look at their return address, and such that could be thought to. */
#include <stdarg.h>
#include "traced.h"

#define RETURN_ADDRESS __builtin_return_address(0)

volatile long sink;
static __attribute__((noinline)) void use(const void *pointer, int count) {
  const volatile char *bytes = pointer;
  for (int i = 0; i < count; i++) sink += bytes[i];
}
static __attribute__((noinline, cold)) void fail(void *from) {
  sink = (long)(long long)from;
  __builtin_trap();
}

TRACED void *reads_leaf(void) { return RETURN_ADDRESS; }
TRACED int reads_first(int n, long long *to) {
  *to = (long long)RETURN_ADDRESS;
  use(to, n);
  return n;
}
TRACED long long reads_late(int n) {
  char room[500];
  for (int i = 0; i < 500; i++) room[i] = (char)(i * n);
  use(room, n);
  long long from = (long long)RETURN_ADDRESS;
  use(room, 500);
  return from + sink;
}
TRACED void *reads_variable(int n) {
  char *room = __builtin_alloca(n);
  for (int i = 0; i < n; i++) room[i] = (char)i;
  use(room, n);
  return RETURN_ADDRESS;
}
TRACED int reads_unlikely(int n) {
  char room[40];
  for (int i = 0; i < 40; i++) room[i] = (char)(i + n);
  use(room, n);
  if (__builtin_expect(sink == 77, 0)) fail(RETURN_ADDRESS);
  use(room, 40);
  return n;
}
TRACED long long reads_loop(int n) {
  long long sum = 0;
  for (int i = 0; i < n; i++) {
    use(&sum, 8);
    sum += (long long)RETURN_ADDRESS >> i;
  }
  return sum;
}

TRACED int plain_leaf(int a, int b) { return a * 3 + b; }
TRACED int plain_frame(int n) {
  char room[300];
  for (int i = 0; i < 300; i++) room[i] = (char)(n - i);
  use(room, 300);
  use(room + 300 - n, n);
  return room[n];
}
TRACED int plain_many(int a, int b, int c, int d, int e, int f, int g) {
  use(&a, 4);
  use(&e, 4);
  return a + b + c + d + e * f + g;
}
TRACED int plain_varargs(int n, ...) {
  va_list list;
  int sum = 0;
  va_start(list, n);
  for (int i = 0; i < n; i++) sum += va_arg(list, int);
  va_end(list);
  use(&sum, 4);
  return sum;
}
TRACED int plain_variable(int n) {
  char *room = __builtin_alloca(n);
  for (int i = 0; i < n; i++) room[i] = (char)i;
  use(room, n);
  return room[n / 2];
}
struct big {
  long long words[9];
};
TRACED struct big plain_struct(struct big from, int n) {
  from.words[n] += sink;
  use(&from, sizeof from);
  return from;
}
TRACED int plain_switch(int n) {
  switch (n) {
    case 0: use(&n, 1); return 5;
    case 1: use(&n, 2); return 17;
    case 2: use(&n, 3); return 3;
    case 3: use(&n, 4); return 99;
    case 4: use(&n, 5); return 41;
    case 5: use(&n, 6); return 6;
    default: return 0;
  }
}

#ifdef __clang__
/* The linker's libraries have it by another name. Nothing here is run. */
#ifdef _WIN64
void __chkstk(void) {}
#else
void _chkstk(void) {}
#endif
#endif

int main(void) { return 0; }

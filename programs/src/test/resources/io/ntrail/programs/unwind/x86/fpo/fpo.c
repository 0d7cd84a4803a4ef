/* The example of "Frame pointer omission (FPO) optimization and consequences when debugging, part
   2" (nynaeve.net, 2006), without a runtime library: strlen and rand are its own. */
#define DEMANDED __attribute__((noinline, used))

static unsigned seed = 1;

DEMANDED unsigned length(const char *text) {
  const char *end = text;
  while (*end) end++;
  return (unsigned)(end - text);
}

DEMANDED int next(void) {
  seed = seed * 214013 + 2531011;
  return (int)(seed >> 16 & 0x7fff);
}

DEMANDED void f3(int *c, char *b, int a) {
  *c = a * 3 + (int)length(b);
  __debugbreak();
}

DEMANDED int f2(char *b, int a) {
  int c;
  f3(&c, b + 1, a - 3);
  return c;
}

DEMANDED int f1(int a, char *b) {
  int c;
  c = f2(b, a + 10);
  c ^= next();
  return c + 2 * a;
}

static volatile int printed;

DEMANDED int wmain(int ac, short **av) {
  int c;
  c = f1(next(), "test");
  printed = c;
  return 0;
}

static short *arguments[] = {0, 0};

DEMANDED int __tmainCRTStartup(void) {
  int result = wmain(1, arguments);
  return result + printed;
}

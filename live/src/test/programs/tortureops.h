/* What each thread or fiber of torture.cpp does again and again. Every function here knows what has
   to come of it, and ends the program if something else does. Included twice: functions that fibers
   call may begin in one thread and end in another, and have names of their own. */
struct Work {
  unsigned long long seed;
  long delivered;
  jmp_buf place;
  void *fiber;
  volatile LONG busy;
};
static unsigned next(Work *w, unsigned most) {
  w->seed = w->seed * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(w->seed >> 33) % most;
}

KEPT long leaf(long x, long y) { return x * 3 + y; }
KEPT long last(long x, long y) { return x - y; }
KEPT long before_last(long x, long y) { return last(x * 5, y + 1); }
KEPT long tail(long x, long y) { return before_last(y, x); }
static void tails(Work *w) {
  long x = next(w, 1000), y = next(w, 1000);
  must("tail call", tail(x, y), 5 * y - x - 1);
}

struct Counted {
  long &n;
  explicit Counted(long &m) : n(m) { n++; }
  ~Counted() { n += 3; }
};
struct Big {
  long what;
  unsigned char more[180];
};
KEPT long thrower(long depth, long what, long *count) {
  Counted counted(*count);
  if (depth > 0) return thrower(depth - 1, what, count) + 1;
  if (what % 3 == 0) throw what;
  if (what % 3 == 1) throw std::runtime_error(std::to_string(what));
  Big big = {what, {}};
  std::memset(big.more, (int)what, sizeof big.more);
  throw big;
}
KEPT long catcher(long depth, long what, long *count) {
  Counted counted(*count);
  try {
    return thrower(depth, what, count);
  } catch (long e) {
    return e;
  } catch (const std::runtime_error &e) {
    if (what % 2) throw;
    return std::stol(e.what());
  } catch (const Big &e) {
    return e.more[179] == (unsigned char)what ? e.what : -1;
  }
}
KEPT long guard(long depth, long what, long *count) {
  try {
    return catcher(depth, what, count);
  } catch (const std::exception &e) {
    return std::stol(e.what());
  }
}
static void exceptions(Work *w) {
  long depth = next(w, 24), what = next(w, 5000), count = 0;
  must("exception", guard(depth, what, &count), what);
  must("destructors", count, 4 * (depth + 2));
}

KEPT long jumper(Work *w, long n, long code) {
  if (n == 0) longjmp(w->place, (int)code);
  return jumper(w, n - 1, code) + one;
}
KEPT long landing(Work *w, long n, long code) {
  int landed = setjmp(w->place);
  if (landed == 0) return jumper(w, n, code);
  return leaf(landed, 1);
}
static void jumps(Work *w) {
  long n = next(w, 40), code = 1 + next(w, 100);
  must("long jump", landing(w, n, code), 3 * code + 1);
}

/* Goes elsewhere in the middle; comes back in any thread if a fiber does it. */
KEPT void away(Work *w) { go_away(w); }
KEPT long deep(Work *w, long n, long at) {
  if (n == at) away(w);
  if (n == 0) return leaf(1, 2);
  long r = deep(w, n - 1, at);
  return r + (n & 3) * one;
}
static void depths(Work *w, long most) {
  long n = next(w, most), expected = 5;
  for (long i = 1; i <= n; i++) expected += i & 3;
  must("recursion", deep(w, n, next(w, 2) ? (long)next(w, 30) : -1), expected);
}

KEPT long interrupting(long x) {
  long count = 0;
  return guard(x % 5, x, &count) + tail(x, leaf(x, 1));
}
static long interrupted(long x) { return x + 5 * (3 * x + 1) - x - 1; }
KEPT long raising(long x) {
  ULONG_PTR parameters[2] = {(ULONG_PTR)x, 0};
  parameters[1] = (ULONG_PTR)&parameters[0];
  RaiseException(TO_GO_ON, 0, 2, parameters);
  return (long)parameters[0];
}
static void goes_on(Work *w) {
  long x = next(w, 700);
  must("exception that goes on", raising(x), interrupted(x));
}

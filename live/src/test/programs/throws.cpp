// What exceptions of C++ do on their way through traced functions.
#include <cstdio>
#include <stdexcept>
#include <string>
#include "traced.h"

struct Noisy {
  const char *name;
  int number;
  Noisy(const char *n, int i) : name(n), number(i) {}
  ~Noisy() { std::printf("  ~%s %d\n", name, number); }
};

TRACED int thrower(int x) {
  Noisy n("thrower", x);
  if (x > 0) throw x;
  return x;
}
TRACED int through2(int x) {
  Noisy n("through2", x);
  return thrower(x) + 1;
}
TRACED int through1(int x) {
  Noisy n("through1", x);
  return through2(x) + 1;
}
TRACED int catcher(int x) {
  Noisy n("catcher", x);
  try {
    Noisy inner("inside try", x);
    return through1(x);
  } catch (int e) {
    Noisy inner("inside catch", e);
    std::printf("  caught %d\n", e);
    return -e;
  }
}
TRACED int rethrower(int x) {
  Noisy n("rethrower", x);
  try {
    return through1(x);
  } catch (int e) {
    std::printf("  again %d\n", e);
    throw;
  }
}
TRACED int changer(int x) {
  try {
    return rethrower(x);
  } catch (int e) {
    throw std::runtime_error("changed " + std::to_string(e));
  }
}
TRACED int nested(int x) {
  try {
    try {
      return through1(x);
    } catch (int e) {
      Noisy n("nested", e);
      try {
        through2(e + 100);
      } catch (int f) {
        std::printf("  inner %d\n", f);
      }
      changer(e + 1);
      return 0;
    }
  } catch (const std::exception &e) {
    std::printf("  outer %s\n", e.what());
    return 2;
  }
}
// Frames that catch and throw again, one inside of the other.
TRACED int ladder(int n) {
  Noisy noisy("ladder", n);
  if (n == 0) throw 1000;
  try {
    return ladder(n - 1);
  } catch (int e) {
    if (n % 3 == 0) throw e + n;
    throw;
  }
}
TRACED int plain(int x) { return x + 1; }

int main() {
  for (int i = 0; i < 3; i++) {
    std::printf("catcher %d: %d\n", i, catcher(i));
  }
  for (int i = 0; i < 3; i++) {
    std::printf("nested %d: %d\n", i, nested(i));
  }
  try {
    ladder(10);
  } catch (int e) {
    std::printf("ladder %d\n", e);
  }
  int sum = 0;
  for (int i = 0; i < 100; i++) sum += plain(i);
  std::printf("plain %d\n", sum);
  return 3;
}

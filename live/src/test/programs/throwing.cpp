/* A library that throws through its own functions. */
#include <windows.h>
#include "traced.h"

static volatile int depth;

TRACED int deeper(int n) {
  if (n == 0) throw 7;
  int deepest = deeper(n - 1);
  depth = n;
  return deepest + depth;
}

TRACED int caught(int n) {
  try {
    return deeper(n);
  } catch (int value) {
    return value;
  }
}

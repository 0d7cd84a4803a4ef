/* Structured exceptions of every kind through traced functions, as a library that says what came of
   each. Built by clang: GCC has no __try. */
#define EXCEPTION_EXECUTE_HANDLER 1
#define EXCEPTION_CONTINUE_SEARCH 0
#define EXCEPTION_CONTINUE_EXECUTION (-1)
typedef unsigned long DWORD;
__declspec(dllimport) void __stdcall RaiseException(DWORD, DWORD, DWORD, const __SIZE_TYPE__ *);
unsigned long _exception_code(void);
#include "traced.h"

static volatile int *volatile bad = (int *)0;
static volatile int zero = 0;

TRACED long access_violation(long x) {
  *bad = (int)x;
  return x;
}
TRACED long divide(long x) { return x / zero; }
TRACED long raise(long code, long x) {
  RaiseException(0xE0000000 + code + x, 0, 0, 0);
  return x;
}
TRACED int takes(unsigned long code, long *kept) {
  *kept = (long)(code & 0xFFFF);
  return EXCEPTION_EXECUTE_HANDLER;
}
TRACED long fails(long kind, long x, long *finally) {
  __try {
    switch (kind) {
      case 0: return access_violation(x);
      case 1: return divide(x);
      default: return raise(0x1000, x);
    }
  } __finally {
    ++*finally;
  }
}
TRACED long caught_here(long kind, long x) {
  long finally = 0, code = 0;
  __try {
    return fails(kind, x, &finally);
  } __except (takes(_exception_code(), &code)) {
    return finally == 1 ? code : -1;
  }
}
TRACED int repair(unsigned long code) {
  return code >= 0xE0003000 ? EXCEPTION_CONTINUE_EXECUTION : EXCEPTION_CONTINUE_SEARCH;
}
TRACED long goes_on(long x) {
  __try {
    return raise(0x3000, x) + 10;
  } __except (repair(_exception_code())) {
    return -1;
  }
}
/* Not by the one who looks at it first. */
TRACED long passes(long x) {
  long finally = 0, code = 0;
  __try {
    __try {
      return fails(2, x, &finally);
    } __except (repair(_exception_code())) {
      return -2;
    }
  } __except (takes(_exception_code(), &code)) {
    return finally == 1 ? code : -1;
  }
}
/* A filter that raises one of its own and handles it. */
TRACED int busy_filter(long x) {
  __try {
    raise(0x1000, x);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    return EXCEPTION_EXECUTE_HANDLER;
  }
  return EXCEPTION_CONTINUE_SEARCH;
}
TRACED long in_filter(long x) {
  __try {
    return access_violation(x);
  } __except (busy_filter(x)) {
    return 60;
  }
}
/* Unwinding is interrupted by another exception. */
TRACED long colliding(void) {
  __try {
    return raise(0x1000, 7);
  } __finally {
    raise(0x2000, 8);
  }
}
TRACED long collided(void) {
  long finally = 0, code = 0;
  __try {
    __try {
      colliding();
    } __finally {
      finally++;
    }
  } __except (takes(_exception_code(), &code)) {
    return finally == 1 ? code : -1;
  }
  return -3;
}
TRACED long levels(long n, long *sum) {
  if (n == 0) return raise(0x1000, 9);
  __try {
    return levels(n - 1, sum) + 1;
  } __finally {
    *sum += n;
  }
}
TRACED long many(long n) {
  long sum = 0;
  __try {
    levels(n, &sum);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    return sum;
  }
  return -4;
}

TRACED long seh_round(long kind, long x) {
  switch (kind) {
    case 0:
    case 1:
    case 2: return caught_here(kind, x);
    case 3: return goes_on(x);
    case 4: return passes(x);
    case 5: return in_filter(x);
    case 6: return collided();
    default: return many(x);
  }
}

/* Structured exceptions through traced functions. Built by clang: GCC has no __try. */
#define EXCEPTION_EXECUTE_HANDLER 1
#define EXCEPTION_CONTINUE_SEARCH 0
#define EXCEPTION_CONTINUE_EXECUTION (-1)
typedef unsigned long DWORD;
typedef __SIZE_TYPE__ word;
typedef struct {
  DWORD code, flags;
  void *next, *address;
  DWORD n;
  word info[15];
} RECORD;
typedef struct {
  RECORD *record;
  void *context;
} POINTERS;
__declspec(dllimport) void __stdcall RaiseException(DWORD, DWORD, DWORD, const word *);
int printf(const char *, ...);
unsigned long _exception_code(void);
void *_exception_info(void);
#include "traced.h"

static volatile int *volatile bad = (int *)0;
static volatile int zero = 0;
static int good;

TRACED int access_violation(int x) {
  *bad = x;
  return x;
}
TRACED int divide(int x) { return x / zero; }
TRACED int raise(int x) {
  RaiseException(0xE0001000 + x, 0, 0, 0);
  return x;
}
TRACED int raise_for_good(int x) {
  RaiseException(0xE0002000 + x, 1, 0, 0);
  return x;
}
TRACED int filter(int code, int wanted) {
  printf("  filter %x\n", code);
  return wanted;
}
TRACED int middle(int kind) {
  int r = 0;
  __try {
    switch (kind) {
      case 0: r = access_violation(1); break;
      case 1: r = divide(7); break;
      case 2: r = raise(3); break;
      default: r = raise_for_good(4); break;
    }
    r++;
  } __finally {
    printf("  finally %d\n", kind);
  }
  return r;
}
TRACED int outer(int kind) {
  __try {
    return middle(kind);
  } __except (filter(_exception_code(), EXCEPTION_EXECUTE_HANDLER)) {
    return -(int)(_exception_code() & 0xFFFF);
  }
}
TRACED int passing(int kind) {
  __try {
    return outer(kind) + middle(kind);
  } __except (filter(_exception_code(), EXCEPTION_CONTINUE_SEARCH)) {
    return -1;
  }
}
/* The exception is repaired where it was raised. */
TRACED int repair(POINTERS *p) {
  printf("  repair %lx\n", p->record->code);
  if (p->record->code == 0xE0001005) return EXCEPTION_CONTINUE_EXECUTION;
  return EXCEPTION_CONTINUE_SEARCH;
}
TRACED int continuing(void) {
  int r = 0;
  __try {
    r = raise(5) + 10;
  } __except (repair(_exception_info())) {
    r = -1;
  }
  return r;
}
/* A filter that raises one of its own and handles it. */
TRACED int busy_filter(void) {
  int r = 0;
  __try {
    raise(6);
  } __except (1) {
    r = 1;
  }
  printf("  busy filter %d\n", r);
  return EXCEPTION_EXECUTE_HANDLER;
}
TRACED int in_filter(void) {
  __try {
    return access_violation(2);
  } __except (busy_filter()) {
    return 60;
  }
}
/* Unwinding is interrupted by another exception. */
TRACED int colliding(void) {
  __try {
    return raise(7);
  } __finally {
    printf("  collide\n");
    raise(8);
  }
}
TRACED int collided(void) {
  __try {
    __try {
      colliding();
    } __finally {
      printf("  outer finally\n");
    }
  } __except (filter(_exception_code(), EXCEPTION_EXECUTE_HANDLER)) {
    return (int)(_exception_code() & 0xFFFF);
  }
  return 0;
}
TRACED int levels(int n) {
  if (n == 0) return raise(9);
  __try {
    good += levels(n - 1);
  } __finally {
    good += n;
  }
  return good;
}

int main(void) {
  for (int kind = 0; kind < 4; kind++) printf("outer %d %d\n", kind, outer(kind));
  __try {
    passing(2);
  } __except (filter(_exception_code(), EXCEPTION_EXECUTE_HANDLER)) {
    printf("passing\n");
  }
  printf("continuing %d\n", continuing());
  printf("in filter %d\n", in_filter());
  printf("collided %x\n", collided());
  for (int n = 3; n < 500; n *= 5) {
    __try {
      levels(n);
    } __except (filter(_exception_code(), EXCEPTION_EXECUTE_HANDLER)) {
      printf("levels %d %d\n", n, good);
    }
  }
  printf("outer %d\n", outer(2));
  return 9;
}

/* Threads that stand in filters of exceptions, and in what runs while a frame is left. */
#include "standing.h"

#define EXCEPTION_EXECUTE_HANDLER 1
#define EXCEPTION_CONTINUE_SEARCH 0

static int filter(int code) {
  stand("filter");
  return code == 0xE0000043 ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH;
}
static __attribute__((noinline)) int raise(int code) {
  RaiseException(code, 0, 0, 0);
  return sink;
}
static DWORD CALLBACK in_filter(void *x) {
  int sum = 1;
  __try {
    sum += raise(0xE0000043);
  } __except (filter(_exception_code())) {
    sum += 2;
  }
  return sum;
}
static __attribute__((noinline)) int ends(int code) {
  int sum = 0;
  __try {
    sum = raise(code);
  } __finally {
    stand("finally");
    sink++;
  }
  return sum;
}
static DWORD CALLBACK in_finally(void *x) {
  int sum = 4;
  __try {
    sum += ends(0xE0000044);
  } __except (1) {
    sum += 8;
  }
  return sum;
}
static __attribute__((noinline)) int writes(volatile int *to) { return *to = 1; }
static DWORD CALLBACK in_fault(void *x) {
  int sum = 16;
  __try {
    sum += writes(x);
  } __except (stand("fault"), 1) {
    sum += 32;
  }
  return sum;
}

int main(int argc, char **argv) {
  HANDLE threads[3];
  begin();
  threads[0] = CreateThread(0, 0, in_filter, 0, 0, 0);
  threads[1] = CreateThread(0, 0, in_finally, 0, 0, 0);
  threads[2] = CreateThread(0, 0, in_fault, (void *)8, 0, 0);
  return finish(threads, 3, argv[1]);
}

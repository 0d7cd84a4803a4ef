/* Who calls a function, as the system sees it from within: in each line the thread, the function,
   and the callers that lie in this program. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
#include "traced.h"

#define MARKS 4096
#define DEPTH 12
#define THREADS 6

extern IMAGE_DOS_HEADER __ImageBase;
typedef struct {
  const char *name;
  int n;
  void *frames[128];
} Mark;
typedef struct {
  Mark *marks;
  int count;
  DWORD thread;
} Log;
static DWORD slot;
static volatile int sink;

static int mine(void *address) {
  char *base = (char *)&__ImageBase;
  IMAGE_NT_HEADERS *headers = (IMAGE_NT_HEADERS *)(base + __ImageBase.e_lfanew);
  return (char *)address >= base
      && (char *)address < base + headers->OptionalHeader.SizeOfImage;
}

TRACED int mark(int x) {
  Log *log = TlsGetValue(slot);
  Mark *mark = &log->marks[log->count++];
  mark->name = "mark";
  mark->n = RtlCaptureStackBackTrace(0, 128, mark->frames, 0);
  return ++sink + x;
}
/* The same without exits: it looks at its own return address. */
TRACED int mark_entry(int x) {
  Log *log = TlsGetValue(slot);
  Mark *mark = &log->marks[log->count++];
  mark->name = "mark_entry";
  mark->n = RtlCaptureStackBackTrace(0, 128, mark->frames, 0);
  return ++sink + x + (__builtin_return_address(0) == (void *)1);
}
TRACED int tail(int x) { return mark(x + 1); }
TRACED int tail_entry(int x) { return mark_entry(x + 1); }
TRACED int outer(int x) { return tail(x) + mark(x) + mark_entry(x); }
static __attribute__((noipa)) int plain(int x) { return outer(x) + 1; }
TRACED int recurse(int n) { return n == 0 ? plain(n) + tail_entry(n) : recurse(n - 1) + mark(n); }
static __attribute__((noipa)) int untraced(int n) {
  volatile char large[700];
  large[n] = 1;
  return n == 0 ? mark(n) : untraced(n - 1) + large[n];
}
static int CALLBACK compare(const void *a, const void *b) {
  return outer(0) * 0 + *(const int *)a - *(const int *)b;
}
TRACED int sorts(int n) {
  int values[] = {5, 3, 9, 1};
  qsort(values, 4, sizeof *values, compare);
  return values[n];
}
static __attribute__((noipa)) int allocates(int x) {
  volatile char *bytes = __builtin_alloca(1000 + 16 * (x + 1));
  bytes[x] = 2;
  return mark(x) + bytes[x];
}
static __attribute__((noipa)) double floats(double a, double b, double c, double d, int x) {
  double e = a * b, f = c * d, g = a + d, h = b - c;
  return outer(x) + e + f * g - h + a * b * c * d;
}

static DWORD CALLBACK run(void *its) {
  Log *log = its;
  TlsSetValue(slot, log);
  log->thread = GetCurrentThreadId();
  for (int round = 0; round < 3; round++) {
    plain(1);
    Sleep(10);
    recurse(DEPTH);
    Sleep(10);
    untraced(9);
    sorts(1);
    Sleep(10);
    allocates(3);
    sink += (int)floats(1, 2, 3, 4, 1);
    Sleep(10);
  }
  return 0;
}

/* With an argument all threads run at once. */
int main(int argc, char **argv) {
  static Log logs[THREADS];
  HANDLE threads[THREADS];
  slot = TlsAlloc();
  for (int i = 0; i < THREADS; i++) {
    logs[i].marks = calloc(MARKS, sizeof(Mark));
    threads[i] = CreateThread(0, 0, run, &logs[i], 0, 0);
    if (argc < 2) WaitForSingleObject(threads[i], INFINITE);
  }
  WaitForMultipleObjects(THREADS, threads, TRUE, INFINITE);
  for (int i = 0; i < THREADS; i++) {
    for (int k = 0; k < logs[i].count; k++) {
      Mark *mark = &logs[i].marks[k];
      printf("%lu %s", logs[i].thread, mark->name);
      /* Behind the end of a stack there is one of 0, and then anything. */
      for (int f = 0; f < mark->n && mark->frames[f]; f++) {
        if (mine(mark->frames[f])) {
          printf(" %lx", (long)((char *)mark->frames[f] - (char *)&__ImageBase));
        }
      }
      printf("\n");
    }
  }
  return argc;
}

/* Functions that get pointers to memory of all kinds, some of which cannot be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include "traced.h"

TRACED int take(const void *what, const void *more, int length) {
  return (what != 0) + 2 * (more != 0) + length;
}
/* Whoever looks at its return address is traced without exits. */
TRACED int take_entry(const void *what, const void *more, int length) {
  return length + (__builtin_return_address(0) == 0);
}
TRACED int sixth(int a, int b, int c, int d, int e, const void *what) {
  return a + b + c + d + e + (what != 0);
}

static char *pages(DWORD second) {
  DWORD before;
  char *first = VirtualAlloc(0, 8192, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
  for (int i = 0; i < 8192; i++) first[i] = "0123456789abcdef"[i & 15];
  VirtualProtect(first + 4096, 4096, second, &before);
  return first;
}

static DWORD protection(void *page) {
  MEMORY_BASIC_INFORMATION info;
  VirtualQuery(page, &info, sizeof info);
  return info.Protect;
}

static volatile LONG faults;
static LONG CALLBACK seen(EXCEPTION_POINTERS *what) {
  InterlockedIncrement(&faults);
  return EXCEPTION_CONTINUE_SEARCH;
}

/* Takes memory away and gives it back, while others pass pointers to it. */
static volatile LONG done;
static char *moving;
static DWORD CALLBACK take_away(void *unused) {
  while (!done) {
    VirtualFree(moving, 4096, MEM_DECOMMIT);
    VirtualAlloc(moving, 4096, MEM_COMMIT, PAGE_READWRITE);
  }
  return 0;
}

int main(int count, char **words) {
  if (count > 1) {
    int calls = atoi(words[1]);
    moving = VirtualAlloc(0, 4096, MEM_RESERVE, PAGE_READWRITE);
    HANDLE thread = CreateThread(0, 0, take_away, 0, 0, 0);
    int sum = 0;
    for (int i = 0; i < calls; i++) sum += take(moving + (i & 4095), moving, i & 7);
    done = 1;
    WaitForSingleObject(thread, INFINITE);
    printf("sum %d\n", sum);
    return 0;
  }
  AddVectoredExceptionHandler(1, seen);
  char *closed = pages(PAGE_NOACCESS);
  char *guarded = pages(PAGE_READWRITE | PAGE_GUARD);
  char *executed = pages(PAGE_EXECUTE_READ);
  char *open = pages(PAGE_READONLY);
  char *gone = pages(PAGE_READWRITE);
  VirtualFree(gone + 4096, 4096, MEM_DECOMMIT);
  SetLastError(77);
  int sum = take("a text", "another one, which is longer than sixteen bytes", 1);
  sum += take(closed + 4090, closed + 4100, 2);
  sum += take(guarded + 4093, guarded + 4100, 3);
  sum += take(executed + 4095, open + 4090, 4);
  sum += take(gone + 4089, gone + 4100, 5);
  sum += take(0, (void *)0x7FFFFFFF0000, 6);
  sum += take((void *)0x1234567890ABCDEF, (void *)-1, 7);
  sum += take("", &sum, 8);
  sum += take_entry("only the entry", closed + 4092, 9);
  sum += sixth(1, 2, 3, 4, 5, "on the stack");
  printf("%d error %lu guard %lx faults %ld\n", sum, GetLastError(), protection(guarded + 4096),
         faults);
  return sum;
}

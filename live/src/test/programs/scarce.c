/*
 * Takes all there is of something that tracing needs, says "ready", waits for a file in traced calls, and
 * ends with 42.
 *
 *   scarce nothing|slots|near|space FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>
#include "traced.h"

TRACED int waiting(const char *file) {
  return GetFileAttributesA(file) == INVALID_FILE_ATTRIBUTES;
}

/* All TLS slots that lie in the thread block. */
static void slots(void) {
  DWORD slot = 0;
  while (slot < 64) {
    slot = TlsAlloc();
  }
  TlsFree(slot);
}

/* All addresses from which the program can be reached with 32 bits. */
static void near_memory(void) {
  uintptr_t module = (uintptr_t)GetModuleHandleA(0);
  uintptr_t at = module > 0x80000000 ? module - 0x80000000 : 0x10000;
  MEMORY_BASIC_INFORMATION info;
  while (at < module + 0x90000000ull && VirtualQuery((void *)at, &info, sizeof info)) {
    uintptr_t end = (uintptr_t)info.BaseAddress + info.RegionSize;
    if (info.State == MEM_FREE) {
      at = (at + 0xFFFF) & ~(uintptr_t)0xFFFF;
      uintptr_t stop = end < module + 0x90000000ull ? end : module + 0x90000000ull;
      if (at < stop) {
        VirtualAlloc((void *)at, stop - at, MEM_RESERVE, PAGE_NOACCESS);
      }
    }
    at = end;
  }
}

/* All pieces of address space of 16 MiB or more. */
static void space(void) {
  for (size_t size = (size_t)1 << 46; size >= 16 << 20; size /= 2) {
    while (VirtualAlloc(0, size, MEM_RESERVE, PAGE_NOACCESS)) {}
  }
}

int main(int argc, char **argv) {
  const char *what = argc == 3 ? argv[1] : "";
  if (!strcmp(what, "slots")) slots();
  if (!strcmp(what, "near")) near_memory();
  if (!strcmp(what, "space")) space();
  puts("ready");
  fflush(stdout);
  while (waiting(argv[2])) Sleep(10);
  printf("%s, next slot %d\n", what, (int)TlsAlloc());
  return 42;
}

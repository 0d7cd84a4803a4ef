/* Patches its own functions before its first instruction, as an anti-virus does. */
#include <windows.h>

#ifdef _WIN64
#define IN_REGISTER
#else
/* The code has the same bytes, but for registers. */
#define IN_REGISTER __attribute__((regparm(1)))
#endif
IN_REGISTER int kept(int);
IN_REGISTER int jumped(int);
IN_REGISTER int changed(int);
IN_REGISTER int roomTaken(int);
IN_REGISTER int changedLater(int);

IN_REGISTER static int replacement(int number) { return number + 5000; }

static void write(volatile char *to, const char *bytes, int count) {
  DWORD old;
  VirtualProtect((char *)to, count, PAGE_EXECUTE_READWRITE, &old);
  for (int i = 0; i < count; i++) to[i] = bytes[i];
  VirtualProtect((char *)to, count, old, &old);
}

static void NTAPI patch(void *module, DWORD reason, void *reserved) {
  if (reason != DLL_PROCESS_ATTACH) return;
  char jump[5] = {(char)0xE9};
  int distance = (int)((char *)replacement - ((char *)jumped + 5));
  for (int i = 0; i < 4; i++) jump[1 + i] = (char)(distance >> 8 * i);
  write((char *)jumped, jump, 5);
  write((char *)changed + 2, "\x02", 1);      /* adds 2, not 1 */
  write((char *)roomTaken - 5, "\x90", 1);    /* a nop where an int3 was */
  write((char *)changedLater + 8, "\x65", 1); /* adds 101, not 100 */
}
__attribute__((section(".CRT$XLB"), used)) static PIMAGE_TLS_CALLBACK callback = patch;

int main(void) {
  int right = kept(1) == 112 && jumped(1) == 5001 && changed(1) == 113 && roomTaken(1) == 112;
  return right && changedLater(1) == 113 ? 55 : 1;
}

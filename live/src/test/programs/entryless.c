/*
 * A program that does all its work before its first instruction, and needs none: a test makes a
 * copy that has none.
 */
#include <windows.h>

static void NTAPI works(PVOID module, DWORD reason, PVOID reserved) {
  DWORD written;
  (void)module;
  (void)reserved;
  if (reason == DLL_PROCESS_ATTACH) {
    WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), "early\n", 6, &written, NULL);
    ExitProcess(43);
  }
}

__attribute__((section(".CRT$XLB"), used)) PIMAGE_TLS_CALLBACK first_callback = works;

int main(void) { return 44; }

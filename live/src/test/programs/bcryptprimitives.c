/*
 * Stand-in for a library of Windows that Wine 8 does not have, and that programs in Rust and Go get
 * random numbers from. It counts its calls, and writes the number to the file that the variable
 * PRNG_CALLS names when the program ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(void *buffer, ULONG length);

static volatile LONG calls;

__declspec(dllexport) BOOL WINAPI ProcessPrng(unsigned char *buffer, SIZE_T length) {
  InterlockedIncrement(&calls);
  return SystemFunction036(buffer, (ULONG)length);
}

BOOL WINAPI DllMain(HINSTANCE library, DWORD reason, void *reserved) {
  char name[MAX_PATH];
  (void)library;
  (void)reserved;
  if (reason == DLL_PROCESS_DETACH && GetEnvironmentVariableA("PRNG_CALLS", name, sizeof name) > 0) {
    HANDLE file = CreateFileA(name, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    char text[16];
    DWORD written;
    WriteFile(file, text, (DWORD)sprintf(text, "%ld", calls), &written, NULL);
    CloseHandle(file);
  }
  return TRUE;
}

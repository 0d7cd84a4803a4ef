/* A library whose entry point calls its own functions: 3 times when it comes, once when it goes.
   With NESTED in the environment it loads that one, too. */
#include <windows.h>
#include "traced.h"

static volatile long sum;

TRACED long stepped(long n) {
  sum += n;
  return 2 * n + 1;
}

TRACED long doubled(long n) { return stepped(n) + stepped(n); }

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, void *reserved) {
  char path[MAX_PATH];
  if (reason == DLL_PROCESS_ATTACH) {
    for (int i = 0; i < 3; i++) stepped(i);
    DWORD length = GetEnvironmentVariableA("NESTED", path, sizeof path);
    if (length > 0 && length < sizeof path) {
      SetEnvironmentVariableA("NESTED", NULL);
      if (LoadLibraryA(path) == NULL) return FALSE;
    }
  } else if (reason == DLL_PROCESS_DETACH && reserved == NULL) {
    stepped(9);
  }
  return TRUE;
}

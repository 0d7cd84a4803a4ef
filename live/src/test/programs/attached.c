/*
 * Linked to a program that is to be attached to: before it begins, it makes the file that the variable
 * NTRAIL_ATTACH names, with .ready behind, and waits until the file itself is there. Without the variable
 * nothing is different.
 */
#include <string.h>
#include <windows.h>

__attribute__((constructor)) static void attached(void) {
  char go[1000];
  char ready[1010];
  DWORD length = GetEnvironmentVariableA("NTRAIL_ATTACH", go, sizeof go);
  if (length > 0 && length < sizeof go) {
    strcpy(ready, go);
    strcat(ready, ".ready");
    CloseHandle(CreateFileA(ready, GENERIC_WRITE, 0, 0, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, 0));
    while (GetFileAttributesA(go) == INVALID_FILE_ATTRIBUTES) {
      Sleep(1);
    }
  }
}

/*
 * Linked to a program that is to be attached to: before it begins, it makes the file that the variable
 * NTRAIL_ATTACH names, with .ready behind, and waits until the file itself is there. Without the variable
 * nothing is different. No header: clang has none of the system's.
 */
#ifdef __cplusplus
#define IMPORTED extern "C" __declspec(dllimport)
#else
#define IMPORTED __declspec(dllimport)
#endif
IMPORTED unsigned long __stdcall GetEnvironmentVariableA(const char *, char *, unsigned long);
IMPORTED unsigned long __stdcall GetFileAttributesA(const char *);
IMPORTED void *__stdcall CreateFileA(
    const char *, unsigned long, unsigned long, void *, unsigned long, unsigned long, void *);
IMPORTED int __stdcall CloseHandle(void *);
IMPORTED void __stdcall Sleep(unsigned long);
enum { WRITE = 0x40000000, NEW = 1, NORMAL = 0x80 };

__attribute__((constructor)) static void attached(void) {
  char go[1000];
  char ready[1010];
  unsigned long length = GetEnvironmentVariableA("NTRAIL_ATTACH", go, sizeof go);
  if (length > 0 && length < sizeof go) {
    for (unsigned long i = 0; i < length; i++) ready[i] = go[i];
    for (int i = 0; i < 7; i++) ready[length + i] = ".ready"[i];
    CloseHandle(CreateFileA(ready, WRITE, 0, 0, NEW, NORMAL, 0));
    while (GetFileAttributesA(go) == 0xFFFFFFFF) {
      Sleep(1);
    }
  }
}

/* Threads that print the frames of their stacks, as the system walks them, and stay there until a
   file appears. Each line: thread id, kind, return addresses, innermost first; the first one is in
   the function that stands. */
#ifdef _MSC_VER
/* Clang finds no headers for this target here. */
typedef unsigned long DWORD;
typedef long LONG;
typedef void *HANDLE;
typedef __SIZE_TYPE__ word;
typedef struct { word words[6]; } CRITICAL_SECTION;
#define CALLBACK __stdcall
#define INFINITE 0xFFFFFFFF
#define INVALID_FILE_ATTRIBUTES 0xFFFFFFFF
#define SYSTEM __declspec(dllimport)
SYSTEM unsigned short CALLBACK RtlCaptureStackBackTrace(DWORD, DWORD, void **, DWORD *);
SYSTEM DWORD CALLBACK GetCurrentThreadId(void);
SYSTEM DWORD CALLBACK GetCurrentProcessId(void);
SYSTEM DWORD CALLBACK GetFileAttributesA(const char *);
SYSTEM DWORD CALLBACK WaitForSingleObject(HANDLE, DWORD);
SYSTEM HANDLE CALLBACK CreateEventA(void *, int, int, const char *);
SYSTEM HANDLE CALLBACK CreateThread(void *, word, DWORD(CALLBACK *)(void *), void *, DWORD, DWORD *);
SYSTEM int CALLBACK SetEvent(HANDLE);
SYSTEM int CALLBACK GetExitCodeThread(HANDLE, DWORD *);
SYSTEM void CALLBACK EnterCriticalSection(CRITICAL_SECTION *);
SYSTEM void CALLBACK LeaveCriticalSection(CRITICAL_SECTION *);
SYSTEM void CALLBACK InitializeCriticalSection(CRITICAL_SECTION *);
SYSTEM void CALLBACK Sleep(DWORD);
SYSTEM void CALLBACK RaiseException(DWORD, DWORD, DWORD, const word *);
unsigned long _exception_code(void);
int puts(const char *), printf(const char *, ...), sprintf(char *, const char *, ...);
int fflush(void *), strncmp(const char *, const char *, word);
#define InterlockedIncrement(x) __sync_add_and_fetch(x, 1)
#define TRUE 1
#define FALSE 0
#else
#include <stdio.h>
#include <string.h>
#include <windows.h>
#endif

static HANDLE go;
static volatile LONG standing, stopped, sink;
static CRITICAL_SECTION printing;

static __attribute__((noinline)) void stand(const char *kind) {
  void *frames[128];
  char line[3000];
  int n = RtlCaptureStackBackTrace(0, 128, frames, 0);
  int length = sprintf(line, "%lu %s", GetCurrentThreadId(), kind);
  for (int i = 0; i < n; i++) {
    length += sprintf(line + length, " %llx", (unsigned long long)(__SIZE_TYPE__)frames[i]);
  }
  EnterCriticalSection(&printing);
  puts(line);
  fflush(0);
  LeaveCriticalSection(&printing);
  InterlockedIncrement(&standing);
  if (strncmp(kind, "spin", 4) == 0) {
    while (!stopped) sink++;
  } else {
    WaitForSingleObject(go, INFINITE);
  }
  sink++;
}

static void begin(void) {
  go = CreateEventA(0, TRUE, FALSE, 0);
  InitializeCriticalSection(&printing);
}

/* Waits until all threads stand, for the file, and for the threads. */
static int finish(HANDLE *threads, int n, const char *file) {
  DWORD sum = 0;
  while (standing < n) Sleep(1);
  printf("ready %lu\n", GetCurrentProcessId());
  fflush(0);
  while (GetFileAttributesA(file) == INVALID_FILE_ATTRIBUTES) Sleep(5);
  stopped = 1;
  SetEvent(go);
  for (int i = 0; i < n; i++) {
    DWORD code;
    WaitForSingleObject(threads[i], INFINITE);
    GetExitCodeThread(threads[i], &code);
    sum += code;
  }
  printf("sum %lu\n", sum);
  return sum & 0x7F;
}

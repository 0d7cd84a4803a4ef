// Threads that throw all the time while others load and unload libraries. What is thrown is as big
// as what the loader keeps of a library, and would be taken for a bad address by who reads it there.
#include <cstdio>
#include <cstring>
#include <windows.h>
#include "traced.h"

static const int THROWERS = 8, LOADERS = 4, TIMES = 2000;

template <int SIZE> struct Thrown {
  long what;
  unsigned char more[SIZE];
  explicit Thrown(long value) : what(value) { std::memset(more, 0xEE, SIZE); }
};
TRACED long thrower(long depth, long what) {
  if (depth == 0) {
    switch (what % 4) {
      case 0: throw Thrown<120>(what);
      case 1: throw Thrown<160>(what);
      case 2: throw Thrown<200>(what);
      default: throw Thrown<240>(what);
    }
  }
  long result = thrower(depth - 1, what + 1);
  asm volatile("");  // or it becomes a loop
  return result + 1;
}
static long once(long i) {
  try {
    return thrower(i % 5, i);
  } catch (const Thrown<120> &caught) {
    return caught.what;
  } catch (const Thrown<160> &caught) {
    return caught.what;
  } catch (const Thrown<200> &caught) {
    return caught.what;
  } catch (const Thrown<240> &caught) {
    return caught.what;
  }
}
static DWORD CALLBACK throws(void *argument) {
  long sum = 0;
  for (long i = 0; i < TIMES; i++) sum += once(i);
  return sum + (DWORD)(intptr_t)argument;
}
static DWORD CALLBACK loads(void *argument) {
  static const char *const names[] = {"version.dll", "psapi.dll", "imagehlp.dll", "shlwapi.dll"};
  DWORD sum = 0;
  for (int i = 0; i < 300; i++) {
    HMODULE library = LoadLibraryA(names[(i + (int)(intptr_t)argument) % 4]);
    if (library) {
      sum++;
      FreeLibrary(library);
    }
  }
  return sum;
}

int main() {
  HANDLE threads[THROWERS + LOADERS];
  for (int i = 0; i < THROWERS + LOADERS; i++) {
    threads[i] = CreateThread(0, 0, i < THROWERS ? throws : loads, (void *)(intptr_t)i, 0, 0);
  }
  WaitForMultipleObjects(THROWERS + LOADERS, threads, TRUE, INFINITE);
  for (HANDLE thread : threads) {
    DWORD code;
    GetExitCodeThread(thread, &code);
    std::printf("%lu\n", code);
  }
  return 12;
}

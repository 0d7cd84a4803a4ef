// Threads that stand in destructors of frames that an exception leaves, and where it was caught.
#include "standing.h"

struct Stands {
  const char *kind;
  __attribute__((noinline)) ~Stands() { stand(kind); }
};
static __attribute__((noinline)) int throws(int x) {
  if (x >= 0) throw x;
  return (int)sink;
}
static __attribute__((noinline)) int left(int x) {
  Stands stands{"destructor"};
  return throws(x) + 1;
}
static DWORD CALLBACK leaves(void *) {
  try {
    return left(5);
  } catch (int caught) {
    return caught + 1;
  }
}
static DWORD CALLBACK catches(void *) {
  try {
    return throws(7);
  } catch (int caught) {
    stand("catch");
    return caught + 2;
  }
}
static DWORD CALLBACK returns(void *) {
  Stands stands{"return"};
  return 11;
}

int main(int, char **argv) {
  HANDLE threads[3];
  begin();
  threads[0] = CreateThread(0, 0, leaves, 0, 0, 0);
  threads[1] = CreateThread(0, 0, catches, 0, 0, 0);
  threads[2] = CreateThread(0, 0, returns, 0, 0, 0);
  return finish(threads, 3, argv[1]);
}

/* Two threads call all functions of straddle.S all the time, with an argument until they are told. */
#include <stdio.h>
#include <windows.h>

int at8(int), at31(int), at61(int), at62(int), at63(int);
static volatile LONG wrong;
__declspec(dllexport) volatile LONG rounds, stop;

static DWORD CALLBACK thread(void *untilStopped) {
  for (int i = 0; untilStopped ? !stop : i < 2000; i++) {
    if (at8(i) != i + 8 || at31(i) != i + 31 || at61(i) != i + 61) wrong++;
    if (at62(i) != i + 62 || at63(i) != i + 63) wrong++;
    InterlockedIncrement(&rounds);
    /* So slowly that whoever reads records keeps up. */
    for (int k = 0; untilStopped && k < 300; k++) YieldProcessor();
  }
  return 0;
}
int main(int count, char **words) {
  HANDLE threads[2];
  for (int i = 0; i < 2; i++) threads[i] = CreateThread(0, 0, thread, count > 1 ? words : 0, 0, 0);
  WaitForMultipleObjects(2, threads, TRUE, INFINITE);
  printf("wrong %ld\n", wrong);
  return 0;
}

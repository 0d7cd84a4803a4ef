/* Creates and deletes regions until FILE is there: under Wine nearly all of its time passes in the
   system's allocator. A second thread does the same. Ends with 0 if all was as it should be. */
#include <stdio.h>
#include <windows.h>

static volatile LONG stop, wrong;

static DWORD WINAPI work(void *parameter) {
  (void)parameter;
  for (int i = 1; !stop; i++) {
    HRGN one = CreateEllipticRgn(0, 0, i % 100 + 100, 100);
    RECT box;
    if (GetRgnBox(one, &box) != COMPLEXREGION) InterlockedIncrement(&wrong);
    DeleteObject(one);
  }
  return 0;
}

int main(int argc, char **argv) {
  HANDLE second = argc > 2 ? CreateThread(NULL, 0, work, NULL, 0, NULL) : NULL;
  puts("working");
  fflush(stdout);
  while (GetFileAttributesA(argv[1]) == INVALID_FILE_ATTRIBUTES) {
    for (int i = 1; i < 2000; i++) {
      HRGN one = CreateEllipticRgn(0, 0, i % 100 + 100, 100);
      RECT box;
      if (GetRgnBox(one, &box) != COMPLEXREGION) wrong++;
      DeleteObject(one);
    }
  }
  stop = 1;
  if (second != NULL) WaitForSingleObject(second, INFINITE);
  printf("wrong %ld\n", wrong);
  return wrong != 0;
}

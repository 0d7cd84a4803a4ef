// Waits until a file is there, two minutes at most.
#include <windows.h>

int main(int count, char **words) {
  for (int tries = 0; count == 2 && tries < 12000; tries++) {
    if (GetFileAttributesA(words[1]) != INVALID_FILE_ATTRIBUTES) {
      return 0;
    }
    Sleep(10);
  }
  return 1;
}

/* Waits for a window with a title, and closes it. Ends with 0 if there was one. */
#include <windows.h>

int main(int argc, char **argv) {
  for (int i = 0; argc > 1 && i < 3000; i++) {
    HWND window = FindWindowA(NULL, argv[1]);
    if (window && IsWindowVisible(window)) {
      PostMessageA(window, WM_CLOSE, 0, 0);
      return 0;
    }
    Sleep(20);
  }
  return 2;
}

/* Writes into the editor of a window of class CLASS and reads it back until FILE is there; then the
   window gets the message to close. Ends with 0 if all was as it should be. */
#include <stdio.h>
#include <string.h>
#include <windows.h>

int main(int argc, char **argv) {
  HWND window = NULL, editor = NULL;
  char text[64], back[64];
  long rounds = 0, wrong = 0;
  for (int i = 0; i < 3000 && editor == NULL; i++) {
    window = FindWindowA(argv[1], NULL);
    editor = window ? FindWindowExA(window, NULL, "Edit", NULL) : NULL;
    if (editor == NULL) Sleep(20);
  }
  if (editor == NULL) return 2;
  puts("typing");
  fflush(stdout);
  while (GetFileAttributesA(argv[2]) == INVALID_FILE_ATTRIBUTES) {
    snprintf(text, sizeof text, "line %ld", ++rounds);
    SendMessageA(editor, WM_SETTEXT, 0, (LPARAM)text);
    SendMessageA(editor, WM_GETTEXT, sizeof back, (LPARAM)back);
    wrong += strcmp(text, back) != 0;
    InvalidateRect(window, NULL, TRUE);
  }
  SendMessageA(editor, EM_SETMODIFY, FALSE, 0);
  PostMessageA(window, WM_CLOSE, 0, 0);
  printf("rounds %ld wrong %ld\n", rounds, wrong);
  return wrong != 0 || rounds == 0;
}

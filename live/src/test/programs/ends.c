/* Waits for a process by its file's name, and after so many milliseconds ends it with an exit code, as
   a task manager does. Says "there" when it begins to look, and gives up after two minutes.
     ends NAME MILLISECONDS CODE */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
#include <tlhelp32.h>

static HANDLE find(const char *name) {
  PROCESSENTRY32 entry = {sizeof entry};
  HANDLE process = 0;
  HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  for (BOOL more = Process32First(all, &entry); more && !process; more = Process32Next(all, &entry)) {
    if (!lstrcmpiA(entry.szExeFile, name)) {
      process = OpenProcess(PROCESS_TERMINATE, FALSE, entry.th32ProcessID);
    }
  }
  CloseHandle(all);
  return process;
}

int main(int argc, char **argv) {
  HANDLE process = 0;
  if (argc < 4) return 2;
  printf("there\n");
  fflush(stdout);
  for (int i = 0; i < 60000 && !process; i++) {
    process = find(argv[1]);
    if (!process) Sleep(2);
  }
  Sleep(atoi(argv[2]));
  return TerminateProcess(process, strtoul(argv[3], 0, 16)) ? 0 : 1;
}

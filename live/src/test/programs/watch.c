/* Waits for a process by its file's name, then for its end, and tells its exit code. Gives up after
   two minutes. */
#include <stdio.h>
#include <windows.h>
#include <tlhelp32.h>

static DWORD find(const char *name) {
  PROCESSENTRY32 entry = {sizeof entry};
  DWORD id = 0;
  HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  for (BOOL more = Process32First(all, &entry); more && !id; more = Process32Next(all, &entry)) {
    if (!lstrcmpiA(entry.szExeFile, name)) id = entry.th32ProcessID;
  }
  CloseHandle(all);
  return id;
}

int main(int argc, char **argv) {
  HANDLE process = 0;
  DWORD code = 0;
  for (int i = 0; i < 12000 && !process; i++) {
    DWORD id = find(argv[1]);
    if (id) process = OpenProcess(SYNCHRONIZE | PROCESS_QUERY_INFORMATION, FALSE, id);
    if (!process) Sleep(10);
  }
  printf(process ? "watching\n" : "not found\n");
  fflush(stdout);
  if (WaitForSingleObject(process, 120000) == WAIT_OBJECT_0 && GetExitCodeProcess(process, &code)) {
    printf("ended %lu\n", code);
  }
  return 0;
}

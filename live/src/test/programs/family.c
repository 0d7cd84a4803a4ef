/*
 * A program that starts itself: what it says, and how it ends, does not depend on who watches.
 *
 *   family leaf CALLS CODE     calls stepped so often, and ends with the code
 *   family chain DEPTH         starts a chain of that many, each waits for the next
 *   family many COUNT          starts leaves one after the other, and counts its own handles
 *   family crowd COUNT         starts leaves with several threads at once
 *   family suspended TIMES     creates a leaf suspended that many times, looks at it, and lets it go
 *   family killed              ends a child that would run for ever
 *   family unborn              ends a child that was never let go
 *   family orphan FILE         ends before its child does, which waits for the file
 *   family waits FILE          a child that waits for the file, and so does this program
 *   family waiting FILE        waits for the file
 *   family after FILE          waits for the file, then starts a chain of two
 *   family later FILE OTHER    waits for the file, then starts a child that waits for the other one
 *   family runs PROGRAM WORDS  starts another program
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static volatile int steps;

__declspec(dllexport) __attribute__((noinline)) int begins(int number) {
  steps += number;
  return steps;
}

__declspec(dllexport) __attribute__((noinline)) int stepped(int number) {
  steps ^= number * 2654435761u;
  return steps;
}

static char self[MAX_PATH];

static PROCESS_INFORMATION start(const char *words, DWORD flags) {
  char line[2 * MAX_PATH];
  STARTUPINFOA startup = {sizeof startup};
  PROCESS_INFORMATION made = {0};
  snprintf(line, sizeof line, "\"%s\" %s", self, words);
  fflush(stdout);
  if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, flags, NULL, NULL, &startup, &made)) {
    printf("not started: %lu\n", GetLastError());
    exit(90);
  }
  return made;
}

static DWORD ended(PROCESS_INFORMATION process) {
  DWORD code = 0;
  WaitForSingleObject(process.hProcess, INFINITE);
  GetExitCodeProcess(process.hProcess, &code);
  CloseHandle(process.hProcess);
  CloseHandle(process.hThread);
  return code;
}

static void await(const char *file) {
  while (GetFileAttributesA(file) == INVALID_FILE_ATTRIBUTES) {
    stepped(1);
    Sleep(5);
  }
}

static int many(int count) {
  DWORD handles = 0;
  DWORD before = 0;
  int sum = 0;
  for (int i = 0; i < count; i++) {
    char words[64];
    snprintf(words, sizeof words, "leaf 3 %d", i % 100);
    sum += ended(start(words, 0));
    GetProcessHandleCount(GetCurrentProcess(), &handles);
    if (i == 0) {
      before = handles;
    }
  }
  printf("many %d, sum %d, handles %+d\n", count, sum, (int)(handles - before));
  return 7;
}

static DWORD WINAPI one(void *sum) {
  InterlockedExchangeAdd(sum, ended(start("leaf 3 1", 0)));
  return 0;
}

static int crowd(int count) {
  HANDLE threads[MAXIMUM_WAIT_OBJECTS];
  LONG sum = 0;
  for (int i = 0; i < count; i++) {
    threads[i] = CreateThread(NULL, 0, one, &sum, 0, NULL);
  }
  WaitForMultipleObjects(count, threads, TRUE, INFINITE);
  printf("crowd %d, sum %ld\n", count, sum);
  return 8;
}

static int suspended(int times) {
  PROCESS_INFORMATION made = start("leaf 5 33", CREATE_SUSPENDED);
  for (int i = 1; i < times; i++) {
    SuspendThread(made.hThread);
  }
  printf("not yet: %lu\n", WaitForSingleObject(made.hProcess, 50));
  DWORD before[8];
  int resumes = 0;
  do {
    before[resumes] = ResumeThread(made.hThread);
  } while (before[resumes++] > 1 && resumes < 8);
  // From here on both print: this one waits until the child has said all it has to say.
  DWORD code = ended(made);
  for (int i = 0; i < resumes; i++) {
    printf("suspended %lu\n", before[i]);
  }
  printf("ended with %lu\n", code);
  return 9;
}

static int killed(void) {
  char name[40];
  snprintf(name, sizeof name, "family %lu", GetCurrentProcessId());
  HANDLE ready = CreateEventA(NULL, TRUE, FALSE, name);
  SetEnvironmentVariableA("FAMILY_READY", name);
  PROCESS_INFORMATION made = start("waiting nobody-makes-this-file", 0);
  WaitForSingleObject(ready, INFINITE);
  TerminateProcess(made.hProcess, 77);
  printf("killed: %lu\n", ended(made));
  return 10;
}

static int unborn(void) {
  PROCESS_INFORMATION made = start("leaf 5 33", CREATE_SUSPENDED);
  Sleep(600);
  TerminateProcess(made.hProcess, 78);
  printf("unborn: %lu\n", ended(made));
  return 11;
}

int main(int count, char **words) {
  GetModuleFileNameA(NULL, self, sizeof self);
  begins(count);
  const char *what = count > 1 ? words[1] : "";
  const char *more = count > 2 ? words[2] : "";
  int number = atoi(more);
  if (strcmp(what, "leaf") == 0) {
    for (int i = 0; i < number; i++) {
      stepped(i);
    }
    printf("leaf %d\n", number);
    return atoi(words[3]);
  }
  if (strcmp(what, "chain") == 0) {
    if (number == 0) {
      stepped(0);
      printf("last\n");
      return 20;
    }
    char words[64];
    snprintf(words, sizeof words, "chain %d", number - 1);
    DWORD code = ended(start(words, 0));
    printf("chain %d: %lu\n", number, code);
    return code + 1;
  }
  if (strcmp(what, "many") == 0) {
    return many(number);
  }
  if (strcmp(what, "crowd") == 0) {
    return crowd(number);
  }
  if (strcmp(what, "suspended") == 0) {
    return suspended(number);
  }
  if (strcmp(what, "killed") == 0) {
    return killed();
  }
  if (strcmp(what, "unborn") == 0) {
    return unborn();
  }
  char line[2 * MAX_PATH];
  snprintf(line, sizeof line, "waiting \"%s\"", more);
  if (strcmp(what, "orphan") == 0) {
    start(line, 0);
    printf("not waiting\n");
    return 12;
  }
  if (strcmp(what, "waits") == 0) {
    PROCESS_INFORMATION made = start(line, 0);
    await(more);
    printf("waited: %lu\n", ended(made));
    return 13;
  }
  if (strcmp(what, "waiting") == 0) {
    printf("ready\n");
    fflush(stdout);
    char name[40];
    if (GetEnvironmentVariableA("FAMILY_READY", name, sizeof name) > 0) {
      for (int i = 0; i < 5; i++) {
        stepped(i);
      }
      SetEvent(OpenEventA(EVENT_MODIFY_STATE, FALSE, name));
    }
    await(more);
    printf("there\n");
    return 14;
  }
  if (strcmp(what, "after") == 0) {
    await(more);
    printf("after: %lu\n", ended(start("chain 1", 0)));
    return 16;
  }
  if (strcmp(what, "later") == 0) {
    await(more);
    snprintf(line, sizeof line, "waiting \"%s\"", words[3]);
    printf("later: %lu\n", ended(start(line, 0)));
    return 17;
  }
  if (strcmp(what, "runs") == 0) {
    strncpy(self, more, sizeof self - 1);
    printf("it ended with %lu\n", ended(start(count > 3 ? words[3] : "", 0)));
    return 15;
  }
  return 99;
}

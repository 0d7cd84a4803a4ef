/*
 * Plays the functions of advapi32 that control sessions. Arguments are checked against the
 * declarations of the compiler's own headers; what is wrong is written to NTRAIL_STANDIN.why, and
 * the call answers 87. Sessions are kept in the file NTRAIL_STANDIN, as they outlive processes.
 * A line "FUNCTION CODE" in NTRAIL_STANDIN.fail has a function fail.
 *
 * What Windows would write is asked for, if there is a file NTRAIL_STANDIN.listens: a line of what
 * is to be written (stop, flush), LogFileMode and path goes to NTRAIL_STANDIN.ask, and the call
 * answers with the Win32 error in NTRAIL_STANDIN.answer, which whoever listens makes when the file
 * is written.
 */
#define StartTraceW Header_StartTraceW
#define ControlTraceW Header_ControlTraceW
#define QueryAllTracesW Header_QueryAllTracesW
#define EnableTraceEx2 Header_EnableTraceEx2
#define TraceSetInformation Header_TraceSetInformation
#define OpenProcessToken Header_OpenProcessToken
#define LookupPrivilegeValueW Header_LookupPrivilegeValueW
#define AdjustTokenPrivileges Header_AdjustTokenPrivileges
#define _WIN32_WINNT 0x0A00
#include <windows.h>
#include <evntrace.h>
#include <evntprov.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#undef StartTraceW
#undef ControlTraceW
#undef QueryAllTracesW
#undef EnableTraceEx2
#undef TraceSetInformation
#undef OpenProcessToken
#undef LookupPrivilegeValueW
#undef AdjustTokenPrivileges

#define EXPORT __declspec(dllexport)
#define HANDLES 0x700000000ULL
#define MOST 8

typedef struct {
  int used;
  WCHAR name[1024];
  WCHAR file[1024];
  EVENT_TRACE_PROPERTIES properties;
  ULONG mask[8];
  ULONG stacks;
  ULONG providers;
} Session;

static Session sessions[MOST];
static int privileged;
static HANDLE opened;

static FILE *beside(const char *suffix, const char *mode) {
  char path[1024];
  snprintf(path, sizeof path, "%s%s", getenv("NTRAIL_STANDIN"), suffix);
  return fopen(path, mode);
}

static void load(void) {
  FILE *file = beside("", "rb");
  memset(sessions, 0, sizeof sessions);
  if (file) {
    fread(sessions, sizeof sessions, 1, file);
    fclose(file);
  }
}

static void save(void) {
  FILE *file = beside("", "wb");
  fwrite(sessions, sizeof sessions, 1, file);
  fclose(file);
}

/* Returns the number that a line has for a word; 0 if there is none. */
static ULONG told(const char *word) {
  FILE *file = beside(".fail", "r");
  char name[64];
  ULONG code, found = 0;
  if (!file) return 0;
  while (fscanf(file, "%63s %lu", name, &code) == 2)
    if (!strcmp(name, word)) found = code;
  fclose(file);
  return found;
}

static ULONG wrong(const char *why) {
  FILE *file = beside(".why", "a");
  fprintf(file, "%s\n", why);
  fclose(file);
  return ERROR_INVALID_PARAMETER;
}

/* Asks whoever listens to write what a session has logged; returns a Win32 error. */
static ULONG written(const char *what, const Session *session, const WCHAR *path) {
  char from[1024], to[1024], name[4096];
  FILE *file = beside(".listens", "r");
  ULONG code = ERROR_GEN_FAILURE;
  int tries;
  if (!file) return ERROR_SUCCESS;
  fclose(file);
  WideCharToMultiByte(CP_UTF8, 0, path, -1, name, sizeof name, NULL, NULL);
  file = beside(".ask.part", "w");
  fprintf(file, "%s %lu %s", what, session->properties.LogFileMode, name);
  fclose(file);
  snprintf(from, sizeof from, "%s.ask.part", getenv("NTRAIL_STANDIN"));
  snprintf(to, sizeof to, "%s.ask", getenv("NTRAIL_STANDIN"));
  MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING);
  for (tries = 0; tries < 2000; tries++) {
    file = beside(".answer", "r");
    if (file) {
      fscanf(file, "%lu", &code);
      fclose(file);
      snprintf(to, sizeof to, "%s.answer", getenv("NTRAIL_STANDIN"));
      DeleteFileA(to);
      return code;
    }
    Sleep(10);
  }
  return code;
}

static int is_kernel_guid(const GUID *guid) {
  static const unsigned char kernel[16] = {0xad, 0x4a, 0x81, 0x9e, 0x04, 0x32, 0xd2, 0x11,
                                           0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39};
  return !memcmp(guid, kernel, 16);
}

static const char *bad_extension(const EVENT_TRACE_PROPERTIES *p) {
  ULONG at = p->EnableFlags & 0xFFFF;
  const USHORT *head;
  ULONG word = 1, i;
  if ((p->EnableFlags >> 16) != 0x80FF) return "flags of an extension";
  if (at < sizeof *p || at + 4 > p->Wnode.BufferSize) return "place of the extension";
  head = (const USHORT *)((const char *)p + at);
  if (at + 4u * head[0] != p->Wnode.BufferSize) return "length of the extension";
  for (i = 0; i < head[1]; i++) {
    const USHORT *item = head + 2 * word;
    if (!item[0] || word + item[0] > head[0]) return "length of an item";
    if (item[1] < 1 || item[1] > 5) return "type of an item";
    if (item[1] == 1 && item[0] != 9) return "length of a mask";
    if (item[1] == 5 && item[0] != 3) return "length of stack caching";
    word += item[0];
  }
  return word == head[0] ? NULL : "items of the extension";
}

static const char *bad_block(const EVENT_TRACE_PROPERTIES *p) {
  ULONG size;
  if (!p) return "block";
  size = p->Wnode.BufferSize;
  if (size < sizeof *p + 4) return "size";
  if (!(p->Wnode.Flags & WNODE_FLAG_TRACED_GUID)) return "flags of the head";
  if (p->LoggerNameOffset < sizeof *p || p->LoggerNameOffset + 2 > size) return "place of the name";
  if (p->LogFileNameOffset && (p->LogFileNameOffset < sizeof *p || p->LogFileNameOffset + 2 > size))
    return "place of the path";
  return NULL;
}

static Session *find(TRACEHANDLE handle, const WCHAR *name) {
  int i;
  for (i = 0; i < MOST; i++)
    if (sessions[i].used
        && (handle ? handle == HANDLES + i : name && !wcsicmp(name, sessions[i].name)))
      return &sessions[i];
  return NULL;
}

static ULONG fill(const Session *session, EVENT_TRACE_PROPERTIES *p) {
  ULONG name = p->LoggerNameOffset, file = p->LogFileNameOffset, size = p->Wnode.BufferSize;
  ULONG names = 2 * (ULONG)wcslen(session->name) + 2, files = 2 * (ULONG)wcslen(session->file) + 2;
  if (name + names > size || (file && file + files > size)) return ERROR_MORE_DATA;
  *p = session->properties;
  p->Wnode.BufferSize = size;
  p->Wnode.HistoricalContext = HANDLES + (session - sessions);
  p->LoggerNameOffset = name;
  p->LogFileNameOffset = file;
  p->NumberOfBuffers = p->MinimumBuffers;
  p->FreeBuffers = p->MinimumBuffers - 5;
  p->BuffersWritten = 62;
  p->EventsLost = told("lost-events");
  p->LogBuffersLost = told("lost-buffers");
  memcpy((char *)p + name, session->name, names);
  if (file) memcpy((char *)p + file, session->file, files);
  return ERROR_SUCCESS;
}

EXPORT ULONG WINAPI StartTraceW(TRACEHANDLE *handle, const WCHAR *name, EVENT_TRACE_PROPERTIES *p) {
  ULONG code = told("StartTraceW");
  const char *why = bad_block(p);
  const WCHAR *file;
  int i, kernel, free = -1, systems = 0;
  if (code) return code;
  if (!handle || !name || !*name) return wrong("name or handle");
  if (why) return wrong(why);
  file = p->LogFileNameOffset ? (const WCHAR *)((char *)p + p->LogFileNameOffset) : L"";
  kernel = is_kernel_guid(&p->Wnode.Guid);
  if (kernel != !wcscmp(name, L"NT Kernel Logger")) return wrong("GUID of the kernel's session");
  if (p->Wnode.ClientContext != 1) return wrong("clock");
  if (p->BufferSize < 4 || p->BufferSize > 16384) return wrong("size of buffers");
  if (p->MinimumBuffers < 2 || p->MaximumBuffers < p->MinimumBuffers) return wrong("buffers");
  if ((p->LogFileMode & 2) && !p->MaximumFileSize) return wrong("ring without a size");
  if (!*file && !(p->LogFileMode & 0x500)) return wrong("no path");
  if ((p->EnableFlags & 0x80000000) && (why = bad_extension(p))) return wrong(why);
  if (p->EnableFlags && !kernel && !(p->LogFileMode & 0x2000000)) return wrong("flags of the kernel");
  if ((kernel || (p->LogFileMode & 0x2000000)) && !privileged) return ERROR_PRIVILEGE_NOT_HELD;
  load();
  if (find(0, name)) return ERROR_ALREADY_EXISTS;
  for (i = 0; i < MOST; i++)
    if (!sessions[i].used) free = i;
    else systems++;
  if (free < 0) return ERROR_NO_SYSTEM_RESOURCES;
  memset(&sessions[free], 0, sizeof(Session));
  sessions[free].used = 1;
  sessions[free].properties = *p;
  sessions[free].mask[0] = p->EnableFlags;
  wcsncpy(sessions[free].name, name, 1023);
  wcsncpy(sessions[free].file, file, 1023);
  wcscpy((WCHAR *)((char *)p + p->LoggerNameOffset), name);
  save();
  *handle = HANDLES + free;
  return ERROR_SUCCESS;
}

EXPORT ULONG WINAPI ControlTraceW(
    TRACEHANDLE handle, const WCHAR *name, EVENT_TRACE_PROPERTIES *p, ULONG control) {
  ULONG code = told(control == 1 ? "stop" : control == 3 ? "flush" : "query");
  const char *why = bad_block(p);
  WCHAR path[1024] = {0};
  Session *session;
  if (code) return code;
  if (why) return wrong(why);
  if (control > 4) return wrong("control code");
  if (!handle && (!name || !*name)) return wrong("name or handle of the session");
  if (p->LogFileNameOffset) wcsncpy(path, (const WCHAR *)((char *)p + p->LogFileNameOffset), 1023);
  if (control != 3 && *path) return wrong("path of what is not flushed");
  load();
  session = find(handle, name);
  if (!session) return ERROR_WMI_INSTANCE_NOT_FOUND;
  if (control == 3 && *path && !(session->properties.LogFileMode & 0x400))
    return wrong("path of what is in a file already");
  if (control == 2) session->properties.EnableFlags = p->EnableFlags;
  code = fill(session, p);
  if (control == 1 && !code && *session->file) code = written("stop", session, session->file);
  if (control == 3 && !code && (*path || *session->file))
    code = written("flush", session, *path ? path : session->file);
  if (control == 1) session->used = 0;
  save();
  return code;
}

EXPORT ULONG WINAPI QueryAllTracesW(EVENT_TRACE_PROPERTIES **all, ULONG room, ULONG *count) {
  ULONG code = told("QueryAllTracesW"), i, n = 0;
  if (code) return code;
  if (!all || !count || !room || room > 64) return wrong("room for sessions");
  for (i = 0; i < room; i++) {
    const char *why = bad_block(all[i]);
    if (why) return wrong(why);
  }
  load();
  for (i = 0; i < MOST; i++)
    if (sessions[i].used) {
      if (n < room && (code = fill(&sessions[i], all[n]))) return code;
      n++;
    }
  *count = n;
  return n > room ? ERROR_MORE_DATA : ERROR_SUCCESS;
}

EXPORT ULONG WINAPI TraceSetInformation(TRACEHANDLE handle, ULONG class, void *data, ULONG length) {
  ULONG code = told("TraceSetInformation"), i;
  const ULONG *words = data;
  Session *session;
  if (code) return code;
  load();
  session = find(handle, NULL);
  if (class == 5) {
    if (handle || length != 8) return wrong("interval");
    if (!words[0] && (words[1] < 1221 || words[1] > 10000000)) return wrong("length of the interval");
    return privileged ? ERROR_SUCCESS : ERROR_PRIVILEGE_NOT_HELD;
  }
  if (!handle || !session) return ERROR_WMI_INSTANCE_NOT_FOUND;
  if (class == 3) {
    const CLASSIC_EVENT_ID *ids = data;
    if (length % sizeof *ids || length / sizeof *ids > 256) return wrong("length of events");
    for (i = 0; i < length / sizeof *ids; i++) {
      /* PerfInfo, Thread, Process: the classes of the events that the tests ask for. */
      ULONG first = ids[i].EventGuid.Data1;
      if (first != 0xce1dbfb4 && first != 0x3d6fa8d1 && first != 0x3d6fa8d0) return wrong("class");
      if (first == 0xce1dbfb4 && ids[i].Type != 46) return wrong("type");
      if (memcmp(ids[i].Reserved, "\0\0\0\0\0\0", 7)) return wrong("reserved bytes");
    }
    session->stacks = length / sizeof *ids;
  } else if (class == 4) {
    if (length != 32) return wrong("length of a mask");
    memcpy(session->mask, data, 32);
  } else {
    return wrong("class of information");
  }
  save();
  return ERROR_SUCCESS;
}

EXPORT ULONG WINAPI EnableTraceEx2(TRACEHANDLE handle, const GUID *provider, ULONG control,
    UCHAR level, ULONGLONG any, ULONGLONG all, ULONG timeout, ENABLE_TRACE_PARAMETERS *p) {
  ULONG code = told("EnableTraceEx2"), i;
  Session *session;
  if (code) return code;
  load();
  session = find(handle, NULL);
  if (!session) return ERROR_WMI_INSTANCE_NOT_FOUND;
  if (!provider || control > 2 || timeout) return wrong("provider");
  if (provider->Data1 != 0xe13c0d23 || level != 4 || any != 0x4000000098ULL || all)
    return wrong("what is enabled");
  if (p) {
    if (p->Version != 2 || p->FilterDescCount > 16) return wrong("version of parameters");
    for (i = 0; i < p->FilterDescCount; i++) {
      const EVENT_FILTER_DESCRIPTOR *filter = &p->EnableFilterDesc[i];
      if (filter->Type != 0x80000004 || filter->Size != 4) return wrong("filter");
      if (*(const ULONG *)(ULONG_PTR)filter->Ptr != 4312) return wrong("process of a filter");
    }
  }
  session->providers++;
  save();
  return ERROR_SUCCESS;
}

/* Of ntdll; no header declares it. Marks are kept in NTRAIL_STANDIN.marks, a line each. */
EXPORT ULONG WINAPI EtwSetMark(TRACEHANDLE handle, const char *mark, ULONG size) {
  ULONG code = told("EtwSetMark");
  Session *session;
  FILE *file;
  if (code) return code;
  if (!mark || size < 6 || *(const ULONG *)mark || mark[size - 1] || strlen(mark + 4) + 5 != size)
    return wrong("mark");
  load();
  session = find(handle, handle ? NULL : L"NT Kernel Logger");
  if (!session) return ERROR_WMI_INSTANCE_NOT_FOUND;
  if (!privileged) return ERROR_PRIVILEGE_NOT_HELD;
  file = beside(".marks", "a");
  fprintf(file, "%s\n", mark + 4);
  fclose(file);
  return ERROR_SUCCESS;
}

EXPORT BOOL WINAPI OpenProcessToken(HANDLE process, DWORD access, HANDLE *token) {
  if (process != (HANDLE)-1 || access != 0x28 || !token) {
    SetLastError(wrong("token"));
    return FALSE;
  }
  opened = CreateEventW(NULL, TRUE, FALSE, NULL);
  *token = opened;
  return TRUE;
}

EXPORT BOOL WINAPI LookupPrivilegeValueW(const WCHAR *system, const WCHAR *name, LUID *luid) {
  if (system || (wcscmp(name, L"SeSystemProfilePrivilege") && wcscmp(name, L"SeDebugPrivilege"))) {
    wrong("name of a privilege");
    SetLastError(ERROR_NO_SUCH_PRIVILEGE);
    return FALSE;
  }
  luid->LowPart = name[2] == L'D' ? 20 : 11;
  luid->HighPart = 0;
  return TRUE;
}

EXPORT BOOL WINAPI AdjustTokenPrivileges(HANDLE token, BOOL all, TOKEN_PRIVILEGES *state,
    DWORD length, TOKEN_PRIVILEGES *before, DWORD *needed) {
  ULONG code = told("AdjustTokenPrivileges");
  if (!token || token != opened || all || !state || length || needed || state->PrivilegeCount != 1 || (state->Privileges[0].Luid.LowPart != 11 && state->Privileges[0].Luid.LowPart != 20)
      || state->Privileges[0].Attributes != SE_PRIVILEGE_ENABLED || before) {
    SetLastError(wrong("privileges"));
    return FALSE;
  }
  if (state->Privileges[0].Luid.LowPart == 11) privileged = !code;
  SetLastError(code);
  return TRUE;
}

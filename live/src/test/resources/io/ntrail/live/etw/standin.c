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
 *
 * Calls that change something, and were accepted, are told in NTRAIL_STANDIN.calls, a line each.
 */
#define StartTraceW Header_StartTraceW
#define ControlTraceW Header_ControlTraceW
#define QueryAllTracesW Header_QueryAllTracesW
#define EnableTraceEx2 Header_EnableTraceEx2
#define TraceSetInformation Header_TraceSetInformation
#define TraceQueryInformation Header_TraceQueryInformation
#define EnumerateTraceGuidsEx Header_EnumerateTraceGuidsEx
#define TdhEnumerateProviders Header_TdhEnumerateProviders
#define OpenTraceW Header_OpenTraceW
#define ProcessTrace Header_ProcessTrace
#define CloseTrace Header_CloseTrace
#define OpenProcessToken Header_OpenProcessToken
#define LookupPrivilegeValueW Header_LookupPrivilegeValueW
#define AdjustTokenPrivileges Header_AdjustTokenPrivileges
#define _WIN32_WINNT 0x0A00
#include <windows.h>
#include <evntrace.h>
#include <evntprov.h>
#include <evntcons.h>
#include <tdh.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#undef StartTraceW
#undef ControlTraceW
#undef QueryAllTracesW
#undef EnableTraceEx2
#undef TraceSetInformation
#undef TraceQueryInformation
#undef EnumerateTraceGuidsEx
#undef TdhEnumerateProviders
#undef OpenTraceW
#undef ProcessTrace
#undef CloseTrace
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
  GUID enabled[16];
  ULONG rundown;
  ULONG written;
} Session;

static Session sessions[MOST];
static int privileged;
static HANDLE opened;
static ULONG lingering;

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

static void tell(const char *format, ...) {
  FILE *file = beside(".calls", "a");
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fclose(file);
}

static void tell_bytes(const void *data, ULONG length) {
  ULONG i;
  for (i = 0; i < length; i++) tell("%02x", ((const unsigned char *)data)[i]);
}

static void tell_guid(const GUID *g) {
  tell("%08lx-%04x-%04x-%02x%02x-", g->Data1, g->Data2, g->Data3, g->Data4[0], g->Data4[1]);
  tell_bytes(g->Data4 + 2, 6);
}

/* Classes of kernel events, by the first part of their GUIDs: ntwmi.h and wmicore.mof. */
static const ULONG classes[] = {
    0xce1dbfb4, 0x3d6fa8d1, 0x3d6fa8d0, 0x2cb15d1d, 0x3d6fa8d4, 0x90cbdc39, 0xae53722e, 0x3d6fa8d3,
    0x9a280ac0, 0xbf3a50c5, 0x45d8cccd, 0xd837ca92, 0x0268a8b6, 0xe43445e0, 0x89497f50, 0x7687a439};

/* Providers of the system, by the first part of their GUIDs: evntrace.h of Windows 11. */
static const ULONG systems[] = {
    0xfcb9baaf, 0xfef3a8b6, 0xc6c5265f, 0xbafa072a, 0xd4bbee17, 0x3d5c43e3, 0xfbd09363, 0x721ddfd3,
    0x82958ca9, 0xfebd7460, 0xc134884a, 0x151f55dc, 0xbfeb0324, 0x16156bd9, 0x599a2a76, 0x434286f7,
    0x4f061568};

static int has(const ULONG *values, ULONG bytes, ULONG value) {
  ULONG i;
  for (i = 0; i < bytes / sizeof *values; i++)
    if (values[i] == value) return 1;
  return 0;
}

/* Counters that this machine has. */
static const struct {
  ULONG number, least, most;
  const WCHAR *name;
} counters[] = {{0, 1221, 10000000, L"Timer"},
                {2, 4096, 2147483647, L"TotalIssues"},
                {6, 4096, 2147483647, L"BranchInstructions"},
                {10, 4096, 2147483647, L"CacheMisses"},
                {11, 4096, 2147483647, L"BranchMispredictions"}};
#define COUNTERS (sizeof counters / sizeof *counters)

static int counter(ULONG number) {
  ULONG i;
  for (i = 0; i < COUNTERS; i++)
    if (counters[i].number == number) return (int)i;
  return -1;
}

static const char *bad_events(const CLASSIC_EVENT_ID *ids, ULONG length, ULONG most) {
  ULONG i;
  if (length % sizeof *ids || length / sizeof *ids > most) return "length of events";
  for (i = 0; i < length / sizeof *ids; i++) {
    ULONG first = ids[i].EventGuid.Data1;
    if (!has(classes, sizeof classes, first)) return "class";
    if (first == 0xce1dbfb4 && ids[i].Type != 0x22 && (ids[i].Type < 0x2e || ids[i].Type > 0x53))
      return "type";
    if (memcmp(ids[i].Reserved, "\0\0\0\0\0\0", 7)) return "reserved bytes";
  }
  return NULL;
}

static int is_kernel_guid(const GUID *guid) {
  static const unsigned char kernel[16] = {0xad, 0x4a, 0x81, 0x9e, 0x04, 0x32, 0xd2, 0x11,
                                           0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39};
  return !memcmp(guid, kernel, 16);
}

/* Provider of heaps: wmicore.mof. */
static int is_heap_guid(const GUID *guid) {
  static const GUID heaps = {
      0x222962ab, 0x6180, 0x4b88, {0xa8, 0x25, 0x34, 0x6b, 0x75, 0xf2, 0xa2, 0x4a}};
  return !memcmp(guid, &heaps, sizeof heaps);
}

/* Sessions of heaps choose processes, and log nothing of the kernel. */
static const char *bad_heaps(const EVENT_TRACE_PROPERTIES *p) {
  const USHORT *head = (const USHORT *)((const char *)p + (p->EnableFlags & 0xFFFF));
  ULONG word = 1, i, processes = 0;
  if (!(p->EnableFlags & 0x80000000)) return "heaps without an extension";
  if (p->LogFileMode & 0x2000000) return "heaps of the kernel";
  for (i = 0; i < head[1]; i++) {
    const USHORT *item = head + 2 * word;
    if (item[1] != 2 && item[1] != 3) return "item of a session of heaps";
    if (item[1] == 2) processes++;
    word += item[0];
  }
  return processes == 1 ? NULL : "processes of heaps";
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
    if (item[1] == 2 && (item[0] < 2 || item[0] > 9)) return "number of processes";
    if (item[1] == 4 && (item[0] < 2 || item[0] > 5)) return "number of tags";
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
  p->BuffersWritten = 62 + session->written;
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
  if (is_heap_guid(&p->Wnode.Guid) && (why = bad_heaps(p))) return wrong(why);
  if (p->EnableFlags && !kernel && !is_heap_guid(&p->Wnode.Guid)
      && !(p->LogFileMode & 0x2000000))
    return wrong("flags of the kernel");
  if ((kernel || (p->LogFileMode & 0x2000000)) && !privileged) return ERROR_PRIVILEGE_NOT_HELD;
  load();
  /* What was stopped may be there for a while. */
  if (lingering) return lingering--, ERROR_ALREADY_EXISTS;
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
  tell("StartTrace %x ", free);
  tell_guid(&p->Wnode.Guid);
  tell(" %lu %lu %lu %lu %lx %lx", p->BufferSize, p->MinimumBuffers, p->MaximumBuffers,
       p->MaximumFileSize, p->LogFileMode, p->EnableFlags);
  if (p->EnableFlags & 0x80000000) tell(" ");
  if (p->EnableFlags & 0x80000000)
    tell_bytes((char *)p + (p->EnableFlags & 0xffff), p->Wnode.BufferSize - (p->EnableFlags & 0xffff));
  tell(" %ls %ls\n", name, file);
  return ERROR_SUCCESS;
}

EXPORT ULONG WINAPI ControlTraceW(
    TRACEHANDLE handle, const WCHAR *name, EVENT_TRACE_PROPERTIES *p, ULONG control) {
  ULONG code = told(control == 1 ? "stop" : control == 3 ? "flush" : "query");
  const char *why = bad_block(p);
  WCHAR path[1024] = {0};
  Session *session;
  /* With this one the session is stopped all the same. */
  if (code && !(control == 1 && code == ERROR_MORE_DATA)) return code;
  if (why) return wrong(why);
  if (control > 3) return wrong("control code");
  if (!handle && (!name || !*name)) return wrong("name or handle of the session");
  if (p->LogFileNameOffset) wcsncpy(path, (const WCHAR *)((char *)p + p->LogFileNameOffset), 1023);
  if (control != 3 && *path) return wrong("path of what is not flushed");
  load();
  session = find(handle, name);
  if (!session) return ERROR_WMI_INSTANCE_NOT_FOUND;
  if (control == 3 && *path && !(session->properties.LogFileMode & 0x400))
    return wrong("path of what is in a file already");
  if (control == 3 && !*path && session->properties.LogFileMode & 0x400)
    return wrong("no path of what is in memory");
  if (control == 3 && *session->file && told("full")) {
    /* A buffer that cannot be written is lost, the file is completed, and the session ends. */
    written("stop", session, session->file);
    session->used = 0;
    save();
    return told("full");
  }
  if (control == 2) session->properties.EnableFlags = p->EnableFlags;
  if (control == 3 && session->rundown) session->rundown--, session->written++;
  if (code) {
    session->used = 0;
    save();
    return code;
  }
  code = fill(session, p);
  if (control == 1) lingering = told("lingers");
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
  const char *why = NULL;
  Session *session;
  if (code) return code;
  load();
  session = find(handle, NULL);
  if (class == 5) {
    if (handle || length != 8) return wrong("interval");
    if (counter(words[0]) < 0) return wrong("source of the interval");
    if (words[1] < counters[counter(words[0])].least || words[1] > counters[counter(words[0])].most)
      return wrong("length of the interval");
    if (!privileged) return ERROR_PRIVILEGE_NOT_HELD;
    tell("TraceSetInformation 5 0 ");
    tell_bytes(data, length);
    tell("\n");
    return ERROR_SUCCESS;
  }
  if (class == 6) {
    /* Of the whole machine, as evntrace.h has it. */
    if (handle || !length || length % 4 || length > 16) return wrong("counters of samples");
    for (i = 0; i < length / 4; i++)
      if (!words[i] || counter(words[i]) < 0) return wrong("counter of samples");
    if (!privileged) return ERROR_PRIVILEGE_NOT_HELD;
    tell("TraceSetInformation 6 0 ");
    tell_bytes(data, length);
    tell("\n");
    return ERROR_SUCCESS;
  }
  if (!handle || !session) return ERROR_WMI_INSTANCE_NOT_FOUND;
  switch (class) {
  case 3:
    why = length ? bad_events(data, length, 256) : "no events with stacks";
    session->stacks = length / sizeof(CLASSIC_EVENT_ID);
    break;
  case 4:
    if (length != 32) return wrong("length of a mask");
    memcpy(session->mask, data, 32);
    break;
  case 9:
    if (!length || length % 4 || length > 16) return wrong("length of counters");
    for (i = 0; i < length / 4; i++)
      if (!words[i] || counter(words[i]) < 0) why = "counter";
    break;
  case 8:
    why = length ? bad_events(data, length, 4) : "no events";
    break;
  case 20:
    if (length != 4 || words[0] >= 0x800) why = "branches";
    break;
  case 21:
    if (!length || length % 4 || length > 16) return wrong("length of events with branches");
    for (i = 0; i < length / 4; i++)
      if (words[i] < 0x100 || words[i] > 0xffff) why = "event with branches";
    break;
  case 24:
    if (length != 12 || words[0] != 1) why = "cache of stacks";
    break;
  default:
    why = "class of information";
  }
  if (why) return wrong(why);
  tell("TraceSetInformation %lu %llx ", class, handle - HANDLES);
  tell_bytes(data, length);
  tell("\n");
  save();
  return ERROR_SUCCESS;
}

EXPORT ULONG WINAPI TraceQueryInformation(
    TRACEHANDLE handle, ULONG class, void *data, ULONG length, ULONG *returned) {
  ULONG code = told("TraceQueryInformation"), i, at = 0;
  if (code) return code;
  if (handle || class != 7 || !returned) return wrong("question about counters");
  for (i = 0; i < COUNTERS; i++) {
    ULONG size = (24 + 2 * (ULONG)wcslen(counters[i].name) + 2 + 7) & ~7u;
    ULONG *entry = (ULONG *)((char *)data + at);
    if (at + size > length) return ERROR_BAD_LENGTH;
    memset(entry, 0, size);
    entry[0] = i + 1 < COUNTERS ? size : 0;
    entry[1] = counters[i].number;
    entry[2] = counters[i].least;
    entry[3] = counters[i].most;
    wcscpy((WCHAR *)((char *)entry + 24), counters[i].name);
    at += size;
  }
  *returned = at;
  return ERROR_SUCCESS;
}

static const char *bad_filter(const EVENT_FILTER_DESCRIPTOR *filter) {
  const unsigned char *data = (const unsigned char *)(ULONG_PTR)filter->Ptr;
  if (!data || !filter->Size || filter->Size > 1024) return "size of a filter";
  switch (filter->Type) {
  case 0x80000004:
    return filter->Size % 4 || filter->Size > 32 ? "processes of a filter" : NULL;
  case 0x80000008:
    return ((const WCHAR *)data)[filter->Size / 2 - 1] ? "programs of a filter" : NULL;
  case 0x80000200:
  case 0x80001000:
    if (data[0] > 1 || data[1] || *(const USHORT *)(data + 2) > 64) return "head of ids";
    return filter->Size != 4u + 2u * *(const USHORT *)(data + 2) ? "number of ids" : NULL;
  }
  return "type of a filter";
}

/* Asks a provider for its state, or disables it. */
static ULONG state(Session *session, const GUID *provider, ULONG control, UCHAR level,
    ULONGLONG any, ULONGLONG all, ULONG timeout, const ENABLE_TRACE_PARAMETERS *p) {
  ULONG i, enabled = 0;
  for (i = 0; i < session->providers; i++)
    if (!memcmp(&session->enabled[i], provider, sizeof *provider)) enabled = i + 1;
  if (!enabled) return wrong("state of what is not enabled");
  if (p && (p->Version != 1 || p->EnableProperty || p->EnableFilterDesc)) return wrong("parameters");
  if (control == 2) {
    if (!level || !any || all || !timeout) return wrong("state that is asked for");
    tell("EnableTraceEx2 capture %x ", (int)(session - sessions));
    tell_guid(provider);
    tell(" %u %llx\n", level, any);
    return told("capture");
  }
  if (level || any || all || timeout) return wrong("what is disabled");
  tell("EnableTraceEx2 disable %x ", (int)(session - sessions));
  tell_guid(provider);
  tell("\n");
  session->enabled[enabled - 1] = session->enabled[--session->providers];
  save();
  return ERROR_SUCCESS;
}

EXPORT ULONG WINAPI EnableTraceEx2(TRACEHANDLE handle, const GUID *provider, ULONG control,
    UCHAR level, ULONGLONG any, ULONGLONG all, ULONG timeout, ENABLE_TRACE_PARAMETERS *p) {
  ULONG code = told("EnableTraceEx2"), i;
  Session *session;
  int system;
  if (code) return code;
  load();
  session = find(handle, NULL);
  if (!session) return ERROR_WMI_INSTANCE_NOT_FOUND;
  if (!provider || control > 2 || is_kernel_guid(provider)) return wrong("provider");
  if (control != 1) return state(session, provider, control, level, any, all, timeout, p);
  if (timeout) return wrong("timeout of what is enabled");
  if (provider->Data1 == 0x3b9c9951) {
    /* KernelRundownGuid, as PerfDiag has it. */
    if (level || any != 8 || all || !p || p->Version != 1) return wrong("rundown of the kernel");
    if (!(session->properties.LogFileMode & 0x2000000) && !is_kernel_guid(&session->properties.Wnode.Guid))
      return wrong("rundown of the kernel in another session");
    tell("Rundown %llx\n", handle - HANDLES);
    return ERROR_SUCCESS;
  }
  if (!any || all || !level) return wrong("what is enabled");
  system = has(systems, sizeof systems, provider->Data1);
  if (system && !(session->properties.LogFileMode & 0x2000000)) return wrong("provider of the system");
  if (!p || p->Version < 1 || p->Version > 2) return wrong("version of parameters");
  if (p->ControlFlags || (p->EnableProperty & ~0xfffu)) return wrong("parameters");
  if (p->Version == 2) {
    if (!p->FilterDescCount != !p->EnableFilterDesc || p->FilterDescCount > 16)
      return wrong("number of filters");
    for (i = 0; i < p->FilterDescCount; i++) {
      const char *why = bad_filter(&p->EnableFilterDesc[i]);
      if (why) return wrong(why);
    }
  } else if (p->EnableFilterDesc) {
    return wrong("filter without a number");
  }
  tell("EnableTraceEx2 %llx ", handle - HANDLES);
  tell_guid(provider);
  tell(" %u %llx %lx", level, any, p->EnableProperty);
  for (i = 0; p->Version == 2 && i < p->FilterDescCount; i++) {
    const EVENT_FILTER_DESCRIPTOR *filter = &p->EnableFilterDesc[i];
    tell(" %lx:", filter->Type);
    tell_bytes((const void *)(ULONG_PTR)filter->Ptr, filter->Size);
  }
  tell("\n");
  if (session->providers < 16) session->enabled[session->providers++] = *provider;
  if (provider->Data1 == 0xa669021c) session->rundown = 3;
  save();
  return ERROR_SUCCESS;
}

/* Of ntdll: EVENT_TRACE_TAG_FILTER_INFORMATION, by its declaration in ntexapi.h. */
EXPORT LONG WINAPI NtSetSystemInformation(ULONG class, void *data, ULONG length) {
  const struct {
    ULONG class;
    ULONGLONG handle;
    ULONG tags[4];
  } *filter = data;
  ULONG tags = length < 20 ? 0 : (length - 16) / 4, i;
  Session *session;
  if (told("NtSetSystemInformation")) return (LONG)told("NtSetSystemInformation");
  load();
  session = find(length < 20 ? 0 : filter->handle, NULL);
  if (class != 31 || !tags || tags > 4 || length % 4 || filter->class != 10 || !session
      || !(session->properties.LogFileMode & 0x2000000)) {
    wrong("filter of tags");
    return (LONG)0xC000000D;
  }
  if (!privileged) return (LONG)0xC0000061;
  tell("NtSetSystemInformation %lu %llx ", filter->class, filter->handle - HANDLES);
  for (i = 0; i < tags; i++) tell_bytes(&filter->tags[i], 4);
  tell("\n");
  return 0;
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

EXPORT ULONG WINAPI EnumerateTraceGuidsEx(TRACE_QUERY_INFO_CLASS class, void *in, ULONG in_length,
    void *out, ULONG out_length, ULONG *returned) {
  ULONG code = told("EnumerateTraceGuidsEx"), count = 0, length;
  TRACE_GUID_INFO *info = out;
  TRACE_PROVIDER_INSTANCE_INFO *instance = (void *)(info + 1);
  TRACE_ENABLE_INFO *enabled;
  ULONG i, j;
  if (code) return code;
  if (class != TraceGuidQueryInfo || !in || in_length != sizeof(GUID) || !returned)
    return wrong("question about a provider");
  load();
  for (i = 0; i < MOST; i++)
    for (j = 0; sessions[i].used && j < sessions[i].providers; j++)
      if (!memcmp(&sessions[i].enabled[j], in, sizeof(GUID))) count++;
  if (!count) return ERROR_WMI_GUID_NOT_FOUND;
  /* Two processes have it; the second one is enabled by the sessions. */
  length = sizeof *info + 2 * sizeof *instance + count * sizeof *enabled;
  *returned = length;
  if (length > out_length) return ERROR_INSUFFICIENT_BUFFER;
  memset(out, 0, length);
  info->InstanceCount = 2;
  instance->NextOffset = sizeof *instance;
  instance->Pid = 4;
  instance++;
  instance->EnableCount = count;
  instance->Pid = 4312;
  enabled = (void *)(instance + 1);
  for (i = 0; i < MOST; i++)
    for (j = 0; sessions[i].used && j < sessions[i].providers; j++)
      if (!memcmp(&sessions[i].enabled[j], in, sizeof(GUID))) {
        enabled->IsEnabled = 1;
        enabled->Level = 5;
        enabled->LoggerId = (USHORT)i;
        enabled++;
      }
  return ERROR_SUCCESS;
}

/*
 * Consumers. ProcessTrace hands out what the words in NTRAIL_STANDIN.events ask for, one event each
 * (see hand_out), 1,000 ticks of the clock apart, and what it handed out is told in
 * NTRAIL_STANDIN.handed, a line each. A trace that is open is there as NTRAIL_STANDIN.open.
 */
#define TRACE 0x900000005ULL

static struct {
  int opened, processing, closed;
  EVENT_TRACE_LOGFILEW file;
  WCHAR name[1024];
  LONGLONG clock;
  ULONG buffers;
  char *page;
} trace;

static int is_code(const void *address) {
  MEMORY_BASIC_INFORMATION info;
  return address && VirtualQuery(address, &info, sizeof info) && (info.Protect & 0xf0);
}

static int is_zero(const void *data, size_t length) {
  const char *bytes = data;
  while (length--)
    if (*bytes++) return 0;
  return 1;
}

/* Looks for a session that hands events out, as its file has it: other threads use the rest. */
static int hands_out(const WCHAR *name) {
  Session *all = calloc(MOST, sizeof *all);
  FILE *file = beside("", "rb");
  int i, found = 0, whole = file && fread(all, sizeof *all, MOST, file) == MOST;
  for (i = 0; i < MOST; i++)
    if (all[i].used && !wcsicmp(name, all[i].name) && (all[i].properties.LogFileMode & 0x100))
      found = 1;
  if (file) fclose(file);
  free(all);
  /* One that is being written is looked at again. */
  return found || (file && !whole);
}

static TRACEHANDLE refuse(ULONG code) {
  SetLastError(code);
  return (TRACEHANDLE)-1;
}

EXPORT TRACEHANDLE WINAPI OpenTraceW(EVENT_TRACE_LOGFILEW *file) {
  ULONG code = told("OpenTraceW");
  FILE *open;
  LARGE_INTEGER frequency;
  if (code) return refuse(code);
  if (!file) return refuse(wrong("no structure of a trace"));
  if (file->LogFileName) return refuse(wrong("file of a trace"));
  if (!file->LoggerName || !*file->LoggerName) return refuse(wrong("session of a trace"));
  if (file->ProcessTraceMode != 0x10001100 && file->ProcessTraceMode != 0x10000100)
    return refuse(wrong("mode of a trace"));
  if (file->CurrentTime || file->BuffersRead || file->BufferSize || file->Filled || file->EventsLost
      || file->IsKernelTrace || !is_zero(&file->CurrentEvent, sizeof file->CurrentEvent)
      || !is_zero(&file->LogfileHeader, sizeof file->LogfileHeader))
    return refuse(wrong("what a trace has to leave 0"));
  if (!is_code((void *)file->EventRecordCallback) || !is_code((void *)file->BufferCallback)
      || (void *)file->EventRecordCallback == (void *)file->BufferCallback)
    return refuse(wrong("functions of a trace"));
  if (!file->Context) return refuse(wrong("context of a trace"));
  load();
  if (!find(0, file->LoggerName)) return refuse(ERROR_WMI_INSTANCE_NOT_FOUND);
  if (trace.opened) {
    trace.opened = 0;
    return refuse(wrong("trace that was left open"));
  }
  QueryPerformanceFrequency(&frequency);
  file->LogfileHeader.BufferSize = 65536;
  file->LogfileHeader.VersionDetail.MajorVersion = 10;
  file->LogfileHeader.VersionDetail.SubVersion = 1;
  file->LogfileHeader.VersionDetail.SubMinorVersion = 5;
  file->LogfileHeader.ProviderVersion = 22621;
  file->LogfileHeader.NumberOfProcessors = 4;
  file->LogfileHeader.TimerResolution = 156250;
  file->LogfileHeader.LogFileMode = 0x100;
  file->LogfileHeader.PointerSize = 4; /* As Windows says it of sessions without a file. */
  file->LogfileHeader.CpuSpeedInMHz = 2400;
  file->LogfileHeader.BootTime.QuadPart = 133500000000000000LL;
  file->LogfileHeader.PerfFreq = frequency;
  file->LogfileHeader.ReservedFlags = told("clock") ? told("clock") : 1;
  file->LogfileHeader.EventsLost = 3;
  memset(&trace, 0, sizeof trace);
  trace.file = *file;
  wcsncpy(trace.name, file->LoggerName, 1023);
  trace.opened = 1;
  open = beside(".open", "w");
  fclose(open);
  return TRACE;
}

EXPORT ULONG WINAPI CloseTrace(TRACEHANDLE handle) {
  char path[1024];
  if (handle != TRACE || !trace.opened) {
    wrong("trace that is closed");
    trace.opened = 0;
    trace.closed = 1;
    return ERROR_INVALID_HANDLE;
  }
  snprintf(path, sizeof path, "%s.open", getenv("NTRAIL_STANDIN"));
  DeleteFileA(path);
  trace.opened = 0;
  trace.closed = 1;
  return trace.processing ? 7007 : ERROR_SUCCESS;
}

static void handed(const char *format, ...) {
  FILE *file = beside(".handed", "a");
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fclose(file);
}

static LONGLONG next_time(void) {
  LARGE_INTEGER now;
  if (trace.file.ProcessTraceMode & 0x1000) {
    if (!trace.clock) QueryPerformanceCounter(&now), trace.clock = now.QuadPart;
  } else if (!trace.clock) {
    FILETIME time;
    GetSystemTimeAsFileTime(&time);
    trace.clock = (LONGLONG)time.dwHighDateTime << 32 | time.dwLowDateTime;
  }
  return trace.clock += 1000;
}

/* Hands an event out; its data ends where memory does, and nothing of it is there afterwards. */
static void give(EVENT_RECORD *record, const void *data, USHORT length) {
  EVENT_RECORD *given = (EVENT_RECORD *)trace.page;
  char *end = trace.page + 0x20000;
  record->EventHeader.Size = (USHORT)(sizeof(EVENT_HEADER) + length);
  record->EventHeader.TimeStamp.QuadPart = next_time();
  record->UserDataLength = length;
  record->UserData = length ? end - length : NULL;
  record->UserContext = trace.file.Context;
  if (length) memcpy(end - length, data, length);
  *given = *record;
  ((PEVENT_RECORD_CALLBACK)trace.file.EventRecordCallback)(given);
  memset(trace.page, 0xDD, 0x20000);
  if (record->ExtendedDataCount) {
    USHORT i;
    for (i = 0; i < record->ExtendedDataCount; i++)
      memset((void *)(ULONG_PTR)record->ExtendedData[i].DataPtr, 0xDD, record->ExtendedData[i].DataSize);
  }
}

/* Tells of a buffer; returns whether more is wanted. */
static int buffer_ends(void) {
  trace.file.BuffersRead = ++trace.buffers;
  trace.file.BufferSize = 65536;
  trace.file.Filled = 4096;
  trace.file.EventsLost = told("buffer-lost");
  return trace.file.BufferCallback(&trace.file) != 0;
}

static void item(EVENT_HEADER_EXTENDED_DATA_ITEM *item, USHORT type, void *data, USHORT length) {
  memset(item, 0xEE, sizeof *item);
  item->ExtType = type;
  item->DataSize = length;
  item->DataPtr = (ULONGLONG)(ULONG_PTR)data;
}

static void hand_out(const char *word, ULONG number) {
  static const GUID clr = {
      0xe13c0d23, 0xccbc, 0x4e12, {0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4}};
  static const GUID process = {
      0x3d6fa8d0, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}};
  static const GUID perf = {
      0xce1dbfb4, 0x137e, 0x4da6, {0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc}};
  static const GUID lost = {
      0x6a399ae0, 0x4bc6, 0x4de9, {0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e}};
  static const GUID own = {
      0x9c2a37f3, 0xe5fd, 0x5cae, {0xbc, 0xd1, 0x43, 0xda, 0xfe, 0xee, 0x1f, 0xf0}};
  static const GUID header = {
      0x68fdd900, 0x4a3e, 0x11d1, {0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3}};
  EVENT_HEADER_EXTENDED_DATA_ITEM items[4];
  EVENT_RECORD record;
  EVENT_HEADER *h = &record.EventHeader;
  memset(&record, 0, sizeof record);
  memset(&record, 0xEE, 4);
  record.BufferContext.ProcessorNumber = 2;
  record.BufferContext.LoggerId = 5;
  record.ExtendedData = items;
  h->Flags = EVENT_HEADER_FLAG_64_BIT_HEADER | EVENT_HEADER_FLAG_PROCESSOR_INDEX;
  h->ThreadId = 4660;
  h->ProcessId = 40;
  h->ProviderId = own;
  h->KernelTime = 3;
  h->UserTime = 5;
  if (!strcmp(word, "manifest") || !strcmp(word, "flood") || !strcmp(word, "stacks")) {
    /* GC/Stop of .NET, version 1: u32 count, u32 depth, u16 instance of the runtime. */
    unsigned char data[10] = {0, 0, 0, 0, 2, 0, 0, 0, 7, 0};
    struct {
      ULONGLONG match, frames[3];
    } wide = {0, {0x7ff812345678, 0x7ff812340000, 0x7ff7aabbccdd}};
    struct {
      ULONGLONG match;
      ULONG frames[3];
    } narrow = {0, {0x77123456, 0x00401000, 0x00402000}};
    GUID related = own;
    h->ProviderId = clr;
    h->EventDescriptor.Id = 2;
    h->EventDescriptor.Version = 1;
    h->EventDescriptor.Level = 4;
    h->EventDescriptor.Opcode = 14;
    h->EventDescriptor.Task = 1;
    h->EventDescriptor.Keyword = 1;
    h->ActivityId = clr;
    if (!strcmp(word, "stacks")) {
      int is_narrow = number == 32;
      if (is_narrow) h->Flags ^= 0x60;
      item(&items[0], 1, &related, sizeof related);
      if (is_narrow) item(&items[1], 5, &narrow, 20);
      else item(&items[1], 6, &wide, sizeof wide);
      h->Flags |= EVENT_HEADER_FLAG_EXTENDED_INFO;
      record.ExtendedDataCount = 2;
    }
    data[0] = (unsigned char)number;
    data[1] = (unsigned char)(number >> 8);
    give(&record, data, sizeof data);
  } else if (!strcmp(word, "large")) {
    static char data[60000];
    memset(data, 'x', sizeof data);
    h->EventDescriptor.Id = 9;
    give(&record, data, sizeof data);
  } else if (!strcmp(word, "empty")) {
    h->EventDescriptor.Id = 77;
    give(&record, NULL, 0);
  } else if (!strcmp(word, "process")) {
    /* Process/Start, version 4, of a process of the local system. */
    static const unsigned char data[] = {
        1, 2, 3, 4, 0, 0, 0, 0, 40, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 3, 1, 0, 0,
        0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0,
        's', 'h', 'o', 'p', '.', 'e', 'x', 'e', 0,
        's', 0, 'h', 0, 'o', 0, 'p', 0, 0, 0, 0, 0, 0, 0};
    h->Flags |= EVENT_HEADER_FLAG_CLASSIC_HEADER;
    h->ProviderId = process;
    h->EventDescriptor.Opcode = 1;
    h->EventDescriptor.Version = 4;
    give(&record, data, sizeof data);
  } else if (!strcmp(word, "sample")) {
    /* PerfInfo/SampleProf, version 2: pointer, u32 thread, u32 count; the header names no thread. */
    static const unsigned char data[16] = {0x78, 0x56, 0x34, 0x12, 0xf8, 0x7f, 0, 0, 0x34, 0x12, 0, 0, 1, 0, 0, 0};
    h->Flags |= EVENT_HEADER_FLAG_CLASSIC_HEADER;
    h->ThreadId = h->ProcessId = (ULONG)-1;
    h->ProviderId = perf;
    h->EventDescriptor.Opcode = 46;
    h->EventDescriptor.Version = 2;
    give(&record, data, sizeof data);
  } else if (!strcmp(word, "described")) {
    /* TraceLogging: traits of the provider, and the event's own schema. */
    static const char schema[] = "\x1b\0\0Checkout\0Total\0\x08Shop\0\x02";
    static const char traits[] = "\x0a\0MyShop\0";
    static const unsigned char data[] = {42, 0, 0, 0, 'b', 'o', 'o', 'k', 's', 0};
    char copies[2][64];
    memcpy(copies[0], schema, sizeof schema - 1);
    memcpy(copies[1], traits, sizeof traits - 1);
    copies[0][0] = sizeof schema - 1;
    copies[1][0] = sizeof traits - 1;
    item(&items[0], 11, copies[0], sizeof schema - 1);
    item(&items[1], 12, copies[1], sizeof traits - 1);
    h->Flags |= EVENT_HEADER_FLAG_EXTENDED_INFO;
    h->EventDescriptor.Channel = 11;
    h->EventDescriptor.Level = 5;
    record.ExtendedDataCount = 2;
    give(&record, data, sizeof data);
  } else if (!strcmp(word, "class")) {
    /* An event of a class that nobody knows. */
    h->Flags |= EVENT_HEADER_FLAG_CLASSIC_HEADER;
    h->EventDescriptor.Opcode = 12;
    h->EventDescriptor.Version = 3;
    h->EventDescriptor.Level = 2;
    give(&record, "\1\2\3\4", 4);
  } else if (!strcmp(word, "message")) {
    h->Flags |= EVENT_HEADER_FLAG_TRACE_MESSAGE;
    h->EventDescriptor.Id = 13;
    give(&record, "\5\6\7\10", 4);
  } else if (!strcmp(word, "text")) {
    h->Flags |= EVENT_HEADER_FLAG_STRING_ONLY;
    give(&record, L"ready to sell", 28);
  } else if (!strcmp(word, "lost")) {
    h->Flags |= EVENT_HEADER_FLAG_CLASSIC_HEADER;
    h->ProviderId = lost;
    h->EventDescriptor.Opcode = (UCHAR)number;
    give(&record, NULL, 0);
  } else if (!strcmp(word, "header")) {
    h->Flags |= EVENT_HEADER_FLAG_CLASSIC_HEADER;
    h->ProviderId = header;
    give(&record, &trace.file.LogfileHeader, sizeof trace.file.LogfileHeader);
  } else {
    wrong(word);
  }
}

/* Hands out what is asked for; returns whether more is wanted. */
static int hand_all(FILE *file) {
  char word[64];
  ULONG number, i;
  while (fscanf(file, "%63s %lu", word, &number) == 2) {
    handed("%s %lu\n", word, number);
    if (!strcmp(word, "buffer")) {
      if (!buffer_ends()) return 0;
    } else if (!strcmp(word, "gone")) {
      return 2;
    } else if (!strcmp(word, "flood") || !strcmp(word, "larges")) {
      for (i = 0; i < number; i++) hand_out(*word == 'f' ? word : "large", i);
    } else {
      hand_out(word, number);
    }
  }
  return 1;
}

EXPORT ULONG WINAPI ProcessTrace(
    TRACEHANDLE *handles, ULONG count, FILETIME *start, FILETIME *end) {
  ULONG code = told("ProcessTrace");
  int more = 1;
  if (code) return code;
  if (count != 1 || !handles) return wrong("handles of traces"), ERROR_BAD_LENGTH;
  if (handles[0] != TRACE) return wrong("handle of a trace"), ERROR_INVALID_HANDLE;
  if (start || end) return wrong("times of a trace"), ERROR_INVALID_TIME;
  if (!trace.opened) return ERROR_INVALID_HANDLE;
  if (!hands_out(trace.name)) return ERROR_WMI_INSTANCE_NOT_FOUND;
  trace.processing = 1;
  trace.page = VirtualAlloc(NULL, 0x30000, MEM_COMMIT, PAGE_READWRITE);
  VirtualFree(trace.page + 0x20000, 0x10000, MEM_DECOMMIT);
  hand_out("header", 0);
  while (more == 1 && !trace.closed) {
    FILE *file = beside(".events", "r");
    if (file) {
      char path[1024];
      more = hand_all(file);
      fclose(file);
      snprintf(path, sizeof path, "%s.events", getenv("NTRAIL_STANDIN"));
      DeleteFileA(path);
      if (more == 1 && !buffer_ends()) more = 0;
    }
    if (!hands_out(trace.name)) more = 2;
    Sleep(5);
  }
  VirtualFree(trace.page, 0, MEM_RELEASE);
  trace.processing = 0;
  return more ? ERROR_SUCCESS : ERROR_CANCELLED;
}

static const struct {
  GUID guid;
  const WCHAR *name;
} registered[] = {
    {{0x1c95126e, 0x7eea, 0x49a9, {0xa3, 0xfe, 0xa3, 0x78, 0xb0, 0x3d, 0xdb, 0x4d}},
     L"Microsoft-Windows-DNS-Client"},
    {{0xe13c0d23, 0xccbc, 0x4e12, {0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4}},
     L"Microsoft-Windows-DotNETRuntime"},
    {{0x22fb2cd6, 0x0e7b, 0x422b, {0xa0, 0xc7, 0x2f, 0xad, 0x1f, 0xd0, 0xe7, 0x16}},
     L"Microsoft-Windows-Kernel-Process"}};
#define LISTED (sizeof registered / sizeof *registered)

EXPORT ULONG WINAPI TdhEnumerateProviders(PROVIDER_ENUMERATION_INFO *buffer, ULONG *size) {
  ULONG code = told("TdhEnumerateProviders"), i, need, at;
  if (code) return code;
  if (!size) return wrong("size of the list");
  at = FIELD_OFFSET(PROVIDER_ENUMERATION_INFO, TraceProviderInfoArray[LISTED]);
  need = at;
  for (i = 0; i < LISTED; i++) need += 2 * (ULONG)wcslen(registered[i].name) + 2;
  if (*size < need) {
    *size = need;
    return ERROR_INSUFFICIENT_BUFFER;
  }
  if (!buffer) return wrong("memory of the list");
  *size = need;
  buffer->NumberOfProviders = LISTED;
  for (i = 0; i < LISTED; i++) {
    buffer->TraceProviderInfoArray[i].ProviderGuid = registered[i].guid;
    buffer->TraceProviderInfoArray[i].SchemaSource = 0;
    buffer->TraceProviderInfoArray[i].ProviderNameOffset = at;
    wcscpy((WCHAR *)((char *)buffer + at), registered[i].name);
    at += 2 * (ULONG)wcslen(registered[i].name) + 2;
  }
  return ERROR_SUCCESS;
}

EXPORT BOOL WINAPI OpenProcessToken(HANDLE process, DWORD access, HANDLE *token) {
  WCHAR name[32];
  HANDLE before = opened;
  if (process != (HANDLE)-1 || access != 0x28 || !token) {
    SetLastError(wrong("token"));
    return FALSE;
  }
  /* By its name: the number of one that was closed may be another object's. */
  swprintf(name, 32, L"standin-token-%lu", GetCurrentProcessId());
  opened = CreateEventW(NULL, TRUE, FALSE, name);
  if (GetLastError() == ERROR_ALREADY_EXISTS) {
    CloseHandle(opened);
    CloseHandle(before);
    SetLastError(wrong("token that was left open"));
    return FALSE;
  }
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

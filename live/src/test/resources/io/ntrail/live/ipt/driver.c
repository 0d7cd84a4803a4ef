/*
 * Plays the service Ipt and its device. Requests are read through declarations of their own, whose
 * layout is the compiler's; what is wrong with one is written to NTRAIL_STANDIN.why, and the call
 * fails with 87. Requests that were accepted are told in NTRAIL_STANDIN.calls, a line each. A line
 * "FUNCTION CODE" in NTRAIL_STANDIN.fail has a function, or a request by its number, fail.
 *
 * A line "OLD 1" there plays the driver of Windows 10 1809, whose structures are shorter.
 */
#define OpenSCManagerW Header_OpenSCManagerW
#define OpenServiceW Header_OpenServiceW
#define StartServiceW Header_StartServiceW
#define CloseServiceHandle Header_CloseServiceHandle
#define CreateFileW Header_CreateFileW
#define CloseHandle Header_CloseHandle
#define DeviceIoControl Header_DeviceIoControl
#define _WIN32_WINNT 0x0A00
#include <windows.h>
#include <winioctl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#undef OpenSCManagerW
#undef OpenServiceW
#undef StartServiceW
#undef CloseServiceHandle
#undef CreateFileW
#undef CloseHandle
#undef DeviceIoControl

#define EXPORT __declspec(dllexport)
#define DEVICE ((HANDLE)(ULONG_PTR)0x1970)
#define MANAGER ((SC_HANDLE)(ULONG_PTR)0x1971)
#define SERVICE ((SC_HANDLE)(ULONG_PTR)0x1972)

typedef struct {
  ULONG64 version : 4, timing : 4, mtc : 4, cyc : 4, size : 4, match : 3, children : 1, mode : 4;
  ULONG64 reserved : 36;
} Options;

typedef struct {
  ULONG major, minor;
  int type;
  union {
    struct {
      USHORT version;
      ULONG64 process;
    } trace;
    struct {
      ULONG64 process;
      Options options;
    } start;
    struct {
      ULONG64 handle;
    } one;
    struct {
      ULONG64 thread;
      ULONG index, use;
      ULONG64 first, last;
    } range;
  };
} Input;

typedef struct {
  union {
    USHORT version;
    struct {
      USHORT version;
      ULONGLONG size;
    } trace;
    Options options;
    struct {
      ULONG use;
      ULONG64 first, last;
    } range;
    BOOLEAN entered;
  };
} Output;

#pragma pack(push, 1)
typedef struct {
  ULONG64 thread;
  ULONG timing, mtc, ratio, offset, size;
} Ring;
#pragma pack(pop)

static int running, asked, opened, reads;
static DWORD traced;
static Options options;
static struct {
  ULONG use;
  ULONG64 first, last;
} ranges[4];

static FILE *beside(const char *suffix, const char *mode) {
  char path[1024];
  snprintf(path, sizeof path, "%s%s", getenv("NTRAIL_STANDIN"), suffix);
  return fopen(path, mode);
}

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

static void tell(const char *format, ...) {
  FILE *file = beside(".calls", "a");
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fclose(file);
}

static BOOL fails(ULONG code) {
  SetLastError(code);
  return FALSE;
}

static BOOL wrong(const char *why) {
  FILE *file = beside(".why", "a");
  fprintf(file, "%s\n", why);
  fclose(file);
  return fails(ERROR_INVALID_PARAMETER);
}

EXPORT SC_HANDLE WINAPI OpenSCManagerW(const WCHAR *machine, const WCHAR *base, DWORD access) {
  if (told("OpenSCManagerW")) return fails(told("OpenSCManagerW")), NULL;
  if (machine || base || access != SC_MANAGER_CONNECT) return wrong("manager of services"), NULL;
  asked++;
  return MANAGER;
}

EXPORT SC_HANDLE WINAPI OpenServiceW(SC_HANDLE manager, const WCHAR *name, DWORD access) {
  if (told("OpenServiceW")) return fails(told("OpenServiceW")), NULL;
  if (manager != MANAGER || wcsicmp(name, L"Ipt") || !(access & SERVICE_START))
    return wrong("service"), NULL;
  asked++;
  return SERVICE;
}

EXPORT BOOL WINAPI StartServiceW(SC_HANDLE service, DWORD count, const WCHAR **words) {
  if (told("StartServiceW")) return fails(told("StartServiceW"));
  if (service != SERVICE || count || words) return wrong("start of the service");
  if (running) return fails(ERROR_SERVICE_ALREADY_RUNNING);
  running = 1;
  tell("service\n");
  return TRUE;
}

EXPORT BOOL WINAPI CloseServiceHandle(SC_HANDLE handle) {
  if (handle != MANAGER && handle != SERVICE) return wrong("handle of a service");
  asked--;
  return TRUE;
}

EXPORT HANDLE WINAPI CreateFileW(const WCHAR *name, DWORD access, DWORD share,
    SECURITY_ATTRIBUTES *security, DWORD how, DWORD flags, HANDLE pattern) {
  if (told("CreateFileW")) return fails(told("CreateFileW")), INVALID_HANDLE_VALUE;
  if (asked) return wrong("services are left open"), INVALID_HANDLE_VALUE;
  if (wcscmp(name, L"\\\\.\\IPT") || (access & (GENERIC_READ | GENERIC_WRITE)) != access || !access
      || how != OPEN_EXISTING || security || flags || pattern)
    return wrong("device"), INVALID_HANDLE_VALUE;
  if (!running) return fails(ERROR_FILE_NOT_FOUND), INVALID_HANDLE_VALUE;
  (void)share;
  opened++;
  return DEVICE;
}

EXPORT BOOL WINAPI CloseHandle(HANDLE handle) {
  if (handle != DEVICE || !opened) return wrong("handle of the device");
  opened--;
  return TRUE;
}

static const char *bad_options(const Options *o) {
  if (o->version != 1) return "version of the options";
  if (o->timing > 2) return "timing";
  if (o->timing < 2 && o->cyc) return "cycles without CYC";
  if (o->timing < 1 && o->mtc) return "frequency without MTC";
  if (o->match || o->children) return "match of a process";
  if (o->mode) return "mode of a process";
  if (o->reserved) return "reserved bits";
  return NULL;
}

/* Rings of two threads: the second one ends in a part of a page, and is not aligned. */
static ULONG rings(unsigned char *to) {
  ULONG size = 4096u << options.size, at = 8, i, j;
  for (i = 0; i < 2; i++) {
    Ring ring = {4316 + 4 * i, options.timing, options.mtc, 0x54, i ? 100 : size / 2, size};
    if (to) {
      memcpy(to + at, &ring, sizeof ring);
      memset(to + at + sizeof ring, 0, size);
      for (j = 0; j < 16; j++) to[at + sizeof ring + 32 + j] = j % 2 ? 0x82 : 0x02;
      to[at + sizeof ring + 48] = 0x02;
      to[at + sizeof ring + 49] = 0x23;
      for (j = 50; j < 60; j++) to[at + sizeof ring + j] = (unsigned char)(4 + 2 * i);
    }
    at += sizeof ring + size;
  }
  if (to) {
    ((USHORT *)to)[0] = 1;
    ((USHORT *)to)[1] = !told("invalid");
    ((ULONG *)to)[1] = at - 8;
  }
  return at;
}

static BOOL trace(const Input *in, void *to, DWORD room, DWORD *returned) {
  if (in->trace.version != 1) return wrong("version of the trace");
  if (GetProcessId((HANDLE)(ULONG_PTR)in->trace.process) != traced || !traced)
    return fails(ERROR_NOT_FOUND);
  if (in->type == 1) {
    Output *out = to;
    out->trace.version = 1;
    out->trace.size = told("huge") ? 1ULL << 31 : rings(NULL);
    *returned = sizeof *out;
    return TRUE;
  }
  if (reads++ == 0 && told("late")) return fails(ERROR_INSUFFICIENT_BUFFER);
  if (room < rings(NULL) || room % 4096) return wrong("room for the trace");
  *returned = rings(to);
  if (told("cut")) *returned -= 1;
  tell("read %lu\n", rings(NULL));
  return TRUE;
}

static BOOL range(const Input *in, Output *out) {
  DWORD thread = GetThreadId((HANDLE)(ULONG_PTR)in->range.thread);
  if (!thread) return wrong("handle of a thread");
  if (in->type == 15) {
    out->entered = ranges[0].use == 2;
    return TRUE;
  }
  if (in->range.index > 3) return wrong("index of a range");
  if (in->type == 14) {
    out->range.use = ranges[in->range.index].use;
    out->range.first = ranges[in->range.index].first;
    out->range.last = ranges[in->range.index].last;
    return TRUE;
  }
  if (in->range.use > 2 || in->range.last < in->range.first) return wrong("range");
  ranges[in->range.index].use = in->range.use;
  ranges[in->range.index].first = in->range.first;
  ranges[in->range.index].last = in->range.last;
  tell("range %lu %lu %I64x %I64x\n", in->range.index, in->range.use, in->range.first,
       in->range.last);
  return TRUE;
}

EXPORT BOOL WINAPI DeviceIoControl(HANDLE device, DWORD code, void *input, DWORD in_length,
    void *output, DWORD out_length, DWORD *returned, OVERLAPPED *overlapped) {
  const Input *in = input;
  Output *out = output;
  int old = told("OLD");
  int is_read = code == CTL_CODE(FILE_DEVICE_UNKNOWN, 1, METHOD_OUT_DIRECT, FILE_ANY_ACCESS);
  char number[16];
  const char *why;
  if (device != DEVICE || !opened) return wrong("device of a request");
  if (!is_read && code != CTL_CODE(FILE_DEVICE_UNKNOWN, 1, METHOD_BUFFERED, FILE_ANY_ACCESS))
    return wrong("code of the request");
  if (!in || in_length != (old ? 0x28u : sizeof *in)) return wrong("length of the request");
  if (!returned || overlapped) return wrong("place of the count");
  if (in->major != 1 || in->minor) return wrong("version of the request");
  if (is_read != (in->type == 2)) return wrong("request by another code");
  if (!out || (!is_read && out_length != (old ? 0x10u : sizeof *out)))
    return wrong("length of the answer");
  snprintf(number, sizeof number, "%d", in->type);
  if (told(number)) return fails(told(number));
  if (in->type > 12 && old) return wrong("request that is not there yet");
  *returned = old ? 0x10 : sizeof *out;
  switch (in->type) {
  case 0:
    out->version = told("version") ? 2 : 1;
    return TRUE;
  case 1:
  case 2:
    return trace(in, output, out_length, returned);
  case 5:
    why = bad_options(&in->start.options);
    if (why) return wrong(why);
    if (!GetProcessId((HANDLE)(ULONG_PTR)in->start.process)) return wrong("handle of a process");
    if (traced) return fails(ERROR_BUSY);
    traced = GetProcessId((HANDLE)(ULONG_PTR)in->start.process);
    options = in->start.options;
    tell("start %I64x\n", *(const ULONG64 *)&options);
    return TRUE;
  case 6:
  case 9:
    if (GetProcessId((HANDLE)(ULONG_PTR)in->one.handle) != traced || !traced)
      return fails(ERROR_NOT_FOUND);
    if (in->type == 9) out->options = options;
    else traced = 0, tell("stop\n");
    return TRUE;
  case 13:
  case 14:
  case 15:
    return range(in, out);
  }
  return wrong("kind of request");
}

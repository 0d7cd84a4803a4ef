// 49 threads that do everything at once, and come to the same result every time.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>
#include "traced.h"

static const int THREADS = 48;
static volatile LONG results[THREADS];
static char folder[MAX_PATH];

struct Counted {
  long &n;
  explicit Counted(long &m) : n(m) { n++; }
  ~Counted() { n += 3; }
};

TRACED long thrower(long depth, long what, long *count) {
  Counted counted(*count);
  if (depth == 0) {
    if (what % 3 == 0) throw what;
    if (what % 3 == 1) throw std::runtime_error(std::to_string(what));
    return what;
  }
  return thrower(depth - 1, what, count) + 1;
}
static long throws(int me) {
  long sum = 0;
  for (int i = 0; i < 640; i++) {
    try {
      try {
        sum += thrower(i % 7, i, &sum);
      } catch (const std::exception &e) {
        sum += std::stol(e.what());
        if (i % 2) throw;
      }
    } catch (long e) {
      sum += e * 2;
    } catch (...) {
      sum += 5;
    }
  }
  return sum + me;
}

struct Ring {
  void *home;
  void *fibers[3];
  long sum;
};
TRACED void climb(Ring *ring, int me, int depth) {
  ring->sum += depth * (me + 1);
  if (depth % 2) SwitchToFiber(me < 2 ? ring->fibers[me + 1] : ring->home);
  if (depth > 0) climb(ring, me, depth - 1);
  ring->sum += 1;
}
static Ring *starting;
static void CALLBACK fiber(void *argument) {
  Ring *ring = *(Ring **)argument;
  int me = (int)(intptr_t)((void **)argument)[1];
  for (;;) climb(ring, me, 12 + me);
}
static long fibers(int me) {
  Ring ring = {};
  void *arguments[3][2];
  ring.home = ConvertThreadToFiber(0);
  for (int i = 0; i < 3; i++) {
    arguments[i][0] = &ring;
    arguments[i][1] = (void *)(intptr_t)i;
    ring.fibers[i] = CreateFiber(0, fiber, arguments[i]);
  }
  for (int i = 0; i < 300; i++) SwitchToFiber(ring.fibers[0]);
  for (int i = 0; i < 3; i++) DeleteFiber(ring.fibers[i]);
  ConvertFiberToThread();
  return ring.sum + me;
}

TRACED void apc_work(long *sum) {
  try {
    *sum += thrower(2, 9, sum);
  } catch (long e) {
    *sum += e;
  }
}
static void CALLBACK apc(ULONG_PTR sum) { apc_work((long *)sum); }
static long apcs(int me) {
  long sum = 0;
  for (int i = 0; i < 200; i++) {
    QueueUserAPC(apc, GetCurrentThread(), (ULONG_PTR)&sum);
    QueueUserAPC(apc, GetCurrentThread(), (ULONG_PTR)&sum);
    SleepEx(0, TRUE);
  }
  return sum + me;
}

static long files(int me) {
  char name[MAX_PATH], line[64];
  long sum = 0;
  std::snprintf(name, sizeof name, "%s\\ntrail-work-%lu-%d", folder, GetCurrentProcessId(), me);
  for (int round = 0; round < 6; round++) {
    FILE *file = std::fopen(name, "w+b");
    if (!file) return -1;
    for (int i = 0; i < 200; i++) std::fprintf(file, "%d %d\n", i * me, i);
    std::rewind(file);
    while (std::fgets(line, sizeof line, file)) sum += std::atol(line);
    std::fclose(file);
  }
  DeleteFileA(name);
  return sum;
}

static long heaps(int me) {
  long sum = 0;
  HANDLE own = HeapCreate(0, 0, 0);
  std::vector<std::pair<HANDLE, unsigned char *>> live;
  for (int i = 0; i < 3000; i++) {
    HANDLE heap = i % 3 ? GetProcessHeap() : own;
    size_t size = 1 + (i * 37 + me) % 700;
    unsigned char *block = (unsigned char *)HeapAlloc(heap, 0, size);
    std::memset(block, i, size);
    live.emplace_back(heap, block);
    if (i % 2) {
      auto victim = live[(i * 13) % live.size()];
      live[(i * 13) % live.size()] = live.back();
      live.pop_back();
      sum += victim.second[0];
      HeapFree(victim.first, 0, victim.second);
    }
  }
  for (auto &left : live) HeapFree(left.first, 0, left.second);
  HeapDestroy(own);
  return sum;
}

static const char *const names[] = {"version.dll", "psapi.dll", "imagehlp.dll", "shlwapi.dll"};
static long libraries(int me) {
  long sum = 0;
  for (int i = 0; i < 12; i++) {
    HMODULE library = LoadLibraryA(names[(i + me) % 4]);
    if (library) {
      sum += GetProcAddress(library, "VerQueryValueA") ? 2 : 1;
      FreeLibrary(library);
    }
  }
  return sum;
}

static long registry(int me) {
  char key[64];
  long sum = 0;
  std::snprintf(key, sizeof key, "Software\\ntrail-work-%lu-%d", GetCurrentProcessId(), me);
  for (int i = 0; i < 30; i++) {
    HKEY handle;
    DWORD value = i * me, got = 0, size = sizeof got;
    if (RegCreateKeyExA(HKEY_CURRENT_USER, key, 0, 0, 0, KEY_ALL_ACCESS, 0, &handle, 0)) return -1;
    RegSetValueExA(handle, "v", 0, REG_DWORD, (BYTE *)&value, sizeof value);
    RegQueryValueExA(handle, "v", 0, 0, (BYTE *)&got, &size);
    sum += got;
    RegCloseKey(handle);
  }
  RegDeleteKeyA(HKEY_CURRENT_USER, key);
  return sum;
}

// In memory only: there may be no screen.
static long drawing(int me) {
  long sum = 0;
  char text[64];
  for (int i = 0; i < 60; i++) {
    RECT a = {i, me, i + 40, me + 30}, b = {i + 10, me + 5, i + 90, me + 60}, both;
    sum += IntersectRect(&both, &a, &b) + both.right - both.left;
    OffsetRect(&a, i, -i);
    InflateRect(&a, 3, 4);
    sum += UnionRect(&both, &a, &b) + both.bottom - both.top;
    wsprintfA(text, "Round %d of %d", i, me);
    CharUpperA(text);
    sum += text[1] + (CharLowerA(text), text[3]) + (long)std::strlen(text);
    HRGN region = CreateRectRgnIndirect(&a), other = CreateEllipticRgn(i, me, i + 50, me + 40);
    HRGN sumOf = CreateRectRgn(0, 0, 0, 0);
    sum += CombineRgn(sumOf, region, other, i % 2 ? RGN_XOR : RGN_AND);
    sum += GetRegionData(sumOf, 0, 0) + GetRgnBox(sumOf, &both) + both.left + both.bottom;
    DeleteObject(region);
    DeleteObject(other);
    DeleteObject(sumOf);
    HDC memory = CreateCompatibleDC(0);
    BITMAPINFO info = {};
    info.bmiHeader.biSize = sizeof info.bmiHeader;
    info.bmiHeader.biWidth = info.bmiHeader.biHeight = 32;
    info.bmiHeader.biPlanes = 1;
    info.bmiHeader.biBitCount = 32;
    void *bits;
    HBITMAP bitmap = CreateDIBSection(memory, &info, DIB_RGB_COLORS, &bits, 0, 0);
    HGDIOBJ before = SelectObject(memory, bitmap);
    HBRUSH brush = CreateSolidBrush(RGB(i, me, 77));
    RECT all = {4, 4, 28, 28};
    sum += FillRect(memory, &all, brush) + (GetPixel(memory, 6, 6) & 0xFF);
    PatBlt(memory, 0, 0, 16, 16, DSTINVERT);
    for (int at = 0; at < 32 * 32; at++) sum += ((unsigned *)bits)[at] & 0xFF;
    SelectObject(memory, before);
    DeleteObject(brush);
    DeleteObject(bitmap);
    DeleteDC(memory);
  }
  return sum;
}

static long sockets(int me) {
  WSADATA data;
  long sum = WSAStartup(MAKEWORD(2, 2), &data);
  char text[64];
  for (int i = 0; i < 25; i++) {
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = inet_addr("127.0.0.1");
    SOCKET in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
    int size = sizeof to;
    sum += bind(in, (sockaddr *)&to, size) + getsockname(in, (sockaddr *)&to, &size);
    for (int n = 0; n < 5; n++) {
      std::snprintf(text, sizeof text, "%d of %d", n * i, me);
      sum += sendto(out, text, (int)std::strlen(text), 0, (sockaddr *)&to, sizeof to);
      int got = recv(in, text, sizeof text, 0);
      sum += got > 0 ? text[got - 1] : -1000;
    }
    closesocket(in);
    closesocket(out);
    in_addr address;
    sum += inet_pton(AF_INET, "10.1.2.3", &address) + ntohl(address.s_addr) % 1000;
    sum += htons((u_short)i) + (long)std::strlen(inet_ntoa(address));
  }
  return sum + WSACleanup();
}

static DWORD CALLBACK body(void *argument) {
  int me = (int)(intptr_t)argument;
  long sum;
  switch (me % 14) {
    case 0: case 1: case 2: case 3: sum = throws(me); break;
    case 4: case 5: sum = fibers(me); break;
    case 6: sum = apcs(me); break;
    case 7: sum = files(me); break;
    case 8: case 9: sum = heaps(me); break;
    case 10: sum = libraries(me); break;
    case 11: sum = registry(me); break;
    case 12: sum = drawing(me); break;
    default: sum = sockets(me); break;
  }
  results[me] = sum;
  return me;
}

int main() {
  HANDLE threads[THREADS];
  GetTempPathA(sizeof folder, folder);
  for (int i = 0; i < THREADS; i++) {
    threads[i] = CreateThread(0, 0, body, (void *)(intptr_t)i, 0, 0);
  }
  WaitForMultipleObjects(THREADS, threads, TRUE, INFINITE);
  for (int i = 0; i < THREADS; i++) {
    DWORD code;
    GetExitCodeThread(threads[i], &code);
    std::printf("thread %d: %ld, ended with %lu\n", i, results[i], code);
  }
  return 49;
}

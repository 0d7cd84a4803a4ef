# Writes C: functions of 20 to 90 bytes, and a program that calls each of them.
BEGIN {
  print "#include <winsock2.h>\n#include <windows.h>"
  for (i = 0; i < count; i++) {
    printf "__declspec(dllexport) int f%05d(int x) { ", i
    for (j = 0; j <= i * 7 % 5; j++) {
      printf "x ^= x * %d + %d; ", i * 31 + 7, j * 97 + 3
    }
    print "return x; }"
  }
  print "static int (*const all[])(int) = {"
  for (i = 0; i < count; i++) {
    printf "f%05d,\n", i
  }
  print "};"
  # Never called; so that the modules are loaded.
  print "void *volatile others[] = {MessageBoxW, BitBlt, closesocket, RegOpenKeyW};"
  print "int main(void) { int x = 1; for (int i = 0; i < " count "; i++) x = all[i](x); return x == 0; }"
}

#pragma D option quiet
BEGIN {
  x = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#";
  y = "abcdefghijklmnopqrstuvwxyz";
  printf("%3d %3d\n", 64, rindex(x, y));
  printf("%3d %3d\n", -1, rindex(x, y, -1));
  printf("%3d %3d\n", 0, rindex(x, y, 0));
  printf("%3d %3d\n", 0, rindex(x, y, 1));
  printf("%3d %3d\n", 64, rindex(x, y, 70));
  printf("%3d %3d\n", 64, rindex(x, y, 200));
  y = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#a";
  printf("%3d %3d\n", -1, rindex(x, y, -1));
  printf("%3d %3d\n", 0, rindex(x, y));
  printf("%3d %3d\n", 0, rindex(x, y, 0));
  x = "";
  y = "klmnopqrstuvw";
  printf("%3d %3d\n", -1, rindex(x, y));
  printf("%3d %3d\n", 13, rindex(y, x));
  x = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
  printf("%3d %3d\n", 114, rindex(x, y));
  printf("%3d %3d\n", -1, rindex(x, y, -1));
  printf("%3d %3d\n", -1, rindex(x, y, 0));
  printf("%3d %3d\n", -1, rindex(x, y, 9));
  printf("%3d %3d\n", 10, rindex(x, y, 10));
  printf("%3d %3d\n", 10, rindex(x, y, 35));
  printf("%3d %3d\n", 36, rindex(x, y, 36));
  printf("%3d %3d\n", 36, rindex(x, y, 61));
  printf("%3d %3d\n", 62, rindex(x, y, 62));
  printf("%3d %3d\n", 62, rindex(x, y, 87));
  printf("%3d %3d\n", 88, rindex(x, y, 88));
  printf("%3d %3d\n", 114, rindex(x, y, 114));
  printf("%3d %3d\n", 114, rindex(x, y, 200));
  x = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  y = "aaaa";
  printf("%3d %3d\n", 28, rindex(x, y));
  printf("%3d %3d\n", -1, rindex(x, y, -1));
  exit(0);
}

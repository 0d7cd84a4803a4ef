#pragma D option quiet
BEGIN {
  x = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#";
  y = "abcdefghijklmnopqrstuvwxyz";
  printf("%3d %3d\n", 0, index(x, y));
  printf("%3d %3d\n", 0, index(x, y, -1));
  printf("%3d %3d\n", 0, index(x, y, 0));
  printf("%3d %3d\n", 64, index(x, y, 1));
  printf("%3d %3d\n", -1, index(x, y, 100));
  printf("%3d %3d\n", -1, index(x, y, 200));
  y = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#a";
  printf("%3d %3d\n", 0, index(x, y));
  printf("%3d %3d\n", 0, index(x, y, 0));
  printf("%3d %3d\n", -1, index(x, y, 1));
  x = "";
  printf("%3d %3d\n", -1, index(x, y));
  printf("%3d %3d\n", 0, index(x, ""));
  x = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
  y = "klmnopqrstuvw";
  printf("%3d %3d\n", 10, index(x, y));
  printf("%3d %3d\n", 10, index(x, y, 0));
  printf("%3d %3d\n", 10, index(x, y, 10));
  printf("%3d %3d\n", 36, index(x, y, 20));
  printf("%3d %3d\n", 36, index(x, y, 30));
  printf("%3d %3d\n", 62, index(x, y, 40));
  printf("%3d %3d\n", 62, index(x, y, 50));
  printf("%3d %3d\n", 62, index(x, y, 60));
  printf("%3d %3d\n", 88, index(x, y, 70));
  printf("%3d %3d\n", 88, index(x, y, 80));
  printf("%3d %3d\n", 114, index(x, y, 90));
  exit(0);
}

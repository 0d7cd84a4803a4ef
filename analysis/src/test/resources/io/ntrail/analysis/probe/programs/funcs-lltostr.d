#pragma D option quiet
BEGIN {
  printf("%s\n", lltostr(0));
  printf("%s\n", lltostr(1));
  printf("%s\n", lltostr(-1));
  printf("%s\n", lltostr(123456789));
  printf("%s\n", lltostr(-123456789));
  printf("%s\n", lltostr(1LL << 62));
  printf("%s\n", lltostr(-(1LL << 62)));
  printf("%s\n", lltostr((1LL << 63) - 2));
  printf("%s\n", lltostr((1LL << 63) - 1));
  printf("%s\n", lltostr(1LL << 63));
  printf("%s\n", lltostr((1LL << 63) + 1));
  exit(0);
}

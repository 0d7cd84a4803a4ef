#pragma D option quiet
unsigned int i; char c; short s; long long ll;
BEGIN {
  c = 'A'; i = c; printf("c is %c i is %d\n", c, i);
  i = 1601; c = i; printf("i is %d c is %c\n", i, c);
  c = 'A'; s = c; printf("c is %c s is %d\n", c, s);
  s = 1601; c = s; printf("s is %d c is %c\n", s, c);
  i = 1601; s = i; printf("i is %d s is %d\n", i, s);
  s = 1601; i = s; printf("s is %d i is %d\n", s, i);
  i = 4294967295; ll = i; printf("i is %d ll is %x\n", i, ll);
  ll = 8589934591; i = ll; printf("ll is %d i is %x\n", ll, i);
  c = 'A'; ll = c; printf("c is %c ll is %x\n", c, ll);
  ll = 8589934401; c = ll; printf("ll is %x c is %c\n", ll, c);
  exit(0);
}

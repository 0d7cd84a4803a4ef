#pragma D option quiet
BEGIN {
  @a = count(); @b = max(1); @c[0] = count(); @d[0] = max(1);
  printa("\n@a = %@u\n", @a); printa("@b = %@u\n", @b); printa("@c = %@u\n", @c); printa("@d = %@u\n", @d);
  exit(0);
}

#pragma D option quiet
BEGIN {
  @a = stddev(0LL); @a = stddev(2 * 0LL);
  @b = stddev(0x10LL); @b = stddev(2 * 0x10LL);
  @c = stddev(0x100LL); @c = stddev(2 * 0x100LL);
  @d = stddev(0x1000LL); @d = stddev(2 * 0x1000LL);
  @e = stddev(0x10000LL); @e = stddev(2 * 0x10000LL);
  @f = stddev(0x100000LL); @f = stddev(2 * 0x100000LL);
  @g = stddev(0x1000000LL); @g = stddev(2 * 0x1000000LL);
  @h = stddev(0x10000000LL); @h = stddev(2 * 0x10000000LL);
  @i = stddev(0x20000000LL); @i = stddev(2 * 0x20000000LL);
  @j = stddev(0x40000000LL); @j = stddev(2 * 0x40000000LL);
  @k = stddev(0x80000000LL); @k = stddev(2 * 0x80000000LL);
  @l = stddev(0x100000000LL); @l = stddev(2 * 0x100000000LL);
  printa("%9@x\n", @a);
  printa("%9@x\n", @b);
  printa("%9@x\n", @c);
  printa("%9@x\n", @d);
  printa("%9@x\n", @e);
  printa("%9@x\n", @f);
  printa("%9@x\n", @g);
  printa("%9@x\n", @h);
  printa("%9@x\n", @i);
  printa("%9@x\n", @j);
  printa("%9@x\n", @k);
  printa("%9@x\n", @l);
  exit(0);
}

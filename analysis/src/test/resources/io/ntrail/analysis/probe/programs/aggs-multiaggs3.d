#pragma D option quiet
BEGIN { i = 0; }
tick-1ms /i < 1000/ {
  @a = count(); @b = avg(i); @c = sum(i); @d = min(i); @e = max(i); @f = quantize(i); @g = lquantize(i, 0, 1000, 100);
  i += 100;
}
tick-1ms /i == 1000/ {
  printa("%@d\n", @g); printa("%@d\n", @f); printa("%@d\n", @e); printa("%@d\n", @d);
  printa("%@d\n", @c); printa("%@d\n", @b); printa("%@d\n", @a);
  exit(0);
}

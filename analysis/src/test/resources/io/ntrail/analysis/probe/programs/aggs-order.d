#pragma D option quiet
BEGIN {
  @a[8] = sum(1);
  @a[6] = sum(1);
  @a[7] = sum(1);
  @a[5] = sum(1);
  @a[3] = sum(1);
  @a[0] = sum(1);
  @a[9] = sum(1);
  @b["Edmonton"] = sum(1);
  @b["Calgary"] = sum(1);
  @b["Winnipeg"] = sum(1);
  @b["Regina"] = sum(1);
  @b["Shanghai"] = sum(1);
  @b["London"] = sum(1);
  @b["Dublin"] = sum(1);
  @b["Ghent"] = sum(1);
  @b["Zurich"] = sum(1);
  @b["Berlin"] = sum(1);
  @c[8, "Rice"] = sum(1);
  @c[8, "Oatmeal"] = sum(1);
  @c[8, "Barley"] = sum(1);
  @c[8, "Carrots"] = sum(1);
  @c[8, "Sweet potato"] = sum(1);
  @c[8, "Asparagus"] = sum(1);
  @c[8, "Squash"] = sum(1);
  @d['a'] = sum(1);
  @d['s'] = sum(1);
  @d['d'] = sum(1);
  @d['f'] = sum(1);
  printa("%d\n", @a); printf("\n"); printa("%s\n", @b); printf("\n"); printa("%d %s\n", @c); printf("\n"); printa("%c\n", @d); printf("\n");
  exit(0);
}

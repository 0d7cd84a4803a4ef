#pragma D option quiet
#pragma D option aggsortkey
BEGIN {
  trace((char)-2); trace("\n");
  trace((char)-1); trace("\n");
  trace((char)0); trace("\n");
  trace((char)1); trace("\n");
  trace((char)2); trace("\n");
  trace("\n");
  trace((short)-2); trace("\n");
  trace((short)-1); trace("\n");
  trace((short)0); trace("\n");
  trace((short)1); trace("\n");
  trace((short)2); trace("\n");
  trace("\n");
  trace((int)-2); trace("\n");
  trace((int)-1); trace("\n");
  trace((int)0); trace("\n");
  trace((int)1); trace("\n");
  trace((int)2); trace("\n");
  trace("\n");
  trace((long long)-2); trace("\n");
  trace((long long)-1); trace("\n");
  trace((long long)0); trace("\n");
  trace((long long)1); trace("\n");
  trace((long long)2); trace("\n");
  @a[(char)-2] = sum((char)-2);
  @a[(char)-1] = sum((char)-1);
  @a[(char)0] = sum((char)0);
  @a[(char)1] = sum((char)1);
  @a[(char)2] = sum((char)2);
  @b[(short)-2] = sum((short)-2);
  @b[(short)-1] = sum((short)-1);
  @b[(short)0] = sum((short)0);
  @b[(short)1] = sum((short)1);
  @b[(short)2] = sum((short)2);
  @c[(int)-2] = sum((int)-2);
  @c[(int)-1] = sum((int)-1);
  @c[(int)0] = sum((int)0);
  @c[(int)1] = sum((int)1);
  @c[(int)2] = sum((int)2);
  @d[(long long)-2] = sum((long long)-2);
  @d[(long long)-1] = sum((long long)-1);
  @d[(long long)0] = sum((long long)0);
  @d[(long long)1] = sum((long long)1);
  @d[(long long)2] = sum((long long)2);
  exit(0);
}

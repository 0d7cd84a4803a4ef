#pragma D option quiet
BEGIN {
  printf("strchr(\"%s\", '%c') = \"%s\"\n", "fooeyfooeyfoo", 'f', strchr("fooeyfooeyfoo", 'f'));
  printf("strrchr(\"%s\", '%c') = \"%s\"\n", "fooeyfooeyfoo", 'f', strrchr("fooeyfooeyfoo", 'f'));
  printf("strchr(\"%s\", '%c') = \"%s\"\n", "fooeyfooeyfoo", 'y', strchr("fooeyfooeyfoo", 'y'));
  printf("strrchr(\"%s\", '%c') = \"%s\"\n", "fooeyfooeyfoo", 'y', strrchr("fooeyfooeyfoo", 'y'));
  printf("strrchr(\"%s\", '%c') = \"%s\"\n", "yfooeyfoo", 'y', strrchr("yfooeyfoo", 'y'));
}
BEGIN /strchr("fooeyfooeyfoo", 'a') != NULL || strrchr("fooeyfooeyfoo", 'a') != NULL/ { printf("not NULL\n"); }
BEGIN { exit(0); }

#pragma D option quiet
BEGIN {
  printf("decimal value = %d; character value = %c\n", 'a', 'a');
  printf("decimal value = %d; character value = %c\n", '\"', '\"');
  printf("decimal value = %d; character value = %c\n", '\"\ba', '\"\ba');
  printf("decimal value = %d; character value = %c\n", '\?', '\?');
  printf("decimal value = %d; character value = %c\n", '\'', '\'');
  printf("decimal value = %d; character value = %c\n", '\\', '\\');
  printf("decimal value = %d; character value = %c\n", '\0103', '\0103');
  printf("decimal value = %d; character value = %c\n", '\x4E', '\x4E');
  printf("decimal value = %d; character value = %c\n", '\c', '\c');
  printf("decimal value = %d; character value = %c\n", 'ab\"d', 'ab\"d');
  printf("decimal value = %d\n", 'a\bcdefgh');
  exit(0);
}

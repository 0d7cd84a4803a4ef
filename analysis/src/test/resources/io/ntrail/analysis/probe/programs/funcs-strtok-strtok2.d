#pragma D option quiet
BEGIN {
  x = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  printf("%s\n", strtok(x, "abcABC")); printf("%s\n", strtok(NULL, "MNO")); printf("%s\n", strtok(NULL, "MNO")); printf("%s\n", strtok(NULL, "0123456789"));
  printf("%s\n", strtok(NULL, "0123456789") == NULL ? "got expected NULL" : "ERROR: non-NULL");
  printf("%s\n", strtok("", "") == NULL ? "got expected NULL" : "ERROR: non-NULL");
  printf("%s\n", strtok("foo", ""));
  printf("%s\n", strtok("", "foo") == NULL ? "got expected NULL" : "ERROR: non-NULL");
  exit(0);
}

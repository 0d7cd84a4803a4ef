#pragma D option quiet
BEGIN {
  @["Ghent", 0, 0] = sum(5 - 0);
  @["Berlin", 1, 1] = sum(5 - 1);
  @["London", 2, 2] = sum(5 - 2);
  @["Dublin", 3, 2] = sum(5 - 2);
  @["Shanghai", 4, 3] = sum(5 - 3);
  @["Zurich", 5, 4] = sum(5 - 4);
  @["Regina", 6, 5] = sum(5 - 5);
  @["Winnipeg", 7, 5] = sum(5 - 5);
  @["Edmonton", 8, 5] = sum(5 - 5);
  @["Calgary", 9, 5] = sum(5 - 5);
  @["Vancouver", 10, 5] = sum(5 - 5);
  @["Victoria", 11, 5] = sum(5 - 5);
  @["Prague", 12, 6] = sum(5 - 6);
  @["London", 13, 6] = sum(5 - 6);
  @["Brisbane", 14, 7] = sum(5 - 7);
  @["Sydney", 15, 7] = sum(5 - 7);
  @["Melbourne", 16, 7] = sum(5 - 7);
  @["Amsterdam", 17, 8] = sum(5 - 8);
}
BEGIN {
  printf("By value:\n"); printa("%20s %8d %8d %8@d\n", @);
  printf("\n");
  setopt("aggsortkey");
  setopt("aggsortkeypos", "0");
  printf("By key, position 0:\n"); printa("%20s %8d %8d %8@d\n", @);
  printf("\n");
  setopt("aggsortkeypos", "1");
  printf("By key, position 1:\n"); printa("%20s %8d %8d %8@d\n", @);
  printf("\n");
  setopt("aggsortkeypos", "2");
  printf("By key, position 2:\n"); printa("%20s %8d %8d %8@d\n", @);
  printf("\n");
  setopt("aggsortrev");
  setopt("aggsortkey", "false");
  setopt("aggsortkeypos", "0");
  printf("Reversed by value:\n"); printa("%20s %8d %8d %8@d\n", @);
  printf("\n");
  setopt("aggsortkey");
  setopt("aggsortkeypos", "0");
  printf("Reversed by key, position 0:\n"); printa("%20s %8d %8d %8@d\n", @);
  printf("\n");
  setopt("aggsortkeypos", "1");
  printf("Reversed by key, position 1:\n"); printa("%20s %8d %8d %8@d\n", @);
  printf("\n");
  setopt("aggsortkeypos", "2");
  printf("Reversed by key, position 2:\n"); printa("%20s %8d %8d %8@d\n", @);
  exit(0);
}

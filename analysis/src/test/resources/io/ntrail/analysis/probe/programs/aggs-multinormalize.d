#pragma D option quiet
BEGIN { i = 0; }
tick-1ms /i < 20/ { @a[i % 5] = sum(i * 100); @b[i % 5 + 1] = sum(i * 200); i++; }
tick-1ms /i == 20/ {
  printf("normalized data #1:\n"); normalize(@a, 5); printa(@a);
  printf("\nnormalized data #2:\n"); normalize(@b, 5);
  exit(0);
}

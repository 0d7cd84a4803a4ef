int n;
BEGIN { n = 1; }
BEGIN { printf("hello world %d", n); }
BEGIN { n += 2; }
BEGIN { printf("%d", n); }
BEGIN {}
BEGIN { n += 4; }
BEGIN { trace(n); }
BEGIN { exit(0); }

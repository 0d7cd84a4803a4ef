#pragma D option quiet
int i, j;
BEGIN { i = 0; j = 0; }
tick-1ms { i++; j++; printf("\n\n%d\n------\n", i); }
tick-1ms /i == 5 || i == 10/ { printf("i == 5 (or) i == 10\n"); }
tick-1ms /i <= 5/ { printf("i <= 5\n"); }
tick-1ms /j >= 5/ { printf("j >= 5\n"); }
tick-1ms /j >= 5 || i <= 5/ { printf("i >= 5 || j >= 5\n"); }
tick-1ms /j >= 5 && i <= 5/ { printf("j >= 5 && i <= 55\n"); }
tick-1ms /i < 5/ { printf("i < 5\n"); }
tick-1ms /i == 2 || j == 2/ { printf("i == 2 (or) j == 2\n"); }
tick-1ms /i == 2 && j == 2/ { printf("i == 2 (and) j == 2\n"); }
tick-1ms /j != 10/ { printf("j != 10\n"); }
tick-1ms /j == 5 || i == 2/ { printf("j == 5 || i == 2\n"); }
tick-1ms /j == 5 && i == 2/ { printf("j == 5 && i == 2\n"); }
tick-1ms /i == 10/ { printf("i == 10\n"); exit(0); }


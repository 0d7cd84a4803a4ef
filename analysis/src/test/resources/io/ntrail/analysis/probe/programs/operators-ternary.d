#pragma D option quiet
BEGIN { x = 0; printf("x is %s\n", x == 0 ? "zero" : x == 1 ? "one" : "two"); x++; printf("x is %s\n", x == 0 ? "zero" : x == 1 ? "one" : "two"); x++; printf("x is %s\n", x == 0 ? "zero" : x == 1 ? "one" : "two"); exit(0); }

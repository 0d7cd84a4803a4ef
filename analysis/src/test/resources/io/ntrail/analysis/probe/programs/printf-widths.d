#pragma D option quiet
BEGIN { printf("\n"); printf("%0d\n", 1); printf("%1d\n", 1); printf("%2d\n", 1); printf("%3d\n", 1); printf("%4d\n", 1); printf("%5d\n", 1); x = 0; printf("%*d\n", x++, 1); printf("%*d\n", x++, 1); printf("%*d\n", x++, 1); printf("%*d\n", x++, 1); printf("%*d\n", x++, 1); printf("%*d\n", x++, 1); exit(0); }

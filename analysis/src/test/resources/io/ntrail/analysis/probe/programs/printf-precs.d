#pragma D option quiet
BEGIN { printf("\n"); printf("%.0s\n", "hello"); printf("%.1s\n", "hello"); printf("%.2s\n", "hello"); printf("%.3s\n", "hello"); printf("%.4s\n", "hello"); printf("%.5s\n", "hello"); printf("%.*s\n", 0, "hello"); printf("%.*s\n", 1, "hello"); printf("%.*s\n", 2, "hello"); printf("%.*s\n", 3, "hello"); printf("%.*s\n", 4, "hello"); printf("%.*s\n", 5, "hello"); exit(0); }

#pragma D option quiet
BEGIN { i = 0; }
tick-1ms /i < 20/ { @[i % 5] = sum(i * 100); i++; }
tick-1ms /i == 20/ { printf("normalized data:\n"); normalize(@, 5); printa("%u %@u\n", @); exit(0); }

#pragma D option quiet
BEGIN { i = 0; }
tick-1ms { i++; @ = quantize(i <= 2 ? 0 : i <= 8 ? 1 : 2); }
tick-1ms /i == 27/ { exit(0); }

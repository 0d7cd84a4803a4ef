#pragma D option quiet
BEGIN { i = 0; }
tick-1ms /i < 100/ { @[i] = lquantize(i, 0, 150); @[i] = lquantize(i + 1, 0, 150); @[i] = lquantize(i + 2, 0, 150); @[i] = lquantize(i + 3, 0, 150); i++; }
tick-1ms /i == 100/ { exit(0); }
END { trunc(@, -5); }

#pragma D option quiet
BEGIN { i = 1; }
tick-1ms /i <= 10/ { @ = lquantize(i, 0, 10); @ = lquantize(i, 0, 10); @ = lquantize(i, 0, 10); @ = lquantize(i, 0, 10); @ = lquantize(i, 0, 10); i++; }
tick-1ms /i > 10/ { exit(0); }
END { normalize(@, 5); printa(@); }

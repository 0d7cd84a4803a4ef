#pragma D option quiet
BEGIN { i = 0; }
tick-1ms /i < 1000/ { @a = avg(i); i += 100; }
tick-1ms /i == 1000/ { exit(0); }

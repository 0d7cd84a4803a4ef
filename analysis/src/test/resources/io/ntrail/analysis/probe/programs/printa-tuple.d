#pragma D option quiet
BEGIN { @[1, 2, 3, 4, 5] = count(); printf("\n"); printa("%@u: -\n", @); printa("%@u: %d\n", @); printa("%@u: %d %d\n", @); printa("%@u: %d %d %d\n", @); printa("%@u: %d %d %d %d\n", @); printa("%@u: %d %d %d %d %d\n", @); exit(0); }

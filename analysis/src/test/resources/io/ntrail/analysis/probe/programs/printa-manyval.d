#pragma D option quiet
BEGIN { @ = count(); printa("%@u %@u %@u %@u %@u %@u %@u\n", @); exit(0); }

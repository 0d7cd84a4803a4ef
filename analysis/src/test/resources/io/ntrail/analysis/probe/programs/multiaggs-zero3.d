#pragma D option quiet
BEGIN /0/ { @a = count(); @b = sum(1); }
BEGIN { printa(@a); printa(@b); printa("%@d %@d\n", @a, @b); exit(0); }

#pragma D option quiet
BEGIN { @ = sum(90904); printa("%@d %@d %@d\n", @, @, @); printa("%@d %@d %@d\n", @); exit(0); }

#pragma D option quiet
#pragma D option aggsortkeypos=1
BEGIN { @[1, 3] = sum(0); @[2, 2] = sum(0); @[3, 1] = sum(0); exit(0); }

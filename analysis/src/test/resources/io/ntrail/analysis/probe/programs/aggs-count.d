#pragma D option quiet
BEGIN { @a = count(); @a = count(); exit(0); }

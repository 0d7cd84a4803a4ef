#pragma D option quiet
BEGIN { @ = count(); printa(@); exit(0); }

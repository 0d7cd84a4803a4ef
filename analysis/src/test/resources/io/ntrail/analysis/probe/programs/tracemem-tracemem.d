#pragma D option quiet
BEGIN { p = $1; tracemem(p, 14); tracemem(p, 14, -1); tracemem(p, 14, 0); tracemem(p, 14, 2); tracemem(p, 14, 7); tracemem(p, 14, 12); tracemem(p, 14, 14); tracemem(p, 14, 15); exit(0); }

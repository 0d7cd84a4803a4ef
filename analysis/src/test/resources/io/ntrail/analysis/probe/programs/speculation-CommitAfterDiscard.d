#pragma D option quiet
BEGIN { self->i = 0; var = speculation(); printf("Speculation ID: %d\n", var); }
BEGIN { speculate(var); printf("Called speculate with %d\n", var); printf("again\n"); }
BEGIN { discard(var); commit(var); self->i = 1; }
BEGIN /self->i == 1/ { printf("Committed a discarded buffer\n"); exit(0); }

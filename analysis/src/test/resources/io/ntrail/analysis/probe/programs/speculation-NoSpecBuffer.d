#pragma D option quiet
#pragma D option nspec=1
BEGIN { self->i = 0; self->spec = 0; }
tick-1ms /self->i < 2/ { self->spec = speculation(); printf("Speculative buffer ID: %d\n", self->spec); self->i++; }
tick-1ms /self->i == 2/ { printf("i: %d\tself->spec: %d", self->i, self->spec); exit(0); }

BEGIN { self->spec = speculation(); printf("Speculation ID: %d\n", self->spec); }
BEGIN { speculate(self->spec); printf("Called speculate on id: %d\n", self->spec); }
BEGIN { commit(self->spec); }
BEGIN { printf("Succesfully tested buffer commit\n"); exit(0); }
BEGIN /0/ { printf("failed\n"); exit(1); }

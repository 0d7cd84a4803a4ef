BEGIN { trace((int8_t)-1); exit(0); }

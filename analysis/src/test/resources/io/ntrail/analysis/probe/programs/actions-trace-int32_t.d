BEGIN { trace((int32_t)-1); exit(0); }

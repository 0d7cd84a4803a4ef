#pragma D option quiet
BEGIN { i = 0; }
tick-1ms /i < 64/ { this->v = 1LL << i; @ = quantize(this->v); @ = quantize(this->v + 1); @ = quantize(-this->v); @ = quantize(-this->v - 1); i++; }
tick-1ms /i == 64/ { exit(0); }

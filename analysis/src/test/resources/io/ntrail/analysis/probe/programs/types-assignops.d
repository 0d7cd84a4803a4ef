#pragma D option quiet
int n, b;
BEGIN {
  n = 1; n += 0x100; printf("%x\n", n); n -= 0x100; printf("%x\n", n); n *= 0x100; printf("%x\n", n); n /= 0x100; printf("%x\n", n); n %= 0x100; printf("%x\n", n); printf("\n");
  b = 0; b |= (0xf0f0 | b); printf("%x\n", b); b &= (0xf0f0 | 0x0f0f); printf("%x\n", b); b ^= (0xf0f0 | 0x0f0f); printf("%x\n", b); b |= ~b; printf("%x\n", b); printf("\n");
  b = 0xf0f0; printf("%x\n", b); b <<= 3; printf("%x\n", b); b >>= 3; printf("%x\n", b);
  exit(0);
}

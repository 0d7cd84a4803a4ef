#pragma D option quiet
BEGIN { @["j-church"] = quantize(1, 100); @["j-church"] = quantize(1, -99); @["j-church"] = quantize(1, -1); val = 123; }
BEGIN { @["k-ingleside"] = quantize(1, -val); }
BEGIN { @["l-taraval"] = quantize(0, -val); @["l-taraval"] = quantize(-1, -val); @["l-taraval"] = quantize(1, val); @["l-taraval"] = quantize(1, val); }
BEGIN {
  @["m-oceanview"] = quantize(1, (1 << 63) - 1);
  @["m-oceanview"] = quantize(1);
  @["m-oceanview"] = quantize(2, (1 << 63) - 1);
  @["m-oceanview"] = quantize(8, 400000);
}
BEGIN { @["n-judah"] = quantize(1, val); @["n-judah"] = quantize(2, val); @["n-judah"] = quantize(2, val); @["n-judah"] = quantize(2); }
BEGIN {
  this->i = 1;
  this->val = (1LL << 63) - 1;
  @["f-market"] = quantize(1, this->val);
  @["f-market"] = quantize(2, this->val >> 1);
  @["f-market"] = quantize(4, this->val >> 2);
  @["f-market"] = quantize(8, this->val >> 3);
}
BEGIN {
  this->val = (1LL << 63) - 4;
  @["s-castro"] = quantize(1, this->val);
  @["s-castro"] = quantize(2, this->val >> 1);
  @["s-castro"] = quantize(4, this->val >> 2);
  @["s-castro"] = quantize(8, this->val >> 3);
}
BEGIN { exit(0); }

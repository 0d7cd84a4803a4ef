#pragma D option quiet
BEGIN {
  @["Nixon"] = lquantize(-20, -10, 10, 1, 25);
  @["Hoover"] = lquantize(20, -10, 10, 1, -100);
  @["Harding"] = lquantize(-10, -10, 10, 1, 15);
  @["Bush"] = lquantize(10, -10, 10, 1, 150);
  printa(@);
  exit(0);
}

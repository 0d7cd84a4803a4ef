#pragma D option quiet
BEGIN { i = 0; i = 1 + 2 + 3; printf("The value of i is %d\n", i); i = i * 3; printf("The value of i is %d\n", i); i = (i * 3) + i; printf("The value of i is %d\n", i); i = (i + (i * 3) + i) * i; printf("The value of i is %d\n", i); i = i - (i + (i * 3) + i) * i / i * i; printf("The value of i is %d\n", i); i = i * (i - 3 + 5 / i * i) / i * 6; printf("The value of i is %d\n", i); i = i ^ 5; printf("The value of i is %d\n", i); 
  printf("~ %x is %x\n", (int)0xdeadbeef, ~(int)0xdeadbeef); printf("~ %x is %x\n", 0xbeef, ~0xbeef);
  printf("~ %x is %x\n", (uint64_t)0xdeadbeefdeadbeef, ~(uint64_t)0xdeadbeefdeadbeef); printf("~ %x is %x\n", (uint64_t)0xdeadbeef, ~(uint64_t)0xdeadbeef);
  exit(0); }

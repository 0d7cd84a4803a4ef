struct foo { int a; char b; int c; };
struct foo s;
BEGIN { s.a = 0x1234; s.b = 0; s.c = 0x9876; trace(s); exit(0); }

#pragma D option quiet
BEGIN { printf("string_1 = %s\n", "abcd\n\n\nefg"); printf("string_2 = %s\n", "abc\"\t\044\?\x4D"); printf("string_3 = %s\n", "\?\\\'\"\0"); exit(0); }

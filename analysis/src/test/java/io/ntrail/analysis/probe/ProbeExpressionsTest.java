package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values of expressions, worked out by hand from the rules of the language. */
class ProbeExpressionsTest {
  @ParameterizedTest
  @CsvSource({
    "sizeof((uint8_t)1 + (uint8_t)1), 1",
    "sizeof((int8_t)1 + (uint16_t)1), 2",
    "sizeof((uint8_t)1 << 9), 1",
    "sizeof(~(uint16_t)1), 2",
    "sizeof((uint8_t)1 + 1), 4",
    "(int8_t)-1 < (uint8_t)1, 0",
    "-8 >> 1u, -4"
  })
  void smallTypesAreNotPromotedToIntAsInC(String expression, String value) {
    assertEquals(value, ProbeScript.begin("printf(\"%d\", " + expression + ")"));
  }

  @Test
  void constantsOfDTracesProvidersHaveTheirValues() {
    assertEquals(
        "64 256 1 3",
        ProbeScript.begin("printf(\"%d %d %d %d\", B_READ, B_WRITE, CLD_EXITED, CLD_DUMPED)"));
  }

  @Test
  void aProgramMayDeclareAConstantItself() {
    assertEquals("5", ProbeScript.begin("B_READ = 5; printf(\"%d\", B_READ)"));
  }

  @ParameterizedTest
  @CsvSource({
    "7 + 2, 9",
    "2 - 7, -5",
    "-7 * 3, -21",
    "7 / 2, 3",
    "-7 / 2, -3",
    "7 / -2, -3",
    "7 % 3, 1",
    "-7 % 3, -1",
    "7 % -3, 1",
    "6 & 3, 2",
    "6 | 3, 7"
  })
  void arithmeticIsThatOfC(String expression, String value) {
    assertEquals(value, ProbeScript.begin("printf(\"%d\", " + expression + ")"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "6 ^ 3; 5",
        "~6; -7",
        "!6; 0",
        "!0; 1",
        "-(5); -5",
        "+5; 5",
        "1 << 4; 16",
        "-16 >> 2; -4",
        "0xf0u >> 4; 15",
        "1 + 2 * 3; 7",
        "(1 + 2) * 3; 9",
        "10 - 4 - 3; 3",
        "100 / 5 / 2; 10",
        "1 | 2 ^ 3 & 6; 1",
        "1 << 2 + 1; 8",
        "3 > 2 == 1; 1",
        "1 ? 2 : 0 ? 3 : 4; 2",
        "0 ? 2 : 0 ? 3 : 4; 4",
        "(1, 2, 3); 3",
        "- - 5; 5",
        "~~5; 5"
      })
  void operatorsBindAsInC(String expression, String value) {
    assertEquals(value, ProbeScript.begin("printf(\"%d\", " + expression + ")"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "1 && 2; 1",
        "1 && 0; 0",
        "0 || 3; 1",
        "0 || 0; 0",
        "1 ^^ 2; 0",
        "0 ^^ 2; 1",
        "0 ^^ 0; 0",
        "1 || 0 && 0; 1",
        // The logical exclusive or binds more than ||, less than &&.
        "1 ^^ 1 && 0; 1",
        "1 || 1 ^^ 1; 1",
        "2 < 3; 1",
        "3 <= 3; 1",
        "2 > 3; 0",
        "3 >= 4; 0",
        "3 == 3; 1",
        "3 != 3; 0",
        "-1 < 0; 1",
        // An unsigned operand makes the comparison unsigned, in 64 bits.
        "-1 < 0u; 0",
        "(uint64_t)1 < -1; 1"
      })
  void logicGivesZeroOrOne(String expression, String value) {
    assertEquals(value, ProbeScript.begin("printf(\"%d\", " + expression + ")"));
  }

  @Test
  void theRightSideOfALogicalOperatorIsLeftOutIfTheLeftOneDecides() {
    assertEquals(
        "1 0 0 1",
        ProbeScript.begin(
            "a = 0; b = 0; this->x = 0 && ++a; this->y = 1 || ++b; this->z = ++a || 1;"
                + "printf(\"%d %d %d %d\", a, b, this->x, this->y)"));
  }

  @ParameterizedTest
  @CsvSource({
    "(char)200, -56",
    "(unsigned char)-1, 255",
    "(uint8_t)300, 44",
    "(short)40000, -25536",
    "(uint16_t)-1, 65535",
    "(int)4294967295, -1",
    "(unsigned int)-1, 4294967295",
    "(long)4294967296, 0",
    "(unsigned long)-1, 4294967295",
    "(long long)4294967296, 4294967296",
    "(int64_t)-1, -1",
    "(uint64_t)-1, 18446744073709551615",
    "(char)'A' + 1, 66",
    "(pid_t)-5, -5",
    "(intptr_t)-5, -5",
    "(size_t)5, 5"
  })
  void conversionsCutToTheSizeOfTheType(String expression, String value) {
    assertEquals(value, ProbeScript.begin("printf(\"%d\", " + expression + ")"));
  }

  @ParameterizedTest
  @CsvSource({
    "sizeof(char), 1",
    "sizeof(short), 2",
    "sizeof(int), 4",
    "sizeof(long), 4",
    "sizeof(unsigned long), 4",
    "sizeof(long long), 8",
    "sizeof(void *), 8",
    "sizeof(char *), 8",
    "sizeof(intptr_t), 8",
    "sizeof(size_t), 8",
    "sizeof(string), 256",
    "sizeof(ulong_t), 4",
    "sizeof(u_longlong_t), 8",
    "sizeof(int8_t), 1",
    "sizeof(uint16_t), 2",
    "sizeof(uint32_t), 4",
    "sizeof(int64_t), 8",
    "sizeof(1), 4",
    "sizeof(1LL), 8",
    "sizeof(4294967296), 8",
    // Decimal constants have a sign, others may have none.
    "sizeof(4294967295), 8",
    "sizeof(0xffffffff), 4",
    "sizeof(037777777777), 4",
    "sizeof(4294967295u), 4",
    "sizeof('abcd'), 4",
    "sizeof('abcde'), 8"
  })
  void sizesAreThoseOfWindows(String expression, String size) {
    assertEquals(size, ProbeScript.begin("printf(\"%d\", " + expression + ")"));
  }

  @Test
  void intermediateValuesKeep64Bits() {
    // 2^31 - 1 + 1 divided by 2: in 32 bits it would be negative.
    assertEquals(
        "1073741824",
        ProbeScript.quiet(
            "int i;\nBEGIN { i = 2147483647; i = (i + 1) / 2; printf(\"%d\", i); exit(0); }"));
  }

  @Test
  void whatIsStoredIsCutToTheVariable() {
    assertEquals(
        "-2147483648 0 44",
        ProbeScript.quiet(
            ProbeScript.lines(
                "int i; unsigned int u; unsigned char c;",
                "BEGIN { i = 2147483647; i = i + 1; u = 4294967295; u++; c = 300; printf(\"%d"
                    + " %d %d\", i, u, c); exit(0); }")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "x = 5; x += 3; 8",
        "x = 5; x -= 7; -2",
        "x = 5; x *= -3; -15",
        "x = 17; x /= 5; 3",
        "x = 17; x %= 5; 2",
        "x = 6; x &= 3; 2",
        "x = 6; x |= 9; 15",
        "x = 6; x ^= 3; 5",
        "x = 3; x <<= 4; 48",
        "x = -48; x >>= 4; -3",
        "x = 5; y = x++ + x; 11",
        "x = 5; y = ++x + x; 12",
        "x = 5; y = x-- - x; 1",
        "x = 5; y = --x * 2; 8",
        "x = 5; y = x += 2; 7"
      })
  void assignmentsChangeTheirTarget(String first, String second, String value) {
    String shown = second.contains("y =") ? "y" : "x";
    assertEquals(
        value, ProbeScript.begin(first + ";" + second + "; printf(\"%d\", " + shown + ")"));
  }

  @Test
  void anAssignmentWithAnOperatorReadsItsTargetFirst() {
    // 3 and then 3 + 4, in the end assigned over both steps.
    assertEquals("10", ProbeScript.begin("x = 3; x += x++ + x--; printf(\"%d\", x)"));
  }

  @Test
  void keysOfAChangedElementAreEvaluatedOnce() {
    assertEquals(
        "2 7 1",
        ProbeScript.begin(
            "i = 0; a[0] = 5; a[i++] += 2; a[i++]++; printf(\"%d %d %d\", i, a[0], a[1])"));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "'a', 97",
        "'ab', 24930",
        "'abcd', 1633837924",
        "'\\n', 10",
        "'\\\\', 92",
        "'\\x41', 65",
        "'\\101', 65",
        "010, 8",
        "0x10, 16",
        "10u, 10",
        "10LL, 10",
        "10ull, 10"
      })
  void constantsAreReadAsInC(String expression, String value) {
    assertEquals(value, ProbeScript.begin("printf(\"%d\", " + expression + ")"));
  }

  @Test
  void aCharacterThatIsEscapedForNothingKeepsItsBackslash() {
    // 0x5C27: backslash and apostrophe.
    assertEquals("5c27", ProbeScript.begin("printf(\"%x\", '\\'')"));
  }

  @ParameterizedTest
  @CsvSource({
    "\"abc\" == \"abc\", 1",
    "\"abc\" == \"abd\", 0",
    "\"abc\" != \"abd\", 1",
    "\"abc\" < \"abd\", 1",
    "\"b\" > \"abc\", 1",
    "\"ab\" <= \"abc\", 1",
    "\"\" < \"a\", 1",
    "\"a\" >= \"a\", 1"
  })
  void stringsAreComparedByTheirCharacters(String expression, String value) {
    assertEquals(value, ProbeScript.begin("printf(\"%d\", " + expression + ")"));
  }

  @Test
  void aVariableTakesTheTypeOfItsFirstValue() {
    assertEquals(
        "4 8 1 str",
        ProbeScript.begin(
            "i = 1; l = 1LL; c = (char)1; s = \"str\";"
                + "printf(\"%d %d %d %s\", sizeof(i), sizeof(l), sizeof(c), s)"));
  }

  @Test
  void globalVariablesLastAndThoseOfThreadsAreTheirOwn() {
    assertEquals(
        "1: 1 1\n2: 2 1\n1: 3 2\n",
        ProbeScript.quiet(
            "int all;\nread { all++; self->mine++; printf(\"%d: %d %d\\n\", tid, all, self->mine); }",
            ProbeScript.Event.read(1, 1, 0, ""),
            ProbeScript.Event.read(2, 2, 0, ""),
            ProbeScript.Event.read(3, 1, 0, "")));
  }

  @Test
  void aVariableOfAClauseLastsForOneFiring() {
    assertEquals(
        "1 1\n2 1\n",
        ProbeScript.quiet(
            ProbeScript.lines(
                "int n; this int x;",
                "read { n++; this->x = this->x + 1; }",
                "read { printf(\"%d %d\\n\", n, this->x); }"),
            ProbeScript.Event.read(1, 1, 0, ""),
            ProbeScript.Event.read(2, 1, 0, "")));
  }

  @Test
  void anUnsetVariableIsZeroOrEmpty() {
    assertEquals(
        "[0] [] [0]",
        ProbeScript.quiet(
            ProbeScript.lines(
                "int i; string s; self int t;",
                "BEGIN { printf(\"[%d] [%s] [%d]\", i, s, self->t); exit(0); }")));
  }

  @Test
  void assigningZeroFreesAnElement() {
    assertEquals(
        "5 0 0",
        ProbeScript.begin(
            "a[1, \"x\"] = 5; this->before = a[1, \"x\"]; a[1, \"x\"] = 0;"
                + "printf(\"%d %d %d\", this->before, a[1, \"x\"], a[2, \"x\"])"));
  }

  @Test
  void aStringHasAtMostStrsizeBytesWithItsEnd() {
    assertEquals(
        "abcdefg 7",
        ProbeScript.quiet(
            ProbeScript.lines(
                "#pragma D option strsize=8",
                "BEGIN { s = \"abcdefghij\"; printf(\"%s %d\", s, strlen(s)); exit(0); }")));
  }

  @Test
  void membersOfStructsHaveTheOffsetsOfC() {
    assertEquals(
        "0 4 8 16 24",
        ProbeScript.quiet(
            ProbeScript.lines(
                "struct s { char c; int i; short h; long long l; };",
                "BEGIN { printf(\"%d %d %d %d %d\", offsetof(struct s, c), offsetof(struct s,"
                    + " i), offsetof(struct s, h), offsetof(struct s, l), sizeof(struct s)); exit(0);"
                    + " }")));
  }

  @ParameterizedTest
  @CsvSource({"8 / 2 / 2 == 2, 1", "(8 / 2) / 4, 1", "7 / 8, 0", "6 / 3 - 2, 0"})
  void aPredicateMayDivide(String predicate, String runs) {
    assertEquals(
        runs.equals("1") ? "yes" : "",
        ProbeScript.quiet(
            "BEGIN /" + predicate + "/ { printf(\"yes\"); }\nBEGIN /1/ { exit(0); }"));
  }

  @Test
  void aPredicateEndsBeforeACommentToo() {
    assertEquals("yes", ProbeScript.quiet("BEGIN /1/ /* why */ { printf(\"yes\"); exit(0); }"));
  }

  @Test
  void theFirstLineMayNameAnInterpreterAndOtherPragmasAreLeftOut() {
    assertEquals(
        "yes\n",
        ProbeScript.with(null)
            .run(
                ProbeScript.lines(
                    "#!/usr/sbin/dtrace -s",
                    "#pragma ident \"something else\"",
                    "#pragma D option quiet",
                    "BEGIN { printf(\"yes\"); exit(0); }"))
            .out());
  }

  @Test
  void pointersCountInTheirType() {
    assertEquals(
        "4 8 2 3 7 -1",
        ProbeScript.begin(
            "this->p = (int *)alloca(16); this->q = this->p; this->q++;"
                + "this->a = (long long)this->q - (long long)this->p; this->q = this->p + 2;"
                + "this->b = (long long)this->q - (long long)this->p; this->p[3] = 7;"
                + "printf(\"%d %d %d %d %d %d\", this->a, this->b, this->q - this->p,"
                + " this->p + 3 - this->p, *(this->p + 3), this->p - (this->p + 1))"));
  }

  @Test
  void numbersInMemoryHaveTheirSign() {
    assertEquals(
        "1 0 1",
        ProbeScript.quiet(
            ProbeScript.lines(
                "struct s { char c; unsigned char u; short h; };",
                "struct s v;",
                "BEGIN { v.c = -1; v.u = -1; v.h = -1;"
                    + " printf(\"%d %d %d\", v.c < 0, v.u < 0, v.h == -1); exit(0); }")));
  }

  @Test
  void membersMayBeStructs() {
    assertEquals(
        "12 7",
        ProbeScript.quiet(
            ProbeScript.lines(
                "struct outer { long long first; struct inner { int a; int b; } in; };",
                "struct outer v;",
                "BEGIN { v.in.b = 7; printf(\"%d %d\","
                    + " offsetof(struct outer, in) + offsetof(struct inner, b), v.in.b); exit(0); }")));
  }

  @Test
  void membersWithoutANameAreThoseOfTheirStruct() {
    assertEquals(
        "8 12 12 7 7",
        ProbeScript.quiet(
            ProbeScript.lines(
                "struct s { long long first; struct { int a; union { int b; int c; }; }; };",
                "struct s v;",
                "BEGIN { v.b = 7; printf(\"%d %d %d %d %d\", offsetof(struct s, a),"
                    + " offsetof(struct s, b), offsetof(struct s, c), v.b, v.c); exit(0); }")));
  }

  @Test
  void memoryOfAClauseIsZeroAtFirst() {
    assertEquals(
        "0",
        ProbeScript.quiet(
            ProbeScript.lines(
                "BEGIN { this->p = (int *)alloca(4); *this->p = 7; }",
                "BEGIN { this->q = (int *)alloca(4); printf(\"%d\", *this->q); exit(0); }")));
  }

  @Test
  void membersOfUnionsLieInOnePlace() {
    assertEquals(
        "0 0 8 513",
        ProbeScript.quiet(
            ProbeScript.lines(
                "union u { char c[2]; short s; long long l; };",
                "union u v;",
                "BEGIN { v.c[0] = 1; v.c[1] = 2;"
                    + " printf(\"%d %d %d %d\", offsetof(union u, c), offsetof(union u, l),"
                    + " sizeof(union u), v.s); exit(0); }")));
  }

  @Test
  void bitFieldsShareTheirUnit() {
    // 3 + 5 bits fill a byte of an int, 30 more need the next int.
    assertEquals(
        "0 4 8 5 17 7",
        ProbeScript.quiet(
            ProbeScript.lines(
                "struct s { int a : 3; unsigned int b : 5; unsigned int c : 30; };",
                "struct s v;",
                "BEGIN { v.b = 17; v.c = 7; v.a = 5; printf(\"%d %d %d %d %d %d\","
                    + " offsetof(struct s, a), offsetof(struct s, c), sizeof(struct s),"
                    + " v.a & 7, v.b, v.c); exit(0); }")));
  }

  @Test
  void membersAndBitFieldsAreAssigned() {
    assertEquals(
        "-1 5 3 258",
        ProbeScript.quiet(
            ProbeScript.lines(
                "struct s { char c; unsigned int low : 3; unsigned int high : 2; short h; };",
                "struct s v;",
                "BEGIN { v.c = 255; v.low = 13; v.high = 7; v.h = 0x10102; printf(\"%d %d %d %d\","
                    + " v.c, v.low, v.high, v.h); exit(0); }")));
  }

  @Test
  void structsOfThreadsAndKeysAreTheirOwn() {
    assertEquals(
        "1: 1 10 0\n2: 1 20 0\n1: 2 10 0\n",
        ProbeScript.quiet(
            ProbeScript.lines(
                "struct s { int n; int a[2]; };",
                "self struct s mine;",
                "struct s by[int];",
                "read { self->mine.n++; by[tid].a[1] = tid * 10; }",
                "read { printf(\"%d: %d %d %d\\n\", tid, self->mine.n, by[tid].a[1], by[9].n); }"),
            ProbeScript.Event.read(1, 1, 0, ""),
            ProbeScript.Event.read(2, 2, 0, ""),
            ProbeScript.Event.read(3, 1, 0, "")));
  }

  @Test
  void anEnumerationNamesNumbers() {
    assertEquals(
        "0 1 7 8",
        ProbeScript.quiet(
            ProbeScript.lines(
                "enum e { A, B, C = 7, D };",
                "BEGIN { printf(\"%d %d %d %d\", A, B, C, D); exit(0); }")));
  }

  @Test
  void anInlineStandsForItsExpression() {
    assertEquals(
        "12 ab",
        ProbeScript.quiet(
            ProbeScript.lines(
                "inline int twice = 6 * 2;",
                "inline string s = \"ab\";",
                "BEGIN { printf(\"%d %s\", twice, s); exit(0); }")));
  }

  @Test
  void statementsMayDependOnConditions() {
    assertEquals(
        "small middle large",
        ProbeScript.begin(
            "i = 1; if (i < 2) { printf(\"small\"); } else printf(\"never\");"
                + "i = 5; if (i < 2) printf(\"never\"); else if (i < 6) printf(\" middle\");"
                + "else printf(\"never\");"
                + "i = 9; if (i < 2) ; else { printf(\" large\"); }"));
  }

  @Test
  void macrosStandForArguments() {
    assertEquals(
        "42 7 word 7 word 0\n",
        ProbeScript.with(null, "script", "7", "word")
            .run(
                ProbeScript.lines(
                    "#pragma D option quiet",
                    "#pragma D option defaultargs",
                    "int word;",
                    "BEGIN { printf(\"%d %d %s %s %s %d\", $target, $1, $$2, $$1, $$2, $3); exit(0);"
                        + " }"))
            .out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "shopd.exe ~ $1 ~ shopd.exe",
        "\"shopd.exe\" ~ $1 ~ shopd.exe",
        "\"shopd.exe\" ~ $$1 ~ \"shopd.exe\"",
        "\"word\" ~ $1 ~ word",
        "\"7\" ~ $1 ~ 7",
        "\"\" ~ $1 ~ ",
        "\" ~ $1 ~ \"",
        "\"half ~ $1 ~ \"half",
        "a\\tb ~ $1 ~ a\tb",
        "a\\tb ~ $$1 ~ a\tb",
        "\"a\\x41\\102\" ~ $1 ~ aAB",
        "C:\\shop\\log ~ $1 ~ C:\\shop\\log",
        "C:\\\\new ~ $$1 ~ C:\\new",
        "shop\\ ~ $$1 ~ shop",
        "é\\€ ~ $$1 ~ Ã©\\â\u0082¬",
        "-x ~ $1 ~ -x",
        "7 ~ $$1 ~ 7"
      })
  void anArgumentThatIsNoIntegerIsAString(String argument, String macro, @Nullable String text) {
    assertEquals(
        "[%s]\n".formatted(text == null ? "" : text),
        ProbeScript.with(null, "script", argument)
            .run("#pragma D option quiet\nBEGIN { printf(\"[%s]\", " + macro + "); exit(0); }")
            .out());
  }

  @Test
  void anEmptyArgumentIsAnEmptyString() {
    assertEquals(
        "1 1\n",
        ProbeScript.with(null, "script", "")
            .run(
                "#pragma D option quiet\n"
                    + "BEGIN { printf(\"%d %d\", $1 == \"\", $$1 == \"\"); exit(0); }")
            .out());
  }

  @ParameterizedTest
  @CsvSource({"7, 8", "+5, 6", "-5, -4", "0x10, 17", "-0x10, -15", "+010, 9"})
  void argumentsThatAreIntegersMayHaveASign(String argument, String value) {
    assertEquals(
        value + "\n",
        ProbeScript.with(null, "script", argument)
            .run("#pragma D option quiet\nBEGIN { printf(\"%d\", 1 + $1); exit(0); }")
            .out());
  }

  @Test
  void builtInVariablesTellOfTheEvent() {
    assertEquals(
        "3000000 100 9 SearchIndexer. test disk DoRead read 3 5",
        ProbeScript.quiet(
            "read { printf(\"%d %d %d %s %s %s %s %s %d %d\", timestamp, pid, tid, execname,"
                + " probeprov, probemod, probefunc, probename, arg0, id); }",
            ProbeScript.Event.read(3, 9, 0, "")));
  }

  @Test
  void fieldsOfEventsAreNamed() {
    assertEquals(
        "4096 C:\\x.txt 1",
        ProbeScript.quiet(
            "read /args[0]->Size > 100/ { printf(\"%d %s %d\", args[0]->Size, args[0]->filename,"
                + " args[0]->FileName == \"C:\\\\x.txt\"); }",
            ProbeScript.Event.read(1, 1, 50, "C:\\y.txt"),
            ProbeScript.Event.read(2, 1, 4096, "C:\\x.txt")));
  }

  @Test
  void fieldsAreThoseOfTheirArgument() {
    assertEquals(
        "50 77 8",
        ProbeScript.quiet(
            "read { printf(\"%d %d %d\", args[0]->Size, args[1]->Id, args[1]->Size); }",
            ProbeScript.Event.read(1, 1, 50, "")));
  }

  @Test
  void numbersMayHaveUnitsOfTime() {
    assertEquals(
        "1000 2000000 3000000000", ProbeScript.begin("printf(\"%d %d %d\", 1us, 2ms, 3sec)"));
  }
}

package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values of functions, worked out by hand. */
class ProbeFunctionsTest {
  private static String text(String expression) {
    return ProbeScript.begin("printf(\"[%s]\", " + expression.replace('`', '"') + ")");
  }

  private static String number(String expression) {
    return ProbeScript.begin("printf(\"%d\", " + expression.replace('`', '"') + ")");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "substr(`abcdef`, 2); [cdef]",
        "substr(`abcdef`, 2, 3); [cde]",
        "substr(`abcdef`, 0, 0); []",
        "substr(`abcdef`, -2); [ef]",
        "substr(`abcdef`, -4, 2); [cd]",
        "substr(`abcdef`, 1, -1); [bcde]",
        "substr(`abcdef`, 2, -9); []",
        "substr(`abcdef`, 9); []",
        "substr(`abcdef`, -9); [abcdef]",
        "substr(`abcdef`, -9, 5); [ab]",
        "substr(`abcdef`, -9, 3); []",
        "substr(`abcdef`, -9, -2); []",
        "substr(`abcdef`, -9, -5); []",
        "substr(`abcdef`, -3, -1); [de]",
        "substr(`abcdef`, 3, 99); [def]",
        "substr(``, 0, 5); []",
        "strjoin(`ab`, `cd`); [abcd]",
        "strjoin(``, ``); []",
        "toupper(`aZ-09é`); [AZ-09Ã©]",
        "tolower(`aZ-09É`); [az-09Ã\u0089]",
        "strchr(`abcabc`, 'b'); [bcabc]",
        "strrchr(`abcabc`, 'b'); [bc]",
        "strchr(`abc`, 0); []",
        "strrchr(`abc`, 0); []",
        "strchr(``, 0); []",
        "strstr(`abcabc`, `ca`); [cabc]",
        "strstr(`abc`, ``); [abc]",
        "lltostr(255); [255]",
        "lltostr(-255); [-255]",
        "lltostr(255, 16); [0xff]",
        "lltostr(8, 8); [010]",
        "lltostr(0); [0]",
        "lltostr(0, 8); [0]",
        "lltostr(0, 16); [0x0]",
        "lltostr(0, 2); [0]",
        "lltostr(5, 2); [101]",
        "lltostr(35, 36); [z]",
        "stringof(`abc`); [abc]",
        "inet_ntop(2, alloca(4)); [0.0.0.0]",
        "inet_ntop(23, alloca(16)); [::]"
      })
  void functionsOfStringsHaveStrings(String expression, String value) {
    assertEquals(value, text(expression));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "strlen(`abc`); 3",
        "strlen(``); 0",
        "index(`abcabc`, `c`); 2",
        "index(`abcabc`, `c`, 3); 5",
        "index(`abcabc`, `c`, -5); 2",
        "index(`abcabc`, `x`); -1",
        "index(`abcabc`, ``); 0",
        "index(`abc`, `c`, 99); -1",
        "index(`abc`, `c`, 3); -1",
        "index(`abc`, ``, -1); 0",
        "index(`abc`, ``, 2); 2",
        "index(`abc`, ``, 3); 3",
        "index(`abc`, ``, 99); 3",
        "index(``, ``); 0",
        "index(``, ``, 9); 0",
        "index(``, ``, -9); 0",
        "index(``, `c`, 0); -1",
        "rindex(`abcabc`, `a`); 3",
        "rindex(`abcabc`, `a`, 2); 0",
        "rindex(`abcabc`, `a`, -1); -1",
        "rindex(`abcabc`, `x`); -1",
        "rindex(`abcabc`, ``); 6",
        "rindex(`abc`, ``, -1); 0",
        "rindex(`abc`, ``, 0); 0",
        "rindex(`abc`, ``, 2); 2",
        "rindex(`abc`, ``, 99); 3",
        "rindex(`abc`, `c`, 99); 2",
        "rindex(``, ``); 0",
        "rindex(``, ``, 9); 0",
        "rindex(``, ``, -9); 0",
        "rindex(``, `c`, 0); -1",
        "strchr(`abc`, 0) == NULL; 0",
        "strchr(`abc`, 'x') == NULL; 1",
        "strstr(`abc`, `x`) == NULL; 1",
        "strtoll(`123`); 123",
        "strtoll(`  -45xyz`); -45",
        "strtoll(`+6`); 6",
        "strtoll(`\\t7`); 7",
        "strtoll(`\\n7`); 0",
        "strtoll(`0x1f`, 16); 31",
        "strtoll(`ff`, 16); 255",
        "strtoll(`101`, 2); 5",
        "strtoll(`zz`, 36); 1295",
        "strtoll(``); 0",
        "strtoll(`x`); 0",
        "htons(0x1234); 13330",
        "htonl(0x12345678); 2018915346",
        "ntohs(0x3412); 4660",
        "ntohl(0x78563412); 305419896",
        "htonll(1); 72057594037927936",
        "ntohll(72057594037927936); 1",
        "progenyof(0); 1"
      })
  void functionsOfStringsHaveNumbers(String expression, String value) {
    assertEquals(value, number(expression));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "/foo/bar; bar; /foo",
        "/foo/bar/; bar; /foo",
        "foo; foo; .",
        "/; /; /",
        "''; .; .",
        "..; ..; .",
        "a//b; b; a",
        "//a; a; /",
        "C:\\\\x\\\\y.txt; y.txt; C:\\x"
      })
  void pathsHaveALastPartAndAFolder(String path, String last, String folder) {
    assertEquals(
        "[" + last + "] [" + folder + "]",
        ProbeScript.begin(
            "printf(\"[%s] [%s]\", basename(\"" + path + "\"), dirname(\"" + path + "\"))"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "/a/./b; /a/b",
        "/a/../b; /b",
        "/a//b/; /a/b/",
        "/a///b; /a/b",
        "/../a; /a",
        "/a/b/..; /a/",
        "/a/b/../; /a/",
        "/a/b/.; /a/b/.",
        "/a/./../b; /b",
        "/a/.b/..c; /a/.b/..c",
        "a/../../b; /b",
        "./a; ./a",
        "a/..; a",
        "ab/../..; a",
        "...a./..; .",
        "/..; /",
        "/; /",
        "''; ''",
        "C:\\\\a\\\\..\\\\b; C:\\b"
      })
  void pathsAreCleaned(String path, String clean) {
    assertEquals("[" + clean + "]", text("cleanpath(`" + path + "`)"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a; [1]",
        "b.c; [text]",
        "b.d[1]; [20]",
        "b.d[2].e; [true]",
        "b.d; [[10, 20, {`e`: true}]]"
      })
  void jsonIsReadByAPath(String path, String value) {
    String json = "{`a`: 1, `b`: {`c`: `text`, `d`: [10, 20, {`e`: true}]}}".replace("`", "\\\"");
    assertEquals(
        value.replace('`', '"'),
        ProbeScript.begin("printf(\"[%s]\", json(\"" + json + "\", \"" + path + "\"))"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "12; ''; NULL",
        "`x`; ''; NULL",
        "{ }; ''; NULL",
        "{`a`: 1}; ''; NULL",
        "{``: 1}; ''; [1]",
        "{`a`: {``: 1}}; a.; [1]",
        "[5, 6]; [1]; [6]",
        "[5, 6]; 1; [6]",
        "[5, 6]; 1x; [6]",
        "[5, 6]; a; [5]",
        "[5, 6]; ''; [5]",
        "[5, 6]; -1; NULL",
        "[5, 6]; 2; NULL",
        "[]; 0; NULL",
        "[[1], [2, 3]]; [1][1]; [3]",
        "[-1.5e+3]; 0; [-1.5e+3]",
        "[0x1]; 0; NULL",
        "[1-2]; 0; NULL",
        "[1.5-2]; 0; NULL",
        "[1; 0; NULL",
        "[1y; 0; [1]",
        "[1x; 0; NULL",
        "[none]; 0; NULL",
        "[True]; 0; NULL",
        "[null]; 0; [null]",
        "[`\\u12g4`]; 0; NULL",
        "[`\\u12a4`]; 0; [\\u12a4]",
        "[1, {`x`: [`]`]}, 3]; 1; [{`x`: [`]`]}]",
        "[1 2]; 1; NULL",
        "[nonsense, 2]; 1; NULL",
        "[{]}, 2]; 1; NULL",
        "{`a`: `b` whatever; a; [b]",
        "{`a`: 1, }; b; NULL",
        "{a: 1}; a; NULL"
      })
  void jsonIsReadAsFarAsItsValueGoes(String json, String path, String value) {
    String call =
        "json(\"" + json.replace("`", "\\\"") + "\", \"" + path.replace("`", "\\\"") + "\")";
    assertEquals(
        value.replace('`', '"'),
        ProbeScript.begin(
            "this->v = "
                + call
                + "; if (this->v == NULL) { printf(\"NULL\"); }"
                + " else { printf(\"[%s]\", this->v); }"));
  }

  @Test
  void jsonMayBeNestedAsDeepAsItsTextIsLong() {
    String deep = "[".repeat(100) + "]".repeat(100);
    assertEquals(
        "[" + deep + "]", ProbeScript.begin("printf(\"[%s]\", json(\"[" + deep + ",1]\", \"0\"))"));
  }

  @Test
  void memoryBehindAnAllocationIsNotThere() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run("BEGIN { this->p = (char *)alloca(3); trace(this->p[3]); } BEGIN { exit(3); }");
    assertTrue(result.err().contains("invalid address"), result.err());
  }

  @Test
  void whatStrtokHasLeftIsForgottenAfterTheFiring() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run(
                "#pragma D option quiet\nBEGIN { strtok(\"a,b\", \",\"); exit(0); }"
                    + " END { trace(strtok(NULL, \",\")); }");
    assertEquals("", result.out().strip());
    assertTrue(result.err().contains("invalid address (0x0)"), result.err());
  }

  @Test
  void escapesInJsonStayAsTheyAre() {
    assertEquals(
        "[x\\ny\\\"z]",
        ProbeScript.begin(
            "printf(\"[%s]\", json(\"{\\\"a\\\": \\\"x\\\\ny\\\\\\\"z\\\"}\", \"a\"))"));
  }

  @Test
  void jsonWithoutTheMemberIsNull() {
    assertEquals(
        "1 1 1",
        ProbeScript.begin(
            "printf(\"%d %d %d\", json(\"{}\", \"a\") == NULL, json(\"[1]\", \"[3]\") == NULL,"
                + " json(\"no\", \"a\") == NULL)"));
  }

  @Test
  void tokensEndAtDelimitersWhichBeginTheRest() {
    assertEquals(
        "a b c 1",
        ProbeScript.begin(
            "printf(\"%s\", strtok(\",a,,b;c\", \",\")); printf(\" %s\", strtok(NULL, \",;\"));"
                + "printf(\" %s\", strtok(NULL, \";\")); printf(\" %d\", strtok(NULL, \";\") == NULL)"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "this->p[15] = 1; ::1",
        "this->p[0] = 0x20 - this->p[1] = 1 - this->p[15] = 1; 2001::1",
        "this->p[0] = 0xfe - this->p[1] = 0x80 - this->p[8] = 1 - this->p[15] = 2; fe80::100:0:0:2",
        "this->p[1] = 1 - this->p[3] = 1 - this->p[7] = 1 - this->p[9] = 1 - this->p[11] = 1"
            + " - this->p[13] = 1 - this->p[15] = 1; 1:1:0:1:1:1:1:1",
        "this->p[10] = 0xff - this->p[11] = 0xff - this->p[12] = 127 - this->p[15] = 1;"
            + " ::ffff:127.0.0.1"
      })
  void addressesOfTheInternetLeaveOutTheirLongestZeros(String bytes, String text) {
    assertEquals(
        text,
        ProbeScript.begin(
            "this->p = (unsigned char *)alloca(16); "
                + bytes.replace(" - ", "; ")
                + "; printf(\"%s\", inet_ntoa6(this->p))"));
  }

  @Test
  void bytesAreCopiedAndReadAsNumbers() {
    assertEquals(
        "1 65 0",
        ProbeScript.begin(
            "this->p = (char *)alloca(8); this->p[0] = 'A'; this->q = (char *)alloca(8);"
                + "bcopy(this->p, this->q, 8);"
                + "printf(\"%d %d %d\", stringof(this->q) == \"A\", *this->q, this->q[1])"));
  }

  @Test
  void memoryThatIsNotThereIsAFault() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run("#pragma D option quiet\nBEGIN { trace(copyinstr(0x1234)); } BEGIN { exit(3); }");
    assertEquals(
        "dtrace: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN):"
            + " invalid address (0x1234) in action #1\n",
        result.err());
    assertEquals(3, result.status());
  }

  @Test
  void randomNumbersAreThoseOfEveryRun() {
    String program = "printf(\"%d %d\", rand(), rand())";
    assertEquals(ProbeScript.begin(program), ProbeScript.begin(program));
    assertEquals("1", ProbeScript.begin("printf(\"%d\", rand() != rand())"));
  }

  @Test
  void aBaseThatIsNoneIsAFault() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run("#pragma D option quiet\nBEGIN { trace(lltostr(1, 99)); } BEGIN { exit(0); }");
    assertTrue(result.err().contains("illegal operation in action #1"), result.err());
  }

  @Test
  void placesInCodeHaveNames() {
    assertEquals(
        "app`main+0x10 app`main app 0x7 other\n",
        ProbeScript.quiet(
            ProbeScript.lines(
                "read { printf(\"%a \", 0x1010); }",
                "read { printf(\"%s %s %s %s\\n\", ufunc(0x1010), umod(0x1010), uaddr(7), umod(0x2000)); }"),
            ProbeScript.Event.read(1, 1, 0, "")));
  }
}

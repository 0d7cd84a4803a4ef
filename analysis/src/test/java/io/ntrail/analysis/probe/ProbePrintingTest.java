package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts of printf(), trace() and print(), and the lines of firings, worked out by hand. */
class ProbePrintingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "%d; -7; [-7]",
        "%i; -7; [-7]",
        "%5d; 7; [    7]",
        "%-5d; 7; [7    ]",
        "%05d; 7; [00007]",
        "%05d; -7; [-0007]",
        "%+d; 7; [+7]",
        "% d; 7; [ 7]",
        "%.3d; 7; [007]",
        "%6.3d; -7; [  -007]",
        "%u; -1; [4294967295]",
        "%u; -1LL; [18446744073709551615]",
        "%u; (char)-1; [255]",
        "%d; (unsigned int)-1; [4294967295]",
        "%d; (uint64_t)-1; [18446744073709551615]",
        "%x; 255; [ff]",
        "%X; 255; [FF]",
        "%#x; 255; [0xff]",
        "%#X; 255; [0XFF]",
        "%#06x; 255; [0x00ff]",
        "%#x; 0; [0]",
        "%08x; 255; [000000ff]",
        "%x; -1; [ffffffff]",
        "%x; -1LL; [ffffffffffffffff]",
        "%x; (char)-1; [ff]",
        "%x; (short)-2; [fffe]",
        "%hx; -1; [ffffffff]",
        "%llx; 1; [1]",
        "%ld; 1; [1]",
        "%o; 8; [10]",
        "%#o; 8; [010]",
        "%p; (void *)255; [ff]",
        "%?p; (void *)255; [              ff]",
        "%c; 'A'; [A]",
        "%3c; 'A'; [  A]",
        "%-3c; 'A'; [A  ]",
        "%C; 10; [\\n]",
        "%s; \"text\"; [text]",
        "%6s; \"text\"; [  text]",
        "%-6s; \"text\"; [text  ]",
        "%.2s; \"text\"; [te]",
        "%.0s; \"text\"; [text]",
        "%6.2s; \"text\"; [    te]",
        "%S; \"a\\tb\\\"\"; [a\\tb\\\"]",
        "%S; \"\\001\"; [\\001]",
        "%a; 0x1010; [app`main+0x10]",
        "%A; 7; [0x7]",
        "%Y; 1062584621000000000; [2003 Sep  3 10:23:41]",
        "%T; 1062584621000000000; [Wed, 03 Sep 2003 10:23:41 GMT]"
      })
  void aConversionPrintsItsArgument(String conversion, String argument, String text) {
    assertEquals(text, ProbeScript.begin("printf(\"[" + conversion + "]\", " + argument + ")"));
  }

  @Test
  void aWidthOrPrecisionMayBeAnArgument() {
    assertEquals(
        "[    7] [7    ] [te] [  te]",
        ProbeScript.begin(
            "printf(\"[%*d] [%*d] [%.*s] [%*.*s]\", 5, 7, -5, 7, 2, \"text\", 4, 2, \"text\")"));
  }

  @Test
  void aPercentSignIsWrittenTwice() {
    assertEquals("100%", ProbeScript.begin("printf(\"%d%%\", 100)"));
  }

  @Test
  void severalValuesOfAggregationsWalkThroughThem() {
    assertEquals(
        "1 2 2", ProbeScript.begin("@a = sum(1); @b = sum(2); printa(\"%@d %@d %@d\", @a, @b)"));
  }

  @Test
  void aFormatMayHaveFewerKeys() {
    assertEquals("1: 9", ProbeScript.begin("@[1, 2] = sum(9); printa(\"%d: %@d\", @)"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "(char)5; `   5`",
        "(short)-5; `    -5`",
        "5; `          5`",
        "5LL; `                   5`",
        "(unsigned char)-1; ` 255`",
        "(unsigned int)-1; ` 4294967295`",
        "(unsigned long long)-1; ` 18446744073709551615`",
        "\"text\"; `  text                             `"
      })
  void aTracedValueHasAWidthByItsSize(String value, String text) {
    String out = ProbeScript.with(null).run("BEGIN { trace(" + value + "); exit(0); }").out();
    assertEquals(
        "CPU     ID                    FUNCTION:NAME\n"
            + "  0      1                           :BEGIN "
            + text
            + "\n\n",
        out);
  }

  @Test
  void aTracedValueIsBareIfThereAreOnlyActions() {
    assertEquals("-5textA", ProbeScript.begin("trace(-5); trace(\"text\"); trace(\"A\")"));
  }

  @Test
  void aFiringWithoutActionsIsALine() {
    assertEquals(
        ProbeScript.lines(
            "CPU     ID                    FUNCTION:NAME",
            "  0      5                      DoRead:read ",
            ""),
        ProbeScript.with(null).run("read", ProbeScript.Event.read(1, 1, 0, "")).out());
  }

  @Test
  void aPredicateMayStandAlone() {
    assertEquals(
        ProbeScript.lines(
            "CPU     ID                    FUNCTION:NAME",
            "  0      5                      DoRead:read ",
            ""),
        ProbeScript.with(null)
            .run(
                "BEGIN /0/; read /args[0]->Size / 2 == 5/; END /0/",
                ProbeScript.Event.read(1, 1, 11, ""),
                ProbeScript.Event.read(2, 1, 20, ""))
            .out());
  }

  @Test
  void callsAreIndented() {
    // A name takes 41 characters, and a blank follows; a number takes ten, and a blank before it.
    String number = " ".repeat(32 + 1 + 10);
    assertEquals(
        ProbeScript.lines(
            "CPU FUNCTION" + " ".repeat(33),
            "  0  -> outer" + number + "1",
            "  0  -> outer" + number + "2",
            "  0    -> outer" + number.substring(2) + "1",
            "  0    -> outer" + number.substring(2) + "2",
            "  0      | DoRead:read" + " ".repeat(24),
            "  0    <- outer" + " ".repeat(31),
            "  0  <- outer" + " ".repeat(33),
            ""),
        ProbeScript.with(null)
            .run(
                ProbeScript.lines(
                    "#pragma D option flowindent",
                    "entry { trace(1); } entry { trace(2); } return, read"),
                ProbeScript.Event.entry(1),
                ProbeScript.Event.entry(1),
                ProbeScript.Event.read(1, 1, 0, ""),
                ProbeScript.Event.leave(1),
                ProbeScript.Event.leave(1))
            .out());
  }

  @Test
  void callsOfTheSystemHaveAnArrowOfTheirOwn() {
    assertEquals(
        ProbeScript.lines("CPU FUNCTION" + " ".repeat(33), "  0  => NtRead" + " ".repeat(32), ""),
        ProbeScript.with(null)
            .run(
                "#pragma D option flowindent\nNtRead:entry",
                new ProbeScript.Event(10, 0, 1, 0, "", List.of()))
            .out());
  }

  @Test
  void aStackIsPrintedBelowItsLine() {
    assertEquals(
        "\n              ntdll`Read+0x4\n              app`main\n",
        ProbeScript.quiet("read { ustack(); }", ProbeScript.Event.read(1, 1, 0, "")));
    assertEquals(
        "\n    ntdll`Read+0x4\n",
        ProbeScript.quiet(
            "read { printf(\"%-4k\", ustack(1)); }", ProbeScript.Event.read(1, 1, 0, "")));
  }

  @Test
  void printShowsTypes() {
    assertEquals(
        "int 0x1f\nint 0\nchar 0xff\nstring \"ab\"\n",
        ProbeScript.begin("print(31); print(0); print((char)-1); print(\"ab\")"));
  }

  @Test
  void printShowsMembers() {
    assertEquals(
        """
        struct s {
            int i = 0x1f
            char [4] name = [ "ab" ]
            short [3] three = [ 0x1, 0, 0xffff ]
            unsigned int bits :3 = 0x5
            struct t inner = {
                char c = 0
            }
        }
        """,
        ProbeScript.quiet(
            ProbeScript.lines(
                "struct t { char c; };",
                "struct s { int i; char name[4]; short three[3]; unsigned int bits : 3; struct"
                    + " t inner; };",
                "struct s v;",
                "BEGIN { v.i = 31; v.name[0] = 'a'; v.name[1] = 'b'; v.three[0] = 1; v.three[2]"
                    + " = -1; v.bits = 5; print(v); exit(0); }")));
  }

  @Test
  void printShowsNamesOfEnumerations() {
    assertEquals(
        "enum color GREEN\nenum color 0x9\n",
        ProbeScript.quiet(
            ProbeScript.lines(
                "enum color { RED, GREEN = 5 };",
                "enum color v;",
                "BEGIN { v = GREEN; print(v); v = 9; print(v); exit(0); }")));
  }

  @Test
  void bytesArePrintedWithTheirCharacters() {
    assertEquals(
        ProbeScript.lines(
            "",
            "             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef",
            "         0: 41 00 42                                         A.B"),
        ProbeScript.begin(
            "this->p = (char *)alloca(3); this->p[0] = 'A'; this->p[2] = 'B';"
                + "tracemem(this->p, 3)"));
  }

  @Test
  void faultsAreToldAndOtherClausesGoOn() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run(
                ProbeScript.lines(
                    "#pragma D option quiet",
                    "int zero;",
                    "BEGIN { printf(\"a\"); trace(1 / zero); printf(\"never\"); }",
                    "BEGIN /1 % zero/ { printf(\"never\"); }",
                    "ERROR { printf(\"[%d %d %d]\", arg1, arg2, arg4); }",
                    "BEGIN { printf(\"b\"); exit(5); }"));
    assertEquals("[1 2 4][2 0 4]b\n", result.out());
    assertEquals(
        ProbeScript.lines(
            "dtrace: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): divide-by-zero in"
                + " action #2",
            "dtrace: error on enabled probe ID 2 (ID 1: dtrace:::BEGIN): divide-by-zero in"
                + " predicate"),
        result.err());
    assertEquals(5, result.status());
  }

  @Test
  void aDivisorOfZeroIsAFault() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run(
                ProbeScript.lines(
                    "#pragma D option quiet",
                    "int zero;",
                    "BEGIN { @ = sum(7); normalize(@, zero); }",
                    "BEGIN { printa(\"%@d\", @); exit(0); }"));
    assertEquals("7\n", result.out());
    assertEquals(
        "dtrace: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): divide-by-zero in action #2\n",
        result.err());
  }

  @Test
  void exitLetsTheRestOfItsClauseRunAndThenTheEnd() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run(
                ProbeScript.lines(
                    "#pragma D option quiet",
                    "BEGIN { exit(4); printf(\"rest \"); }",
                    "BEGIN { printf(\"never\"); }",
                    "END { printf(\"end\"); }"));
    assertEquals("rest end\n", result.out());
    assertEquals(4, result.status());
  }
}

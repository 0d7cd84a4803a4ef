package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.probe.syntax.CompileError;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that are too deep, too long or too greedy: they run in bounds, or are refused. */
@Timeout(60)
class HostileProgramsTest {
  private static final int MANY = 10_000;

  private static CompileError refused(String program) {
    return assertThrows(CompileError.class, () -> ProbeScript.with(null).run(program));
  }

  @Test
  void tenThousandClausesRun() {
    assertEquals(
        "10000",
        ProbeScript.quiet(
            "int n;\n"
                + "BEGIN { n++; }\n".repeat(MANY)
                + "BEGIN { printf(\"%d\", n); exit(0); }"));
  }

  @Test
  void tenThousandStatementsRun() {
    assertEquals(
        "10000", ProbeScript.begin("n = 0; " + "n++; ".repeat(MANY) + "printf(\"%d\", n)"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "trace(%s1%s)|(|)",
        "trace(%s1%s)|-|",
        "trace(%s1%s)|!|",
        "trace(%s1%s)||+1",
        "trace(%s1%s)|(|+1)",
        "trace(%s1%s)|1,|",
        "trace(%s1%s)|1?1:|",
        "trace(%s1%s)|1?|:1",
        "x = 1; %sx = 1%s|x = |",
        "trace(%s1%s)|strlen(strjoin(|,\"a\"))",
        "trace(%s1%s)|(int)|",
        "trace(%s1%s)|sizeof |",
        "x = alloca(8); trace(%sx%s)|*|",
        "x = 1; trace(%sx%s)||[0]",
        "x = 1; trace(%sx%s)||.a",
        "x = 1; trace(%sx%s)||++",
        "%strace(1)%s|if (1) {|}",
        "%strace(1)%s|if (1) |",
        "trace((int %s)1)%s|*|",
        "trace(sizeof(int %s))%s|[1]|"
      })
  void whatLiesTenThousandTimesInItselfIsRefused(String row) {
    String[] parts = row.split("\\|", -1);
    String program =
        "BEGIN { " + parts[0].formatted(parts[1].repeat(MANY), parts[2].repeat(MANY)) + "; }";
    assertTrue(refused(program).reason().length() < 200, row);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "(; pid; ); 190",
        "~; pid; ''; 190",
        "''; pid; +1; 490",
        "(; pid; +1); 190",
        "pid?pid:; pid; ''; 190",
        "pid?; pid; :1; 190",
        "(int); pid; ''; 190",
        "strlen(strjoin(lltostr(; pid; ),\"a\")); 60"
      })
  void whatIsJustNotTooDeepRunsInASmallStack(String before, String inner, String after, int times)
      throws InterruptedException {
    String program = "trace(" + before.repeat(times) + inner + after.repeat(times) + ")";
    List<String> printed = new ArrayList<>();
    // Main threads have 1 MB. Code of the fast compiler needs more than the interpreter: up to 640
    // KB.
    Thread small =
        new Thread(null, () -> printed.add(ProbeScript.begin(program)), "small", 768 << 10);
    small.start();
    small.join();
    assertEquals(1, printed.size());
  }

  @Test
  void typesThatLieInEachOtherAreRefused() {
    String structs =
        IntStream.range(1, MANY)
            .mapToObj(i -> "struct s%d { struct s%d a; };".formatted(i, i - 1))
            .collect(Collectors.joining("\n"));
    assertEquals("D_DECL_OVERSIZE", refused("struct s0 { char c; };\n" + structs).tag());
    String pointers =
        IntStream.range(1, MANY)
            .mapToObj(i -> "typedef t%d *t%d;".formatted(i - 1, i))
            .collect(Collectors.joining("\n"));
    assertEquals("D_DECL_OVERSIZE", refused("typedef int t0;\n" + pointers).tag());
  }

  @Test
  void inlinesThatDoubleAreRefused() {
    String inlines =
        IntStream.range(1, 64)
            .mapToObj(i -> "inline int i%d = i%d + i%d;".formatted(i, i - 1, i - 1))
            .collect(Collectors.joining("\n"));
    refused("inline int i0 = pid;\n" + inlines + "\nBEGIN { trace(i63); }");
  }

  @Test
  void inlinesThatNameTheOneBeforeAreRefusedWhenTheyAreTooDeep() {
    String inlines =
        IntStream.range(1, MANY)
            .mapToObj(i -> "inline int i%d = i%d + 1;".formatted(i, i - 1))
            .collect(Collectors.joining("\n"));
    refused("inline int i0 = pid;\n" + inlines);
  }

  @Test
  void keysWithoutEndAreDropped() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run(
                ProbeScript.lines(
                    "#pragma D option quiet",
                    "#pragma D option dynvarsize=64k",
                    "#pragma D option aggsize=64k",
                    "int i;",
                    "tick-1ms { i++; a[i] = i; @[i] = count(); }",
                    "tick-1ms /i == 5000/ { trunc(@); exit(0); }"));
    // An element takes 96 bytes, and 8 for each part of its key and its value: variable, number.
    assertEquals(List.of("4644 aggregation drops", "4454 dynamic variable drops"), result.drops());
  }

  @Test
  void elementsThatAreFreedMakeRoom() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run(
                ProbeScript.lines(
                    "#pragma D option quiet",
                    "#pragma D option dynvarsize=1k",
                    "int i;",
                    "tick-1ms { i++; a[i] = i; a[i] = 0; }",
                    "tick-1ms /i == 5000/ { exit(0); }"));
    assertEquals(List.of(), result.drops());
  }

  @Test
  void stringsDoNotGrowBeyondTheirSize() {
    assertEquals(
        "255",
        ProbeScript.begin(
            "s = \"%s\"; s = strjoin(s, s); printf(\"%%d\", strlen(s))"
                .formatted("x".repeat(1000))));
    assertEquals("D_PRAGMA_OPTSET", refused("#pragma D option strsize=1g\nBEGIN {}").tag());
  }

  @Test
  void whatAFiringPrintsIsBoundedByItsBuffer() {
    ProbeScript.Result result =
        ProbeScript.with(null)
            .run(
                ProbeScript.lines(
                    "#pragma D option quiet",
                    "#pragma D option bufsize=1k",
                    "BEGIN { s = \"%s\"; }".formatted("x".repeat(200)),
                    "BEGIN { printf(\"a\"); %s }".formatted("trace(s);".repeat(100)),
                    "BEGIN { printf(\"b\"); exit(0); }"));
    assertEquals("b\n", result.out());
    assertEquals(List.of("1 drop on CPU 0"), result.drops());
  }

  @Test
  void anOptionDoesNotAskForMoreMemoryThanThereIs() {
    assertEquals("D_PRAGMA_OPTSET", refused("#pragma D option aggsize=1000t\nBEGIN {}").tag());
    assertEquals("D_PRAGMA_OPTSET", refused("#pragma D option specsize=1000t\nBEGIN {}").tag());
  }

  @Test
  void hugeWidthsAreRefused() {
    assertEquals("D_PRINTF_FMT_BAD", refused("BEGIN { printf(\"%999999999d\", 1); }").tag());
    assertEquals("D_PRINTF_FMT_BAD", refused("BEGIN { printf(\"%.999999999d\", 1); }").tag());
    assertEquals(
        "D_PRINTF_FMT_BAD",
        refused("BEGIN { printf(\"%s\", 1); }".replace("%s", "%d".repeat(MANY))).tag());
    assertEquals("32768", ProbeScript.begin("printf(\"%*d\", 2147483647, 1)").length() + "");
  }

  @Test
  void memoryOfAClauseIsBounded() {
    String err =
        ProbeScript.with(null)
            .run("#pragma D option quiet\nBEGIN { alloca(1 << 30); } BEGIN { exit(0); }")
            .err();
    assertTrue(err.contains("out of scratch space in action #1"), err);
  }

  @Test
  void variablesTogetherHaveABound() {
    String program =
        IntStream.range(0, 100)
            .mapToObj(i -> "char a%d[1000000];".formatted(i))
            .collect(Collectors.joining("\n"));
    assertEquals("D_DECL_OVERSIZE", refused(program).tag());
  }

  @Test
  void aProgramOfAnyCharactersIsRefusedInWords() {
    for (String text :
        List.of("\0", "BEGIN\0{}", "BEGIN {\uFFFF}", "\uD800", "BEGIN{\"\\", "'", "@")) {
      assertTrue(!refused(text).reason().isEmpty());
    }
  }

  @Test
  void aStringWithoutEndOfAMegabyteIsRefused() {
    assertEquals("D_SYNTAX", refused("BEGIN { trace(\"" + "x".repeat(1 << 20)).tag());
  }

  @Test
  void manySpeculationsAreBounded() {
    assertEquals("D_PRAGMA_OPTSET", refused("#pragma D option nspec=100000000\nBEGIN {}").tag());
  }
}

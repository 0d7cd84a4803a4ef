package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Data of which it is known only later whether it is printed. */
class ProbeSpeculationsTest {
  private static final String QUIET = "#pragma D option quiet\nint buffer;\n";

  private static ProbeScript.Result run(String program) {
    return ProbeScript.with(null).run(QUIET + program);
  }

  @Test
  void whatIsCommittedIsPrintedThere() {
    assertEquals(
        "1 first second third\n",
        run(ProbeScript.lines(
                "BEGIN { buffer = speculation(); printf(\"%d \", buffer); }",
                "BEGIN { speculate(buffer); printf(\"second \"); }",
                "BEGIN { printf(\"first \"); }",
                "BEGIN { commit(buffer); }",
                "BEGIN { printf(\"third\"); exit(0); }"))
            .out());
  }

  @Test
  void whatIsDiscardedIsNeverPrinted() {
    assertEquals(
        "end\n",
        run(ProbeScript.lines(
                "BEGIN { buffer = speculation(); }",
                "BEGIN { speculate(buffer); printf(\"never\"); }",
                "BEGIN { discard(buffer); commit(buffer); }",
                "BEGIN { printf(\"end\"); exit(0); }"))
            .out());
  }

  @Test
  void aBufferIsFreeAgainWhenItIsCommitted() {
    ProbeScript.Result result =
        run(
            ProbeScript.lines(
                "BEGIN { printf(\"%d\", speculation()); printf(\"%d\", speculation()); }",
                "BEGIN { commit(1); }", "BEGIN { printf(\"%d\", speculation()); exit(0); }"));
    assertEquals("101\n", result.out());
    assertEquals(List.of("1 failed speculation (no speculative buffer available)"), result.drops());
  }

  @Test
  void thereAreAsManyBuffersAsTheOptionSays() {
    assertEquals(
        "120\n",
        run("#pragma D option nspec=2\nBEGIN { printf(\"%d\", speculation());"
                + " printf(\"%d\", speculation()); printf(\"%d\", speculation()); exit(0); }")
            .out());
  }

  @Test
  void dataForNoSpeculationIsDiscarded() {
    assertEquals(
        "end\n",
        run(ProbeScript.lines(
                "BEGIN { speculate(0); printf(\"never\"); }",
                "BEGIN { commit(7); }",
                "BEGIN { printf(\"end\"); exit(0); }"))
            .out());
  }

  @Test
  void whatDoesNotFitIsCountedAsADrop() {
    ProbeScript.Result result =
        run(
            ProbeScript.lines(
                "#pragma D option specsize=64",
                "BEGIN { buffer = speculation(); }",
                "BEGIN { speculate(buffer); printf(\"short \"); }",
                "BEGIN { speculate(buffer); printf(\"%s\", \"a text that is much too long for"
                    + " it\"); }",
                "BEGIN { commit(buffer); }",
                "BEGIN { exit(0); }"));
    assertEquals("short \n", result.out());
    assertEquals(List.of("1 speculative drop"), result.drops());
  }
}

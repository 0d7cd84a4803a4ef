package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail diff} of recordings of calls that {@code pt flow} wrote. */
class PtDiffTest {
  @TempDir private Path folder;

  private Path recorded(String name, byte[] bytes) throws IOException {
    Path stream = Files.write(folder.resolve(name + ".pt"), bytes);
    Path recording = folder.resolve(name + ".ntr");
    String code =
        TestData.file("pt/xdc/avscript32.addr.gz")
            + ","
            + TestData.file("pt/xdc/avscript32.dump.gz");
    Cli.run("pt", "flow", stream, "--pages", code, "--model", "6/94/3", "--calls", "-o", recording);
    return recording;
  }

  @Test
  void twoFlowsAreComparedByTheirCalls() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] bytes = TestData.gunzip("pt/xdc/avscript32.pt.gz");
    Path half = recorded("half", Arrays.copyOf(bytes, bytes.length / 2));
    Path whole = recorded("whole", bytes);
    Cli.Result result = Cli.run("diff", half, whole, "--format", "json");
    assertEquals(0, result.exit(), result.err());
    // All instructions of the README.
    assertTrue(result.out().contains("\"unit\":\"ticks\",\"total\":1114194"), result.out());
    assertTrue(
        result
            .out()
            .contains(
                "\"function\":\"0x6368b550\",\"file\":null,\"line\":null,\"rva\":null,"
                    + "\"beforeSelf\":0,\"beforeInclusive\":0,\"afterSelf\":900653"),
        result.out());
    assertTrue(result.out().contains("\"state\":\"new\""), result.out());
  }
}

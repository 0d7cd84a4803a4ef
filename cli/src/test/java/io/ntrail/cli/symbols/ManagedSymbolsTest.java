package io.ntrail.cli.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.TestData;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** PDBs of managed programs, whose places are offsets in intermediate language. */
class ManagedSymbolsTest {
  private static Path pdb(String name) {
    assumeTrue(TestData.available(), TestData.MISSING);
    return TestData.file("pdb/" + name + ".pdb.gz");
  }

  /** {@code Main} of a program for .NET 1.1: 11 bytes of intermediate language in two lines. */
  private static Path old() {
    return pdb("binskim/VS2003-DotNetProgram");
  }

  private static List<JsonReader> rows(Path file, String option, String key) {
    return Cli.run("symbols", file, option, "--format", "json").json().get(key).array();
  }

  @Test
  void linesAreListedByTheirOffsetInTheMethod() {
    List<JsonReader> lines = rows(old(), "--lines", "lines");
    assertEquals(2, lines.size());
    for (JsonReader line : lines) {
      assertTrue(line.get("rva").isNull());
      assertEquals("Main", line.get("method").text());
      assertEquals("0x6000001", line.get("token").text());
    }
    assertEquals(0, lines.get(0).get("ilOffset").number());
    assertEquals(10, lines.get(1).get("ilOffset").number());
    String text = Cli.run("symbols", old(), "--lines").out();
    assertTrue(text.lines().findFirst().orElseThrow().contains("IL offset"), text);
    assertTrue(text.contains("IL_000a     1     8"), text);
  }

  @Test
  void methodsAreListedWithoutAnAddress() {
    JsonReader main = rows(old(), "--list", "symbols").getFirst();
    assertTrue(main.get("rva").isNull());
    assertEquals("managed method", main.get("kind").text());
    assertEquals(11, main.get("size").number());
    assertEquals("0x6000001", main.get("token").text());
  }

  @Test
  void anAddressInSuchAProgramIsRefusedWithTheReason() {
    Cli.Result result = Cli.run("symbols", old(), "--address", "0x0a");
    assertEquals(1, result.exit());
    assertEquals("", result.out());
    assertTrue(result.err().contains("no addresses of code"), result.err());
    assertTrue(result.err().contains("try: ntrail symbols " + old() + " --lines"), result.err());
  }

  @Test
  void ofAProgramWithBothOnlyTheManagedCodeHasOffsets() {
    List<JsonReader> lines = rows(pdb("binskim/MixedMode_x64_VS2015_Default"), "--lines", "lines");
    List<JsonReader> managed =
        lines.stream().filter(line -> !line.get("ilOffset").isNull()).toList();
    // main has the first two of them.
    assertEquals(10, managed.get(1).get("ilOffset").number());
    assertTrue(managed.size() < lines.size());
    for (JsonReader line : lines) {
      assertTrue(line.get("rva").isNull() != line.get("ilOffset").isNull(), line.toString());
    }
  }
}

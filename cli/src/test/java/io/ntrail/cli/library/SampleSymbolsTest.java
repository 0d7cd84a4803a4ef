package io.ntrail.cli.library;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.SampleSymbols;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The PDBs that come with the sample recording: they are its own, and name its functions. */
class SampleSymbolsTest {
  private static final Path SAMPLES = TestData.projectRoot().resolve("samples");

  @Test
  void theFilesAreThoseThatTheTestsMake() throws IOException {
    Path folder = SAMPLES.resolve("symbols");
    assertArrayEquals(SampleSymbols.shopcore(), Files.readAllBytes(folder.resolve("shopcore.pdb")));
    assertArrayEquals(SampleSymbols.shopd(), Files.readAllBytes(folder.resolve("shopd.pdb")));
  }

  @Test
  void theSampleHasNamedFunctionsAndLines() {
    Path recording = SAMPLES.resolve("shop.etl");
    Path symbols = SAMPLES.resolve("symbols");
    Cli.Result tree =
        Cli.run("profile", recording, "-p", "shopd", "-y", symbols, "--tree", "--min", "20%");
    assertEquals(0, tree.exit(), tree.err());
    assertTrue(tree.out().contains("shopcore.dll!Worker::Run"), tree.out());
    assertTrue(tree.out().contains("\u251C\u2500 shopcore.dll!Stock::Match"), tree.out());
    Cli.Result lines = Cli.run("profile", recording, "-p", "shopd", "-y", symbols, "--by", "line");
    assertTrue(lines.out().contains("shopcore.dll!Stock::Match stock.cpp:58"), lines.out());
  }
}

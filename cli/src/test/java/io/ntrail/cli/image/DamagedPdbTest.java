package io.ntrail.cli.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail image} with the PDB of the image beside it, of which nothing can be read. */
class DamagedPdbTest {
  @TempDir private Path folder;
  private Path image;

  @BeforeEach
  void cut() throws IOException {
    Path samples = TestData.projectRoot().resolve("samples");
    image = folder.resolve("shopcore.dll");
    Files.copy(samples.resolve("shopcore.dll"), image);
    byte[] pdb = Files.readAllBytes(samples.resolve("symbols/shopcore.pdb"));
    Files.write(folder.resolve("shopcore.pdb"), Arrays.copyOf(pdb, pdb.length / 2));
  }

  @Test
  void isToldWithoutBeingAskedFor() throws IOException {
    Cli.Result text = Cli.run("image", image);
    assertEquals(3, text.exit(), text.out());
    assertTrue(text.err().contains("shopcore.pdb is a damaged PDB"), text.err());
    assertTrue(text.out().contains("those of the PDB could not be read"), text.out());
    Cli.Result json = Cli.run("image", image, "--functions", "--format", "json");
    assertEquals(3, json.exit(), json.err());
    assertEquals(List.of(), JsonSchema.named("image").findings(json.json()));
    assertEquals(
        "names of functions", json.json().get("gaps").array().getFirst().get("what").text());
    assertEquals(3, Cli.run("image", image, "--functions", "--format", "csv").exit());
  }

  @Test
  void mayHaveTheNameThatWasNotFound() {
    for (String option : List.of("--disasm", "--unwind")) {
      Cli.Result result = Cli.run("image", image, option, "Stock::Match");
      assertEquals(3, result.exit(), result.err());
      assertTrue(
          result.err().contains("has no function named Stock::Match in what could be read"),
          result.err());
    }
  }

  @Test
  void isOfNoConcernWhereAnotherPlaceHasTheWholeOne() {
    Path symbols = TestData.projectRoot().resolve("samples/symbols");
    Cli.Result result = Cli.run("image", image, "-y", symbols);
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.out().contains(" in the PDB"), result.out());
  }
}

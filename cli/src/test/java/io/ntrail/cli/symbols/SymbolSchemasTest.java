package io.ntrail.cli.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The JSON of {@code ntrail symbols PDB} is what its schemas say, for every option. */
class SymbolSchemasTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shopd.pdb");

  private static JsonReader json(String format, Object... words) {
    List<Object> all = new ArrayList<>(List.of("symbols"));
    all.addAll(Arrays.asList(words));
    all.addAll(List.of("--format", format));
    return JsonReader.parse(Cli.run(all.toArray()).lines().getFirst());
  }

  @Test
  void aPdbIsWhatItsSchemaSays() throws IOException {
    for (String format : List.of("json", "jsonl")) {
      assertEquals(List.of(), JsonSchema.named("pdb").findings(json(format, SAMPLE)));
    }
  }

  @Test
  void symbolsAndLinesAreWhatTheirSchemaSays() throws IOException {
    JsonSchema schema = JsonSchema.named("symbol-list");
    for (String list : List.of("--list", "--publics")) {
      JsonReader json = json("json", SAMPLE, list);
      assertEquals(List.of(), schema.definition("symbols").findings(json));
      assertEquals(
          List.of(), schema.definition("symbol").findings(json("jsonl", SAMPLE, list)), list);
    }
    assertEquals(
        List.of(), schema.definition("symbols").findings(json("json", SAMPLE, "--find", "*")));
    JsonReader lines = json("json", SAMPLE, "--lines");
    assertEquals(List.of(), schema.definition("lines").findings(lines));
    assertFalse(lines.get("lines").array().isEmpty());
    assertEquals(List.of(), schema.definition("line").findings(json("jsonl", SAMPLE, "--lines")));
  }

  @Test
  void managedMethodsAreWhatTheSchemaSays() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path managed = TestData.file("etl/perfview-net45-x86-win7.System.Xml.ni.pdb.gz");
    JsonSchema schema = JsonSchema.named("symbol-list");
    assertEquals(List.of(), schema.definition("symbols").findings(json("json", managed, "--list")));
  }
}

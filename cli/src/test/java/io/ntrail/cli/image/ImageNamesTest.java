package io.ntrail.cli.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pdb.PdbSamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail image} with the PDB of the image. */
class ImageNamesTest {
  private static final String SOFTOKN = "pdb/samply/softokn3";

  @TempDir private Path folder;

  @BeforeEach
  void data() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  private Path unpacked(String name) throws IOException {
    Path to = folder.resolve(Path.of(name).getFileName().toString());
    return Files.write(to, TestData.gunzip(name + ".gz"));
  }

  @Test
  void functionsHaveTheNamesThatLlvmSymbolizerFinds() throws IOException {
    assumeTrue(PdbSamples.present(), "xz is missing");
    Path image = unpacked(SOFTOKN + ".dll");
    unpacked(SOFTOKN + ".pdb");
    Cli.Result result = Cli.run("image", image, "--functions", "--format", "json");
    assertEquals(0, result.exit(), result.err());
    assertEquals(List.of(), JsonSchema.named("image").findings(result.json()));
    NavigableMap<Long, JsonReader> functions = new TreeMap<>();
    for (JsonReader function : result.json().get("functions").array()) {
      functions.put(Long.decode(function.get("rva").text()), function);
    }
    List<String> different = new ArrayList<>();
    int asked = 0;
    for (String line : PdbSamples.truth("samply_softokn3.addr2line.tsv")) {
      String[] row = line.split("\t", -1);
      if (line.startsWith("#") || row.length < 3) {
        continue;
      }
      String outermost = row[2].substring(row[2].lastIndexOf(" | ") + 1).strip();
      if (outermost.endsWith("??:0")) {
        // It has the nearest public symbol, and not the function.
        continue;
      }
      // Clang gives names of what it takes out of a module a number.
      String name =
          outermost.replaceFirst("^\\| ", "").replaceFirst("(\\(void\\)|\\.llvm\\.\\d+)? @ .*", "");
      Map.Entry<Long, JsonReader> found = functions.floorEntry(Long.parseLong(row[0], 16));
      List<String> names =
          found.getValue().get("names").array().stream().map(JsonReader::text).toList();
      asked++;
      if (!names.contains(name)) {
        different.add(line + " but " + names);
      }
    }
    assertTrue(asked > 2_700, "asked only for " + asked);
    assertEquals(List.of(), different);
  }

  @Test
  void codeHasTheLinesItCameFrom() throws IOException {
    Path image = unpacked(SOFTOKN + ".dll");
    Cli.Result without = Cli.run("image", image, "--disasm", "0x10b0");
    assertTrue(!without.out().contains("loader.c"), without.out());
    Path pdb = unpacked(SOFTOKN + ".pdb");
    Cli.Result text = Cli.run("image", image, "--disasm", "RSA_PrivateKeyCheck");
    assertEquals(0, text.exit(), text.err());
    assertTrue(text.out().contains("RSA_PrivateKeyCheck  0x10b0..0x10ff (79 bytes)"), text.out());
    assertTrue(
        text.out().lines().anyMatch(l -> l.contains("0x10b8") && l.contains("loader.c:139")));
    assertTrue(
        text.out().lines().anyMatch(l -> l.contains("lea rdx") && l.contains("freebl_LoadDSO")));
    Path elsewhere = Files.createDirectory(folder.resolve("names"));
    Files.move(pdb, elsewhere.resolve("softokn3.pdb"));
    Cli.Result named = Cli.run("image", image, "-y", elsewhere, "--disasm", "RSA_PrivateKeyCheck");
    assertEquals(text.out(), named.out());
  }

  @Test
  void thePdbOfAnotherBuildIsNotUsedAndNamed() throws IOException {
    Path image = unpacked(SOFTOKN + ".dll");
    Path other = unpacked("pdb/win7/user32.pdb");
    Cli.Result result = Cli.run("image", image, "-y", other, "--functions");
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.err().contains("user32.pdb is a different build"), result.err());
    assertTrue(!result.out().contains("RSA_PrivateKeyCheck"), result.out());
  }

  @Test
  void aRearrangedImageHasItsFunctionsWhereTheyAreNow() throws IOException {
    Path image = unpacked("pdb/win7/user32.dll");
    unpacked("pdb/win7/user32.pdb");
    Cli.Result result = Cli.run("image", image, "--functions", "--exports", "--format", "json");
    assertEquals(0, result.exit(), result.err());
    NavigableMap<Long, JsonReader> functions = new TreeMap<>();
    for (JsonReader function : result.json().get("functions").array()) {
      functions.put(Long.decode(function.get("rva").text()), function);
    }
    int same = 0;
    for (JsonReader export : result.json().get("exports").array()) {
      if (export.get("name").value() == null || export.get("forward").value() != null) {
        continue;
      }
      JsonReader function = functions.get(Long.decode(export.get("rva").text()));
      // Exported data is not a function.
      if (function != null && function.get("source").text().contains("pdb")) {
        same++;
      }
    }
    assertTrue(same > 600, "only " + same + " exports lie where the PDB has a function");
    Cli.Result publics =
        Cli.run("symbols", folder.resolve("user32.pdb"), "--publics", "--format", "csv");
    Set<String> listed = new HashSet<>();
    for (String line : publics.out().lines().toList()) {
      String[] cells = line.split(",", -1);
      listed.add(cells[0] + " " + cells[3]);
    }
    long exported =
        result.json().get("exports").array().stream()
            .filter(e -> e.get("forward").value() == null && e.get("name").value() != null)
            .filter(e -> listed.contains(e.get("rva").text() + " " + e.get("name").text()))
            .count();
    assertEquals(635, exported);
  }
}

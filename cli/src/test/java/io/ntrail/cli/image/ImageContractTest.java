package io.ntrail.cli.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The JSON of {@code ntrail image} against docs/schema/image.schema.json, on real images. */
class ImageContractTest {
  private static final List<String> PARTS =
      List.of(
          "--headers",
          "--sections",
          "--exports",
          "--imports",
          "--relocations",
          "--resources",
          "--functions",
          "--hotpatch",
          "--services");

  private static Path file(String relative) {
    assumeTrue(TestData.available(), TestData.MISSING);
    return TestData.file("pe/" + relative);
  }

  private static void valid(JsonSchema schema, JsonReader json) {
    assertEquals(List.of(), schema.findings(json));
  }

  @Test
  void everyPartOfEveryImageFitsTheSchema() throws IOException {
    JsonSchema schema = JsonSchema.named("image");
    Object[] words =
        Stream.concat(Stream.of("image", "", "--format", "json"), PARTS.stream()).toArray();
    for (String folder : List.of("windows", "toolchains", "flags", "eh")) {
      List<Path> files;
      try (Stream<Path> all = Files.list(file(folder))) {
        files = all.filter(f -> !f.toString().contains("manifest")).sorted().toList();
      }
      for (Path file : files) {
        words[1] = file;
        Cli.Result result = Cli.run(words);
        if (result.exit() == 1) {
          assertTrue(result.err().contains(" is not a PE image: "), result.err());
          continue;
        }
        valid(schema, result.json());
      }
    }
  }

  @Test
  void partsComeWithTheirOptionAndTheSummaryAlways() {
    JsonReader json = Cli.run("image", file("windows/kernel32.dll.gz"), "--format", "json").json();

    assertEquals("ntrail.image/1", json.get("schema").text());
    assertEquals("x64", json.get("machine").text());
    assertEquals(778_240, json.get("sizeOfImage").number());
    assertEquals("kernel32.pdb", json.get("pdb").get("name").text());
    assertTrue(json.get("security").get("aslrEffective").isTrue());
    assertTrue(json.get("security").get("safeSeh").isNull());
    for (String part : PARTS) {
      assertFalse(json.has(part.substring(2)), part);
    }
  }

  @Test
  void aFolderIsOneObjectWithARowAnImage() throws IOException {
    JsonReader json = Cli.run("image", file("windows"), "--format", "json", "-q").json();

    valid(JsonSchema.named("image").definition("images"), json);
    assertEquals(17, json.get("images").array().size());
    assertEquals(1, json.get("notImages").array().size());
  }

  @Test
  void aLineARowHasTheSameMembersAsTheArray() throws IOException {
    Path file = file("windows/KernelBase.dll.gz");
    JsonSchema row = JsonSchema.named("image").definition("export");
    List<String> lines = Cli.run("image", file, "--exports", "--format", "jsonl").lines();

    assertEquals(1_915, lines.size());
    lines.forEach(line -> valid(row, JsonReader.parse(line)));
  }

  /** The figures are those of the unwind data as a script of others counted them. */
  @ParameterizedTest
  @CsvSource({
    "pe/windows/acpi.sys.gz, 812, 152871, 1584",
    "pe/windows/WdBoot.sys.gz, 2, 581, 61",
    "pe/windows/kernel32.dll.gz, 330, 71588, 0",
    "pdb/win10/amdppm.sys.gz, 19, 1533, 445",
    "pdb/win10/Wdf01000.sys.gz, 607, 88861, 2953",
  })
  void partsThatWereMovedOutOfFunctionsAreShownWithThem(
      String image, int parts, long bytes, int epilogs) {
    assumeTrue(TestData.available(), TestData.MISSING);
    JsonReader json =
        Cli.run("image", TestData.file(image), "--functions", "--format", "json").json();
    int seen = 0;
    long size = 0;
    int version2 = 0;
    for (JsonReader function : json.get("functions").array()) {
      version2 += epilogs(function.get("unwind"));
      for (JsonReader part : function.get("parts").array()) {
        seen++;
        size += part.get("size").number();
        version2 += epilogs(part.get("unwind"));
      }
    }
    assertEquals(parts, seen);
    assertEquals(bytes, size);
    assertEquals(epilogs, version2);
  }

  private static int epilogs(JsonReader unwind) {
    return unwind.isNull() || unwind.get("version").number() != 2
        ? 0
        : unwind.get("epilogs").array().size();
  }

  @Test
  void anAddressInAPartMeansItsFunction() throws IOException {
    Path file = file("windows/acpi.sys.gz");
    Cli.Result code = Cli.run("image", file, "--disasm", "0x31d00", "-n", "0");
    assertEquals(0, code.exit(), code.err());
    assertTrue(code.out().contains("0x1010..0x13f2 (994 bytes)"), code.out());
    assertTrue(code.out().contains("further part 0x31cea..0x31f99 (687 bytes)"), code.out());
    Cli.Result begin = Cli.run("image", file, "--disasm", "0x31d00", "-n", "5");
    assertTrue(begin.out().contains("... 1 further part (-n 0 shows all)"), begin.out());
    JsonReader json = Cli.run("image", file, "--disasm", "0x31d00", "--format", "json").json();
    List<String> addresses =
        json.get("instructions").array().stream().map(i -> i.get("address").text()).toList();
    assertTrue(addresses.containsAll(List.of("0x1010", "0x31cea")), addresses::toString);
    Cli.Result functions = Cli.run("image", file, "--functions", "--unwind", "-n", "0");
    assertTrue(
        functions.out().contains("further part 0x31cea..0x31f99 (687 bytes): then as 0x1010"));
  }
}

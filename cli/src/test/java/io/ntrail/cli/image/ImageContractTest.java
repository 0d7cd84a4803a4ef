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

/** The JSON of {@code ntrail image} against docs/schema/image.schema.json, on real images. */
class ImageContractTest {
  private static final List<String> PARTS =
      List.of(
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
}

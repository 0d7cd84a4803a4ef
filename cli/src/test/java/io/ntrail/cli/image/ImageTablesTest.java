package io.ntrail.cli.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables of images and folders: headers, dynamic relocations, sums of a folder, names. */
class ImageTablesTest {
  @TempDir private Path folder;

  private static Path windows(String file) {
    assumeTrue(TestData.available(), TestData.MISSING);
    return TestData.file("pe/windows/" + file);
  }

  private static void contains(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "no <" + part + "> in " + text);
    }
  }

  /** The figures are those that objdump and llvm-readobj print. */
  @ParameterizedTest
  @CsvSource({
    "kernel32.dll.gz, optional header, imageBase, 0x180000000",
    "kernel32.dll.gz, optional header, checksum, 0xc399d",
    "kernel32.dll.gz, data directory, RESOURCE, 0xbc000",
    "IEAdvpack.dll.gz, load configuration, SECURITY_COOKIE, 0x6501b074",
    "IEAdvpack.dll.gz, load configuration, GUARD_CF_FUNCTION_COUNT, 85",
    "KernelBase.dll.gz, load configuration, GUARD_CF_FUNCTION_TABLE, 0x1005ab70",
    "KernelBase.dll.gz, load configuration, GUARD_FLAGS, 0x10017500",
  })
  void headersHaveTheFieldsThatOtherToolsFind(
      String image, String part, String name, String value) {
    List<String> lines = Cli.run("image", windows(image), "--headers", "--format", "csv").lines();
    assertTrue(
        lines.stream().anyMatch(line -> line.startsWith(part + "," + name + "," + value + ",")),
        () -> value + " in " + lines);
  }

  /** People see a line once, where it begins. */
  @Test
  void everyInstructionOfCsvHasItsLine() {
    Path image = TestData.projectRoot().resolve("samples/shopd.exe");
    List<String> told =
        Cli.run("image", image, "--disasm", "main", "--format", "jsonl").lines().stream()
            .map(line -> JsonReader.parse(line).get("line"))
            .map(line -> line.isNull() ? "" : line.text())
            .toList();
    List<String> csv = Cli.run("image", image, "--disasm", "main", "--format", "csv").lines();
    assertTrue(csv.getFirst().endsWith(",line"), csv.getFirst());
    assertEquals(
        told, csv.stream().skip(1).map(row -> row.substring(row.lastIndexOf(',') + 1)).toList());
    assertTrue(told.contains("shopd.cpp:52"), told.toString());
    // What only JSON tells has no column that is always empty.
    assertTrue(csv.getFirst().contains(",refersTo,reads,writes,valid,"), csv.getFirst());
  }

  @Test
  void theRichHeaderSaysWhetherItBelongsToTheImage() throws IOException {
    Path image = windows("kernel32.dll.gz");
    contains(
        Cli.run("image", image, "--headers").out(),
        "belongs to these headers",
        "of tool 257, build 27412");
    byte[] changed;
    try (var in = new java.util.zip.GZIPInputStream(Files.newInputStream(image))) {
      changed = in.readAllBytes();
    }
    changed[0x20]++;
    Path other = Files.write(folder.resolve("other.dll"), changed);
    contains(Cli.run("image", other, "--headers").out(), "of other headers: 0x", "wrong");
  }

  /** The figures of the lists are those that the records have been read with in the format. */
  @ParameterizedTest
  @CsvSource({
    "WdBoot.sys.gz, 144, 15, 0",
    "acpi.sys.gz, 3317, 417, 8",
    "kernel32.dll.gz, 0, 0, 0",
  })
  void dynamicRelocationsAreListedWithTheirSites(
      String image, long imports, long pointers, long switches) throws IOException {
    JsonReader json = Cli.run("image", windows(image), "--relocations", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("image").findings(json));
    JsonReader dynamic = json.get("relocations").get("dynamic");
    Map<String, Long> sites = new TreeMap<>();
    for (JsonReader site : dynamic.get("sites").array()) {
      sites.merge(site.get("symbol").text(), 1L, Long::sum);
      boolean isImport = site.get("symbol").text().equals("GUARD_IMPORT_CONTROL_TRANSFER");
      assertEquals(isImport, !site.get("slotRva").isNull());
    }
    assertEquals(imports, sites.getOrDefault("GUARD_IMPORT_CONTROL_TRANSFER", 0L));
    assertEquals(pointers, sites.getOrDefault("GUARD_INDIR_CONTROL_TRANSFER", 0L));
    assertEquals(switches, sites.getOrDefault("GUARD_SWITCHTABLE_BRANCH", 0L));
    String text = Cli.run("image", windows(image), "--relocations").out();
    contains(text, imports == 0 ? "no dynamic relocations" : "calls and jumps to imports");
  }

  /**
   * The digests are those of the lists of pefile 2023.2.7, whose lines are addresses with what it
   * has of them; it is told that entries for pointers and switches have 16 bits, and the zeros that
   * fill up its blocks are left out.
   */
  @ParameterizedTest
  @CsvSource({
    "WdBoot.sys.gz, 3b10d19a6bd9c5a3, a7367db04ef25b6f, e3b0c44298fc1c14",
    "acpi.sys.gz, 312b0d014806653d, 619d64e361e4bf99, 0461fa9f0754b966",
  })
  void dynamicRelocationsAreThoseThatAnotherReaderFinds(
      String image, String imports, String pointers, String switches) throws Exception {
    JsonReader json = Cli.run("image", windows(image), "--relocations", "--format", "json").json();
    Map<String, List<String>> lines = new TreeMap<>();
    for (JsonReader site : json.get("relocations").get("dynamic").get("sites").array()) {
      String symbol = site.get("symbol").text();
      String rva = site.get("rva").text().substring(2);
      String call = site.get("call").isTrue() ? " 1 " : " 0 ";
      lines
          .computeIfAbsent(symbol, _ -> new ArrayList<>())
          .add(
              switch (symbol) {
                case "GUARD_IMPORT_CONTROL_TRANSFER" ->
                    rva + call + site.get("slotRva").text().substring(2);
                case "GUARD_INDIR_CONTROL_TRANSFER" ->
                    rva + call + (site.get("cfg").isTrue() ? 1 : 0);
                default -> rva + " " + site.get("register").number();
              });
    }
    assertEquals(imports, digest(lines.get("GUARD_IMPORT_CONTROL_TRANSFER")));
    assertEquals(pointers, digest(lines.get("GUARD_INDIR_CONTROL_TRANSFER")));
    assertEquals(switches, digest(lines.get("GUARD_SWITCHTABLE_BRANCH")));
  }

  /** Returns the first 64 bits of SHA-256 of lines; null is none. */
  private static String digest(@Nullable List<String> lines) throws Exception {
    byte[] text =
        String.join("\n", lines == null ? List.of() : lines).getBytes(StandardCharsets.US_ASCII);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(text);
    return HexFormat.of().formatHex(digest, 0, 8);
  }

  @Test
  void aFolderSumsMitigationsAndNamesTheOddFiles() throws IOException {
    Files.write(folder.resolve("a.dll"), SampleImage.make());
    Files.write(folder.resolve("b.dll"), SampleImage.make());
    Files.write(folder.resolve("c.dll"), without(SampleImage.make()));

    Cli.Result result = Cli.run("image", folder, "-q");
    contains(result.out(), "3 images", "ASLR  2 of 3, all but c.dll", "DEP  3 of 3\n");

    JsonReader json = Cli.run("image", folder, "-q", "--format", "json").json();
    assertEquals(3, json.get("totals").get("images").number());
    assertEquals(2, json.get("totals").get("aslrEffective").number());
    assertEquals(List.of(), JsonSchema.named("image").definition("images").findings(json));
  }

  /** Returns an image without ASLR. */
  private static byte[] without(byte[] image) {
    int pe = image[0x3C] & 0xFF | (image[0x3D] & 0xFF) << 8;
    image[pe + 24 + 70] &= ~0x40;
    return image;
  }

  @Test
  void aFolderCountsFunctionsAndThoseThatCanBePatched() throws IOException {
    Files.write(folder.resolve("a.dll"), SampleImage.make());
    Files.write(folder.resolve("b.dll"), SampleImage.make());

    Cli.Result all = Cli.run("image", folder, "--hotpatch", "--functions", "Stock*", "-q");
    contains(
        all.out(),
        "functions Stock*",
        "made for hot-patching",
        "8 functions: 8 made for hot-patching (100.0 %), 6 can be patched (75.0 %)");

    JsonReader row =
        Cli.run("image", folder, "--hotpatch", "--functions", "*Load", "-q", "--format", "json")
            .json()
            .get("images")
            .array()
            .getFirst();
    assertEquals(1, row.get("functions").number());
    assertEquals(4, row.get("hotpatchFunctions").number());
    assertEquals(3, row.get("hotpatchPossible").number());
  }

  @Test
  void whatIsMadeForPatchingAndWhatCanBePatchedAreToldApart() throws IOException {
    Path image = Files.write(folder.resolve("a.dll"), SampleImage.make());
    contains(
        Cli.run("image", image, "--hotpatch").out(),
        "4 (100.0 %) made for hot-patching, 3 (75.0 %) can be patched");
    contains(Cli.run("image", image).out(), "3 of 4 functions can be patched");
  }

  @Test
  void namesOfAnImageWithoutAPdbAreItsExports() throws IOException {
    Path image = Files.write(folder.resolve("a.dll"), SampleImage.make());
    Cli.Result found = Cli.run("symbols", image, "--find", "/Stock[LS].*/");
    assertEquals(0, found.exit(), found.err());
    assertEquals(
        List.of("StockLoad", "StockSize", "StockSleep"),
        found.lines().stream()
            .filter(line -> line.contains("export"))
            .map(line -> line.substring(line.lastIndexOf(' ') + 1))
            .toList());
    contains(found.err(), "names from the image only: ");
    JsonReader json = Cli.run("symbols", image, "--list", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("symbol-list").findings(json));
    assertEquals(5, json.get("symbols").array().size());
  }

  @Test
  void aPartOfAnExportsNameIsProposedAsAPattern() throws IOException {
    Path image = Files.write(folder.resolve("a.dll"), SampleImage.make());
    Cli.Result none = Cli.run("symbols", image, "--find", "Load");
    contains(none.err(), "no symbol matches Load", "try: --find '*Load*'");
  }
}

package io.ntrail.cli.image;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail image} as people see it, mostly on the sample that comes with the project. */
class ImageTest {
  @TempDir private Path folder;

  private Path sample() throws IOException {
    Path file = folder.resolve("shopcore.dll");
    Files.write(file, SampleImage.make());
    return file;
  }

  private static void contains(Cli.Result result, String... texts) {
    for (String text : texts) {
      assertTrue(result.out().contains(text), () -> "no <" + text + "> in " + result.out());
    }
  }

  @Test
  void theSampleIsTheFileThatComesWithTheProject() throws IOException {
    Path file = TestData.projectRoot().resolve("samples/shopcore.dll");
    assertArrayEquals(Files.readAllBytes(file), SampleImage.make());
  }

  @Test
  void theSummaryHasIdentityAndMitigations() throws IOException {
    Cli.Result result = Cli.run("image", sample());

    assertEquals(0, result.exit(), result.err());
    contains(
        result,
        "shopcore.dll: PE32+ DLL, x64, 4,096 bytes, linked 2026-02-11 by linker 14.00",
        "PDB shopcore.pdb 5E1C7A90-44B2-4C0F-A1D2-B3C4D5E6F708 age 2; code id 698BC6807000",
        "base       0x180000000, size 0x7000, entry 0x1010",
        "ASLR yes, high entropy, DEP yes",
        "exports    5 by name, 1 forwarded",
        "imports    1 module, 3 functions",
        "functions  2 in .pdata (0 chained, 0 with handlers)");
  }

  @Test
  void whatTheHeadersPlaceWhereTheFileHasNothingIsUnknown() throws IOException {
    byte[] bytes = SampleImage.make();
    int row = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(".rdata\0\0");
    int sizeOfRawData = row + 16;
    Arrays.fill(bytes, sizeOfRawData, sizeOfRawData + 4, (byte) 0);
    Path file = Files.write(folder.resolve("bare.dll"), bytes);
    Cli.Result result = Cli.run("image", file);
    assertEquals(3, result.exit());
    contains(result, "PDB unknown; code id", "exports    unknown: not stored in the file");
    assertTrue(
        result
            .err()
            .contains("(export directory): the file has no bytes where the headers say that it is"),
        result::err);
    assertTrue(result.err().contains("(debug directory)"), result::err);
  }

  @Test
  void unwindDataAreSpelledOutForANameOrAnAddress() throws IOException {
    Cli.Result byName = Cli.run("image", sample(), "--unwind", "StockMatch");
    Cli.Result byRva = Cli.run("image", sample(), "--unwind", "0x1080");
    Cli.Result byAddress = Cli.run("image", sample(), "--unwind", "0x180001080");

    contains(
        byName,
        "StockMatch, 0x1070: 45 bytes",
        "BeginAddress      = 0x1070",
        "version 1, flags 0, prolog a, codes 4",
        "00: offs a, unwind op 2, op info 3  UWOP_ALLOC_SMALL 0x20 bytes",
        "01: offs 6, unwind op 0, op info 7  UWOP_PUSH_NONVOL rdi",
        "02: offs 5, unwind op 4, op info 3  UWOP_SAVE_NONVOL rbx, 0x30");
    contains(byRva, "StockMatch, 0x1080: 45 bytes");
    assertEquals(byRva.out(), byAddress.out());
  }

  @Test
  void aLeafFunctionIsMarked() throws IOException {
    contains(Cli.run("image", sample(), "--unwind", "StockSize"), "no entry in the function table");
  }

  @Test
  void aNameThatIsNotThereIsAnErrorWithTheNearest() throws IOException {
    Cli.Result result = Cli.run("image", sample(), "--unwind", "StockMtch");

    assertEquals(1, result.exit());
    assertTrue(result.err().contains("has no function named StockMtch"), result.err());
    assertTrue(result.err().contains("--unwind StockMatch"), result.err());
  }

  @Test
  void aWordAfterAnOptionWithoutValueIsTheFile() throws IOException {
    Cli.Result result = Cli.run("image", "--functions", sample());

    assertEquals(0, result.exit(), result.err());
    contains(result, "pdata export  StockLoad");
  }

  @Test
  void functionsAreThoseThatFitThePattern() throws IOException {
    Cli.Result result = Cli.run("image", sample(), "--functions", "*load", "--unwind");

    contains(
        result, "0x1040", "push rbp, set rbp, alloc 0x20", "1 function, 27 bytes (of 4 functions)");
  }

  @Test
  void oneTableIsPrintedAsCsvAndTwoAreRefused() throws IOException {
    Cli.Result one = Cli.run("image", sample(), "--exports", "--format", "csv");
    Cli.Result two = Cli.run("image", sample(), "--exports", "--imports", "--format", "csv");

    assertEquals(
        List.of(
            "ordinal,rva,name,forward",
            "1,0x10b0,StockClose,",
            "2,0x1040,StockLoad,",
            "3,0x1070,StockMatch,",
            "4,0x1020,StockSize,",
            "5,0x20ac,StockSleep,KERNEL32.Sleep"),
        one.lines());
    assertEquals(2, two.exit());
  }

  @Test
  void otherFilesAreNamedAndRefused() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path text = folder.resolve("text.exe");
    Files.writeString(text, "hello");

    Cli.Result ne = Cli.run("image", TestData.file("pe/windows/_setup.dll.gz"));
    Cli.Result none = Cli.run("image", text);

    assertEquals(1, ne.exit());
    assertTrue(ne.err().contains("is not a PE image: it is a 16-bit program (NE)"), ne.err());
    assertEquals(1, none.exit());
    assertTrue(none.err().contains("it does not start with MZ"), none.err());
  }

  @Test
  void aCutImageIsReadAsFarAsItGoes() throws IOException {
    Path file = folder.resolve("cut.dll");
    Files.write(file, java.util.Arrays.copyOf(SampleImage.make(), 1_600));

    Cli.Result result = Cli.run("image", file, "--exports");

    assertEquals(3, result.exit());
    assertTrue(result.err().contains("the file ends inside the section"), result.err());
  }

  @Test
  void aFolderIsATableWithARowAnImage() throws IOException {
    sample();
    Files.writeString(folder.resolve("text.exe"), "hello");

    Cli.Result result = Cli.run("image", folder, "-q");

    assertEquals(0, result.exit(), result.err());
    contains(
        result,
        "2 files with an image file extension",
        "shopcore.dll",
        "1 image, 1 file of another kind");
  }

  @Test
  void rowsOfAFolderForProgramsComeWithAWarningOfFilesThatAreNoImages() throws IOException {
    sample();
    Files.writeString(folder.resolve("text.exe"), "hello");

    for (String format : List.of("csv", "jsonl")) {
      Cli.Result result = Cli.run("image", folder, "--format", format);
      assertEquals(
          List.of("warning: 1 file of another kind (--format json lists them)"),
          result.messages(),
          format);
    }
    assertEquals("", Cli.run("image", folder, "--format", "json").err());
  }

  @Test
  void anExpressionThatIsNoneIsRefused() throws IOException {
    sample();
    String why = "ntrail: not a regular expression: /[/ (Unclosed character class)";
    for (String option : List.of("--functions", "--disasm", "--unwind")) {
      Cli.Result result = Cli.run("image", sample(), option, "/[/");
      assertEquals(2, result.exit(), option);
      assertEquals(List.of(why, "try: " + option + " 'Stock*'"), result.messages());
    }
    Cli.Result result = Cli.run("image", folder, "--functions", "/[/");
    assertEquals(2, result.exit());
    assertEquals(List.of(why, "try: --functions 'Stock*'"), result.messages());
  }

  @Test
  void aPatternThatMatchesNoFunctionIsWarnedOf() throws IOException {
    sample();
    for (String format : List.of("text", "csv", "jsonl", "json")) {
      List<String> warning = List.of("warning: no function matches Nosuch*");
      assertEquals(
          warning,
          Cli.run("image", sample(), "--functions", "Nosuch*", "--format", format).messages());
      assertEquals(
          warning,
          Cli.run("image", folder, "--functions", "Nosuch*", "--format", format).messages());
    }
    assertEquals("", Cli.run("image", sample(), "--functions", "Stock*").err());
    assertEquals("", Cli.run("image", folder, "--functions", "Stock*").err());
  }

  @Test
  void tablesOfAFolderAreRefused() throws IOException {
    sample();
    assertEquals(2, Cli.run("image", folder, "--exports").exit());
  }

  @Test
  void instructionsOfAFunctionSayWhatTheyReferTo() throws IOException {
    Cli.Result result = Cli.run("image", sample(), "--disasm", "StockMatch");

    assertEquals(0, result.exit(), result.err());
    contains(
        result,
        "StockMatch  0x1070..0x109d (45 bytes)",
        "0x1070  48895c2408  mov qword ptr [rsp+8], rbx",
        "call 0x1020                    StockSize",
        "0x109c  c3          ret");
  }

  @Test
  void anImportThatIsCalledIsNamed() throws IOException {
    contains(Cli.run("image", sample(), "--disasm", "0x1040"), "kernel32.dll!CreateFileW");
  }

  @Test
  void instructionsOfAllFunctionsComeOneALine() throws IOException {
    JsonSchema instruction = JsonSchema.named("decode").definition("instruction");
    Cli.Result result = Cli.run("image", sample(), "--disasm", "all", "--format", "jsonl");

    assertEquals(0, result.exit(), result.err());
    assertTrue(result.lines().size() > 25, result::out);
    for (String line : result.lines()) {
      JsonReader json = JsonReader.parse(line);
      assertEquals(List.of(), instruction.findings(json));
      assertTrue(json.get("valid").isTrue(), line);
    }
  }

  @Test
  void bytesAreDecodedWithoutAFile() throws IOException {
    JsonReader json =
        Cli.run("image", "--decode", "f0480fb10a 06", "--at", "0x1000", "--format", "json").json();

    assertEquals(List.of(), JsonSchema.named("decode").findings(json));
    JsonReader exchange = json.get("instructions").array().get(0);
    JsonReader wrong = json.get("instructions").array().get(1);
    assertEquals("lock cmpxchg qword ptr [rdx], rcx", exchange.get("text").text());
    assertEquals(5, exchange.get("length").number());
    assertEquals("0x1005", wrong.get("address").text());
    assertTrue(!wrong.get("valid").isTrue() && !wrong.get("reason").isNull());
  }

  @Test
  void theSameBytesMeanOtherThingsInOtherCode() {
    assertTrue(Cli.run("image", "--decode", "40", "--bits", "32").out().contains("inc eax"));
    assertTrue(Cli.run("image", "--decode", "40", "--bits", "16").out().contains("inc ax"));
    assertEquals(2, Cli.run("image", "--decode", "40", "--bits", "8").exit());
    assertEquals(2, Cli.run("image", "--decode", "4g").exit());
  }

  @Test
  void aSectionNameThatIsNotAnOffsetIsShownAsItIs() throws IOException {
    byte[] file = SampleImage.make();
    int name = new String(file, StandardCharsets.ISO_8859_1).indexOf(".rdata\0");
    System.arraycopy("/-999999".getBytes(StandardCharsets.ISO_8859_1), 0, file, name, 8);
    file[0x80 + 12] = 1; // PointerToSymbolTable
    Path path = folder.resolve("names.dll");
    Files.write(path, file);

    Cli.Result result = Cli.run("image", path, "--sections");

    assertEquals(0, result.exit(), result.err());
    contains(result, "/-999999");
  }

  /** Writes the sample with another place and size of a directory. */
  private Path withDirectory(int number, long rva, long size) throws IOException {
    byte[] bytes = SampleImage.make();
    int row = (int) LittleEndian.getU32(bytes, 0x3C) + 24 + 112 + 8 * number;
    LittleEndian.putU32(bytes, row, rva);
    LittleEndian.putU32(bytes, row + 4, size);
    return Files.write(folder.resolve("changed.dll"), bytes);
  }

  @Test
  void aCertificateThatIsNotInTheFileLeavesOpenWhetherItIsSigned() throws IOException {
    for (long offset : new long[] {0x10_0000, 0x200}) {
      Path file = withDirectory(4, offset, 0x100);
      Cli.Result summary = Cli.run("image", file);
      assertEquals(3, summary.exit());
      contains(summary, "signature unknown");
      assertTrue(summary.err().contains("(certificates): "), summary.err());
      JsonReader json = Cli.run("image", file, "--format", "json").json();
      assertEquals(List.of(), JsonSchema.named("image").findings(json));
      assertTrue(json.get("security").get("signed").isNull());
    }
    contains(Cli.run("image", sample()), "not signed");
  }

  @Test
  void aDebugDirectoryThatIsNotInTheImageLeavesOpenWhatItSays() throws IOException {
    Path file = withDirectory(6, 0x7F00_0000, 28);
    Cli.Result summary = Cli.run("image", file);
    assertEquals(3, summary.exit());
    contains(summary, "PDB unknown; code id", "CET unknown");
    JsonReader json = Cli.run("image", file, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("image").findings(json));
    assertTrue(json.get("security").get("cet").isNull());
    sample();
    contains(Cli.run("image", folder, "-q"), "CET  0 of 1 (unknown of 1 more)\n");
    JsonReader all = Cli.run("image", folder, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("image").findings(all));
  }

  @Test
  void aModuleWhoseImportsAreUnknownIsListed() throws IOException {
    byte[] bytes = SampleImage.make();
    PeImage image = PeImage.ofFile(InputFile.of(bytes, "bound.dll"));
    int descriptor = (int) image.view().offset(image.directory(DataDirectory.IMPORT).rva());
    int table = (int) image.view().offset(LittleEndian.getU32(bytes, descriptor + 16));
    // No table of names, a stamp, an address.
    LittleEndian.putU32(bytes, descriptor, 0);
    LittleEndian.putU32(bytes, descriptor + 4, 1);
    LittleEndian.putU32(bytes, table, 0x7FF0_1234);
    Path file = Files.write(folder.resolve("bound.dll"), bytes);

    Cli.Result result = Cli.run("image", file, "--imports");

    assertEquals(3, result.exit(), result.out());
    contains(result, "kernel32.dll  -", "\n0 imports");
    JsonReader json = Cli.run("image", file, "--imports", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("image").findings(json));
    assertTrue(json.get("imports").array().getFirst().get("ordinal").isNull());
  }
}

package io.ntrail.cli.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.text.Terminal;
import io.ntrail.testkit.TestData;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ntrail symbols}: what PDBs know, as people and programs get it. */
class SymbolsTest {
  private static final String SOFTOKN = "pdb/samply/softokn3";

  @TempDir private Path folder;

  @BeforeEach
  void data() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  private static Path file(String name) {
    return TestData.file(name);
  }

  private Path unpacked(String name) throws IOException {
    Path to = folder.resolve(Path.of(name).getFileName().toString());
    return Files.write(to, TestData.gunzip(name + ".gz"));
  }

  @Test
  void addressesHaveFunctionsLinesAndWhatWasInlined() throws IOException {
    Cli.Result result =
        Cli.run("symbols", file(SOFTOKN + ".pdb.gz"), "--address", "0x10dd", "--format", "json");
    assertEquals(0, result.exit(), result.err());
    JsonSchema schema = JsonSchema.named("frames");
    assertEquals(List.of(), schema.findings(result.json()));
    JsonReader frames = result.json().get("addresses").array().get(0).get("frames");
    assertEquals("freebl_RunLoaderOnce", frames.array().get(0).get("function").text());
    assertEquals(86, frames.array().get(0).get("line").number());
    assertEquals("RSA_PrivateKeyCheck", frames.array().get(1).get("function").text());
    assertEquals(139, frames.array().get(1).get("line").number());
    JsonReader address = result.json().get("addresses").array().get(0);
    assertEquals("procedure", address.get("source").text());
    assertEquals(0x2d, address.get("offset").number());
    JsonReader parameters = frames.array().get(1).get("parameters");
    assertEquals("RSAPrivateKeyStr const *", parameters.array().get(0).text());
  }

  @Test
  void anAddressThatCouldBeDecimalIsRefusedWithBothReadings() throws IOException {
    Path pdb = file(SOFTOKN + ".pdb.gz");
    Cli.Result decimal = Cli.run("symbols", pdb, "--address", "4096");
    assertEquals(2, decimal.exit());
    assertEquals(
        List.of(
            "ntrail: 4096 is ambiguous: 0x4096, or decimal, which is 0x1000",
            "try: 0x4096 or 0x1000"),
        decimal.messages());
    assertEquals(2, Cli.run("image", "--decode", "c3", "--at", "1000").exit());
    String expected = Cli.run("symbols", pdb, "--address", "0x10dd").out();
    assertEquals(expected, Cli.run("symbols", pdb, "--address", "10dd").out());
  }

  @Test
  void theNearestNameIsMarked() throws IOException {
    Path image = unpacked("pdb/win7/user32.dll");
    unpacked("pdb/win7/user32.pdb");
    Cli.Result result = Cli.run("symbols", image, "--address", "0x1a534");
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.out().contains(" ?"), result.out());
    assertTrue(result.out().contains("an unnamed function may lie between"), result.out());
    Cli.Result json = Cli.run("symbols", image, "--address", "0x1a534", "--format", "json");
    assertEquals(List.of(), JsonSchema.named("frames").findings(json.json()));
    assertEquals("public symbol", json.json().get("addresses").array().get(0).get("source").text());
  }

  @Test
  void publicSymbolsAndLinesAreAsManyAsCountedElsewhere() throws IOException {
    Path pdb = file(SOFTOKN + ".pdb.gz");
    Cli.Result publics = Cli.run("symbols", pdb, "--publics", "--format", "csv");
    assertEquals(count("publics"), publics.out().lines().count() - 1);
    Cli.Result lines = Cli.run("symbols", pdb, "--lines", "--format", "csv");
    assertEquals(count("lines"), lines.out().lines().count() - 1);
    Cli.Result some = Cli.run("symbols", pdb, "--lines", "--find", "*/loader.c", "-n", "3");
    assertEquals(0, some.exit(), some.err());
    assertTrue(some.out().contains("nss/lib/freebl/loader.c"), some.out());
    assertTrue(!some.out().contains("startup"), some.out());
  }

  private static long count(String column) throws IOException {
    List<String> rows = Files.readAllLines(file("pdb/files.tsv"));
    int index = List.of(rows.getFirst().split("\t", -1)).indexOf(column);
    String row =
        rows.stream().filter(r -> r.startsWith("samply/softokn3.pdb")).findFirst().orElseThrow();
    return Long.parseLong(row.split("\t", -1)[index]);
  }

  @Test
  void aTruncatedCompressedPdbIsReadAsFarAsItGoes() throws IOException {
    byte[] packed = Files.readAllBytes(file(SOFTOKN + ".pdb.gz"));
    Path cut = folder.resolve("cut.pdb.gz");
    Files.write(cut, Arrays.copyOf(packed, packed.length * 9 / 10));
    Cli.Result result = Cli.run("symbols", cut);
    // Where the directory lies behind the cut, nothing can be read.
    assertTrue(result.exit() == 1 || result.exit() == 3, "exit " + result.exit());
    assertTrue(result.err().contains("cut.pdb"), result.err());
  }

  @Test
  void aPdbInACabinetIsReadAsItIs() {
    Cli.Result result = Cli.run("symbols", file("pdb/mozilla/basic32.pd_"), "--address", "0x6be0");
    assertEquals(0, result.exit(), result.err());
    assertEquals("", result.err());
    assertTrue(result.out().contains("test1"), result.out());
  }

  @Test
  void severalAddressesMayFollowTheOption() {
    Cli.Result result =
        Cli.run("symbols", file(SOFTOKN + ".pdb.gz"), "--address", "0x109a", "0x10dd", "0x5");
    assertEquals(0, result.exit(), result.err());
    assertEquals(5, result.out().lines().count(), result.out());
    assertTrue(result.out().contains("0x5  (unknown)"), result.out());
  }

  @Test
  void anImageHasThePdbBesideItOrTheNamesItExports() throws IOException {
    Path image = unpacked("pdb/win7/user32.dll");
    String export = "0x1a530";
    Cli.Result alone = Cli.run("symbols", image, "--address", export);
    assertEquals(0, alone.exit(), alone.err());
    assertTrue(alone.err().contains("user32.pdb not found"), alone.err());
    unpacked("pdb/win7/user32.pdb");
    Cli.Result beside = Cli.run("symbols", image, "--address", export);
    assertEquals("", beside.err());
    Cli.Result wrong =
        Cli.run("symbols", image, "-y", unpacked("pdb/samply/softokn3.pdb"), "--list");
    assertEquals(0, wrong.exit(), wrong.err());
    Files.delete(folder.resolve("user32.pdb"));
    Cli.Result other = Cli.run("symbols", image, "-y", folder.resolve("softokn3.pdb"), "--list");
    assertEquals(0, other.exit());
    assertTrue(other.err().contains("names from the image only: "), other.err());
    assertTrue(other.err().contains("softokn3.pdb is a different build"), other.err());
    assertTrue(other.lines().stream().skip(1).noneMatch(row -> row.contains("procedure")));
  }

  @Test
  void functionsAreListedAndFoundByName() {
    Cli.Result all = Cli.run("symbols", file(SOFTOKN + ".pdb.gz"), "--list", "--format", "csv");
    assertEquals(0, all.exit(), all.err());
    Cli.Result some = Cli.run("symbols", file(SOFTOKN + ".pdb.gz"), "--find", "AES_Enc*");
    assertTrue(some.out().contains("0x1b60"), some.out());
    assertTrue(some.out().contains("AES_Encrypt"), some.out());
    assertTrue(all.out().lines().count() > 1000, all.out());
  }

  @Test
  void decoratedNamesAreWrittenAsLlvmDoes() throws IOException {
    List<String> words = new ArrayList<>(List.of("symbols", "--undecorate"));
    List<String> expected = new ArrayList<>();
    String text = new String(TestData.gunzip("pdb/undname/names.tsv.gz"), StandardCharsets.UTF_8);
    for (String line : text.split("\n", -1)) {
      String[] row = line.split("\t", -1);
      if (row.length == 3 && !row[2].isEmpty() && !row[0].contains("$$F") && words.size() < 300) {
        words.add(row[0]);
        expected.add(row[2]);
      }
    }
    Cli.Result result = Cli.run(words.toArray());
    assertEquals(expected, result.out().lines().toList());
    Cli.Result plain = Cli.run("symbols", "--undecorate", "main");
    assertEquals("main", plain.out().strip());
  }

  @Test
  void decoratedNamesObeyTheFormat() throws IOException {
    String name = "?at@Stock@@QEBAPEBDH@Z";
    Cli.Result json = Cli.run("symbols", "--undecorate", name, "main", "--format", "json");
    assertEquals(List.of(), JsonSchema.named("undecorated").findings(json.json()));
    List<JsonReader> names = json.json().get("names").array();
    assertEquals(name, names.get(0).get("name").text());
    assertEquals("Stock::at(int) const", names.get(0).get("text").text());
    assertTrue(names.get(1).get("text").isNull());
    Cli.Result lines = Cli.run("symbols", "--undecorate", name, "main", "--format", "jsonl");
    assertEquals(names, lines.lines().stream().map(JsonReader::parse).toList());
    Cli.Result csv = Cli.run("symbols", "--undecorate", name, "main", "--format", "csv");
    assertEquals(List.of("name,text", name + ",Stock::at(int) const", "main,"), csv.lines());
  }

  @Test
  void decoratedNamesAreReadFromStandardInput() {
    String text = "?at@Stock@@QEBAPEBDH@Z\nmain\r\n?Load@Stock@@QEAAXH@Z";
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Terminal terminal = Terminal.of(out, OutputStream.nullOutputStream());
    InputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    assertEquals(
        0, UndecoratedNames.print(List.of("-"), "name", CommonOptions.Format.TEXT, in, terminal));
    assertEquals(
        List.of("Stock::at(int) const", "main", "Stock::Load(int)"),
        out.toString(StandardCharsets.UTF_8).lines().toList());
  }

  @Test
  void decoratedNamesAreWrittenAsTheWindowsRuntimeDoesIfAsked() {
    String name = "?at@Stock@@QEBAPEBDH@Z";
    Cli.Result crt = Cli.run("symbols", "--undecorate", "--style", "crt", name);
    assertEquals(
        "public: char const * __ptr64 __cdecl Stock::at(int)const __ptr64", crt.out().strip());
    Cli.Result full = Cli.run("symbols", "--undecorate", "--style", "full", name);
    assertEquals("public: char const * __cdecl Stock::at(int) const", full.out().strip());
    Cli.Result wrong = Cli.run("symbols", "--undecorate", "--style", "undname", name);
    assertEquals(2, wrong.exit());
    assertTrue(wrong.err().contains("--style takes name, full or crt"), wrong.err());
  }

  @Test
  void otherFilesAreRefusedByName() {
    Cli.Result fuzzed = Cli.run("symbols", file("pdb/misc/fuzzed.pdb.gz"));
    assertEquals(1, fuzzed.exit());
    assertTrue(fuzzed.err().contains("is a damaged PDB"), fuzzed.err());
    Cli.Result none = Cli.run("symbols");
    assertEquals(2, none.exit());
  }

  @Test
  void aPartOfANameIsProposedAsAPattern() {
    Path sample = TestData.projectRoot().resolve("samples/shopd.pdb");
    assertEquals(
        List.of("warning: no symbol matches worth", "try: --find '*worth*'"),
        Cli.run("symbols", sample, "--find", "worth").messages());
    assertEquals(List.of(), Cli.run("symbols", sample, "--find", "*worth").messages());
    assertEquals(
        List.of("warning: no symbol matches wort*"),
        Cli.run("symbols", sample, "--find", "wort*").messages());
  }

  @ParameterizedTest
  @CsvSource({
    "--list, --publics, --publics",
    "--lines, --publics, --lines",
    "--list, --lines, --lines",
    "--list, --address=0x1070, --list",
    "--lines, --address=0x1070, --lines"
  })
  void oneAnswerIsGivenAtATime(String one, String other, String proposed) {
    Path sample = TestData.projectRoot().resolve("samples/shopd.pdb");
    Cli.Result result = Cli.run("symbols", sample, one, other);
    assertEquals(2, result.exit(), result.out());
    assertTrue(
        result.messages().getFirst().startsWith("ntrail: symbols gives one answer at a time, not "),
        result.err());
    assertTrue(
        result.messages().get(1).startsWith("try: ntrail symbols " + sample + " " + proposed),
        result.err());
  }

  @Test
  void namesAreNotLookedForBesideAddresses() {
    Path sample = TestData.projectRoot().resolve("samples/shopd.pdb");
    Cli.Result result = Cli.run("symbols", sample, "--address", "0x1070", "--find", "Stock*");
    assertEquals(2, result.exit(), result.out());
    assertTrue(
        result.messages().get(1).startsWith("try: ntrail symbols " + sample + " --find 'Stock*'"),
        result.err());
  }

  @Test
  void aPdbWhoseSymbolsStayedInTheObjectFilesSaysSo() {
    Path pdb = file("pdb/binskim/Native_x64_VS2019_CPlusPlus_DEBUG_FASTLINK.pdb.gz");
    assertEquals(
        "  of /DEBUG:FASTLINK: private symbols stayed in the object files, and are not here",
        Cli.run("symbols", pdb).lines().get(2));
    assertEquals(true, fastLink(pdb));
    assertEquals(false, fastLink(file(SOFTOKN + ".pdb.gz")));
  }

  private static @Nullable Object fastLink(Path pdb) {
    return Cli.run("symbols", pdb, "--format", "json").json().get("fastLink").value();
  }
}

package io.ntrail.cli.symbols;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.web.SymbolStoreServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of a recording that come from servers, zips and lists: only on request. */
class SymbolServersTest {
  private static final String RECORDING = "etl/perfview-net45-x86-win7.etl.gz";
  private static final String CORE = "mscorlib.ni.pdb";
  private static final String CORE_PLACE = CORE + "/51E2934144BA15628BA5A31BE2DAE7DC1/" + CORE;
  private static final String SYSTEM = "System.ni.pdb";
  private static final String SYSTEM_PLACE =
      SYSTEM + "/E40DA7A49F8C3F0108E7C835B342F3821/" + SYSTEM;

  @TempDir private Path folder;

  private final SymbolStoreServer server = new SymbolStoreServer();

  @BeforeEach
  void fill() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    server.has("/" + CORE_PLACE, pdb(CORE)).has("/" + SYSTEM_PLACE, pdb(SYSTEM));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static byte[] pdb(String name) throws IOException {
    return TestData.gunzip("etl/perfview-net45-x86-win7." + name + ".gz");
  }

  private static Path recording() {
    return TestData.file(RECORDING);
  }

  /** A symbol path with a store in a folder and the server. */
  private String path() {
    return "srv*" + folder.resolve("store") + "*" + server.root();
  }

  private List<String> stored(String below) throws IOException {
    Path root = folder.resolve(below);
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .filter(file -> !file.endsWith(".missing"))
          .sorted()
          .toList();
    }
  }

  /** Runs ntrail as a process of its own with the given caches and symbol path. */
  private Cli.Result process(Map<String, String> environment, Object... words) throws Exception {
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    ProcessBuilder builder =
        new ProcessBuilder(
                Cli.command(Stream.of(words).map(Object::toString).toArray(String[]::new)))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().remove("_NT_SYMBOL_PATH");
    builder.environment().remove("_NT_ALT_SYMBOL_PATH");
    builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    builder.environment().putAll(environment);
    int exit = builder.start().waitFor();
    return new Cli.Result(exit, Files.readString(out), Files.readString(err));
  }

  @Test
  void aProfileHasTheNamesThatAServerHas() throws IOException {
    Cli.Result profile = Cli.run("profile", recording(), "-y", path());
    assertEquals(0, profile.exit(), profile.err());
    assertTrue(profile.out().contains("symbols: 2 of "), profile.out());
    assertTrue(profile.err().contains("asking " + server.root() + " for symbols"), profile.err());
    assertEquals(List.of(SYSTEM_PLACE, CORE_PLACE).stream().sorted().toList(), stored("store"));
    long asked = server.asked().size();
    Cli.Result again = Cli.run("profile", recording(), "-y", path());
    assertEquals(profile.out(), again.out());
    assertEquals(asked, server.asked().size(), "what is there and what is missing is known");
  }

  @Test
  void theHottestImagesAreRequestedFirst() {
    Cli.run("profile", recording(), "-y", path(), "--format", "json");
    List<String> first =
        server.asked().stream()
            .map(asked -> asked.path().split("/", -1)[1])
            .distinct()
            .limit(8)
            .toList();
    assertTrue(first.contains("clr.pdb") && first.contains("ntkrnlmp.pdb"), first::toString);
  }

  @Test
  void stacksOfEventsHaveThemToo() {
    Object[] words = {"events", recording(), "-e", "PerfInfo/SampleProf", "--stacks", "-y", path()};
    Cli.Result text = Cli.run(words);
    assertEquals(0, text.exit(), text.err());
    Object[] jsonl = Stream.concat(Stream.of(words), Stream.of("--format", "jsonl")).toArray();
    Cli.Result lines = Cli.run(jsonl);
    assertEquals(0, lines.exit(), lines.err());
    assertTrue(lines.out().contains("\"function\":\"System.String.wstrcpy"), "a name of mscorlib");
  }

  @Test
  void aTextDoesNotWaitLongForAServerAndNamesWhatIsLate() throws IOException {
    // Of all others it is known then where they are, or that they are nowhere.
    Cli.run("profile", recording(), "-y", path(), "--format", "json");
    Files.delete(folder.resolve("store").resolve(CORE_PLACE));
    server.on("/" + CORE_PLACE, SymbolStoreServer.Exchange::untilClosed);
    Cli.Result profile = Cli.run("profile", recording(), "-y", path(), "--symbols-wait", "5");
    assertEquals(0, profile.exit(), profile.err());
    assertTrue(profile.err().contains(CORE + " not downloaded in time"), profile.err());
    assertTrue(profile.err().contains("try: ntrail symbols "), profile.err());
    assertTrue(profile.out().contains("symbols: 1 of "), profile.out());
  }

  @Test
  void withoutWaitingNoServerIsQueried() {
    Cli.Result profile = Cli.run("profile", recording(), "-y", path(), "--symbols-wait", "0");
    assertEquals(0, profile.exit(), profile.err());
    assertEquals(List.of(), server.asked());
  }

  @Test
  void withoutASymbolPathNothingIsAskedAndTheLineToCopyIsPrinted() throws Exception {
    Cli.Result profile = process(Map.of(), "profile", recording());
    assertEquals(0, profile.exit(), profile.err());
    assertTrue(
        profile
            .err()
            .contains("try: ntrail symbols " + recording() + " --hot 20 --fetch --server https://"),
        profile.err());
    assertEquals("", process(Map.of(), "profile", recording(), "-q").err());
    Cli.Result json = process(Map.of(), "profile", recording(), "--format", "json");
    assertEquals("", json.err());
  }

  @Test
  void aServerOfTheEnvironmentIsAsked() throws Exception {
    Cli.Result profile = process(Map.of("_NT_SYMBOL_PATH", path()), "profile", recording());
    assertTrue(profile.out().contains("symbols: 2 of "), profile.out());
  }

  @Test
  void downloadsAreKeptForAllCommands() throws Exception {
    Cli.Result fetched =
        process(
            Map.of(), "symbols", recording(), "--hot", "100", "--fetch", "--server", server.root());
    assertEquals(0, fetched.exit(), fetched.err());
    assertTrue(fetched.out().contains("server " + server.root()), fetched.out());
    assertEquals(
        List.of(CORE_PLACE), stored("cache/ntrail/symbols"), "System.ni.dll has no samples");
    long asked = server.asked().size();
    Cli.Result profile = process(Map.of(), "profile", recording());
    assertTrue(profile.out().contains("symbols: 1 of "), profile.out());
    assertEquals(asked, server.asked().size());
  }

  @Test
  void imagesAreListedWithAndWithoutFetch() throws IOException {
    Cli.Result listed = Cli.run("symbols", recording(), "-y", path(), "--hot", "3");
    assertEquals(List.of(), server.asked());
    assertTrue(listed.out().contains("(not queried without --fetch)"), listed.out());
    assertEquals(3, listed.out().lines().filter(line -> line.contains("missing: ")).count());
    Cli.Result json =
        Cli.run("symbols", recording(), "-y", path(), "--hot", "--fetch", "--format", "json");
    assertEquals(List.of(), JsonSchema.named("symbols").strictFindings(json.json()));
    JsonReader core =
        json.json().get("modules").array().stream()
            .filter(module -> module.get("module").text().equals("mscorlib.ni.dll"))
            .findFirst()
            .orElseThrow();
    assertEquals("found", core.get("state").text());
    JsonReader clr = json.json().get("modules").array().getFirst();
    JsonReader asked =
        clr.get("tried").array().stream()
            .filter(tried -> tried.get("place").text().equals(server.root().toString()))
            .findFirst()
            .orElseThrow();
    assertTrue(asked.get("why").text().contains("has no clr.pdb/"), asked::toString);
  }

  @Test
  void withStrictMissingSymbolsChangeTheExitCode() {
    assertEquals(0, Cli.run("symbols", recording(), "-y", path(), "--hot", "3").exit());
    assertEquals(3, Cli.run("symbols", recording(), "-y", path(), "--hot", "3", "--strict").exit());
  }

  @Test
  void aMachineWithoutANetworkGetsItsNamesByAListAndAZip() throws Exception {
    Path list = folder.resolve("missing.txt");
    Cli.Result listed =
        process(Map.of(), "symbols", recording(), "--hot", "100", "--manifest", list);
    assertEquals(0, listed.exit(), listed.err());
    String line = "\n" + CORE + "\t51E2934144BA15628BA5A31BE2DAE7DC1\t" + CORE_PLACE + "\n";
    assertTrue(Files.readString(list).contains(line), Files.readString(list));
    Path zip = folder.resolve("symbols.zip");
    Cli.Result fetched =
        process(Map.of(), "symbols", list, "--fetch", "--server", server.root(), "--bundle", zip);
    assertEquals(0, fetched.exit(), fetched.err());
    assertTrue(fetched.err().contains("1 file"), fetched.err());
    try (ZipFile packed = new ZipFile(zip.toFile())) {
      assertEquals(List.of(CORE_PLACE), packed.stream().map(Object::toString).toList());
      byte[] bytes = packed.getInputStream(packed.getEntry(CORE_PLACE)).readAllBytes();
      assertArrayEquals(pdb(CORE), bytes);
    }
    Cli.Result found = Cli.run("symbols", list, "-y", zip, "--format", "json");
    assertEquals(List.of(), JsonSchema.named("symbol-files").strictFindings(found.json()));
    assertTrue(
        found.json().get("files").array().stream()
            .anyMatch(file -> file.get("name").text().equals(CORE) && !file.get("path").isNull()));
    Files.delete(folder.resolve("cache/ntrail/symbols").resolve(CORE_PLACE));
    Cli.Result profile = process(Map.of(), "profile", recording(), "-y", zip);
    assertTrue(profile.out().contains("symbols: 1 of "), profile.out());
    assertTrue(Cli.run("profile", recording(), "-y", zip + ";").out().contains("symbols: 1 of "));
  }

  @Test
  void nothingThatIsReadIsOverwritten() throws IOException {
    Path copy = Files.copy(recording(), folder.resolve("copy.etl.gz"));
    Path pdb = Files.write(folder.resolve(CORE), pdb(CORE));
    byte[] before = Files.readAllBytes(copy);
    for (String option : List.of("--bundle", "--manifest")) {
      for (Path target : List.of(copy, pdb, folder)) {
        Cli.Result refused = Cli.run("symbols", copy, "-y", pdb, option, target);
        assertEquals(2, refused.exit(), refused.err());
      }
    }
    Cli.Result found = Cli.run("symbols", copy, "-y", folder, "--hot", "--bundle", pdb);
    assertEquals(2, found.exit(), found.err());
    assertArrayEquals(before, Files.readAllBytes(copy));
    assertArrayEquals(pdb(CORE), Files.readAllBytes(pdb));
  }

  @Test
  void aRecordingIsPackedWithWhatWasFound() throws IOException {
    Path zip = folder.resolve("symbols.zip");
    Cli.Result packed =
        Cli.run("symbols", recording(), "-y", path(), "--fetch", "--bundle", zip, "-n", "1");
    assertEquals(0, packed.exit(), packed.err());
    try (ZipFile read = new ZipFile(zip.toFile())) {
      assertEquals(
          List.of(CORE_PLACE, SYSTEM_PLACE),
          read.stream().map(Object::toString).sorted().toList().reversed());
    }
    Cli.Result nothing =
        Cli.run("symbols", recording(), "--hot", "1", "--bundle", folder.resolve("none.zip"));
    assertEquals(1, nothing.exit());
    assertFalse(Files.exists(folder.resolve("none.zip")));
  }

  @Test
  void pdbsThatTravelWithARecordingAreFoundInItsZip() throws IOException {
    byte[] etl = TestData.gunzip(RECORDING);
    for (String below : List.of("symbols/", "shop.etl.NGENPDB/", "a/b/NGENPDBS/", "")) {
      Path zip = folder.resolve("shop.etl.zip");
      Recordings.zip(
          zip,
          Map.of(
              "shop.etl",
              etl,
              below + CORE_PLACE,
              pdb(CORE),
              below + SYSTEM,
              pdb(SYSTEM),
              // Of another build.
              below + "clr.pdb",
              pdb(CORE)));
      Cli.Result profile = Cli.run("profile", zip);
      assertEquals(0, profile.exit(), profile.err());
      assertTrue(profile.out().contains("symbols: 2 of "), profile.out());
      Cli.Result listed = Cli.run("symbols", zip, "--format", "json");
      assertTrue(listed.out().contains("shop.etl.zip!/" + below + CORE_PLACE), "where it is");
      assertTrue(listed.out().contains("clr.pdb is a different build"), "what is wrong");
    }
  }

  @Test
  void aFolderOfPdbsBesideTheRecordingIsSearched() throws IOException {
    Path etl = Files.write(folder.resolve("shop.etl"), TestData.gunzip(RECORDING));
    Path place = folder.resolve("shop.etl.NGENPDB").resolve(CORE_PLACE);
    Files.createDirectories(place.getParent());
    Files.write(place, pdb(CORE));
    Cli.Result profile = Cli.run("profile", etl);
    assertTrue(profile.out().contains("symbols: 1 of "), profile.out());
  }

  /** An image whose header has the time stamp and the size of one in the recording. */
  private static byte[] clr() {
    byte[] image = SampleImage.make();
    ByteBuffer bytes = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    int header = bytes.getInt(0x3C);
    bytes.putInt(header + 8, 0x4FFA5753);
    bytes.putInt(header + 80, 0x692000);
    return image;
  }

  @Test
  void theFilesOfImagesAreFetchedByTimeStampAndSize() throws IOException {
    String place = "clr.dll/4FFA5753692000/clr.dll";
    server.has("/" + place, clr());
    Path zip = folder.resolve("images.zip");
    Cli.Result found =
        Cli.run(
            "symbols",
            recording(),
            "-y",
            path(),
            "--hot",
            "1",
            "--fetch",
            "--images",
            "--bundle",
            zip,
            "--format",
            "json");
    assertEquals(0, found.exit(), found.out() + found.err());
    assertEquals(List.of(), JsonSchema.named("symbols").strictFindings(found.json()));
    JsonReader image = found.json().get("modules").array().getFirst().get("image");
    assertEquals("4FFA5753692000", image.get("key").text());
    assertEquals(folder.resolve("store").resolve(place).toString(), image.get("path").text());
    try (ZipFile packed = new ZipFile(zip.toFile())) {
      assertEquals(List.of(place), packed.stream().map(Object::toString).toList());
    }
    Cli.Result text = Cli.run("symbols", recording(), "-y", zip, "--hot", "1", "--images");
    assertTrue(text.out().contains("the image: in " + zip), text.out());
  }

  @Test
  void anImageFileGetsTheNamesThatAServerHas() throws IOException {
    Path image =
        Files.write(folder.resolve("user32.dll"), TestData.gunzip("pdb/win7/user32.dll.gz"));
    Cli.Result alone = Cli.run("symbols", image, "-y", path(), "--address", "0x1a530");
    assertTrue(alone.err().contains("skipped: downloads are not enabled"), alone.err());
    Cli.Result asked = Cli.run("symbols", image, "-y", path(), "--address", "0x1a530", "--fetch");
    assertEquals(0, asked.exit(), asked.err());
    String root = server.root().toString();
    assertTrue(asked.err().contains(root + " has no user32.pdb/"), asked.err());
  }

  @Test
  void wrongWordsAreRefused() {
    Cli.Result address = Cli.run("symbols", recording(), "--fetch", "--server", "ftp://h/x");
    assertEquals(2, address.exit());
    assertTrue(address.err().contains("--server takes the address of a server"), address.err());
    Path pdb = TestData.file("pdb/samply/softokn3.pdb.gz");
    assertEquals(2, Cli.run("symbols", pdb, "--hot", "3").exit());
    assertEquals(2, Cli.run("symbols", pdb, "--bundle", "x.zip").exit());
  }
}

package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.cli.harness.SamplePdb;
import io.ntrail.cli.harness.SamplePt;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.cab.CabinetWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that commands write: never one that the same command reads, and never half of one. */
class OutputFilesTest {
  private static final Path SAMPLES = TestData.projectRoot().resolve("samples");
  private static final String STORED = "shopcore.pdb/5E1C7A9044B24C0FA1D2B3C4D5E6F7082";
  private static final String TMF =
      """
      // PDB: shop.pdb
      6b0b9d5c-21f4-4b1e-8f61-9d5c21f44b1e shop // SRC=shop.c MJ= MN=
      #typev shop_c10 10 "%0Started" //   LEVEL=4
      {
      }
      """;
  private static final ExternalTool FIFO = ExternalTool.of("mkfifo", "mkfifo");

  @TempDir private Path folder;

  /** Behind options that a recording does not have. */
  private static final String FOR_PROGRAMS = " is for a program that runs";

  /**
   * A command line without the options of its output.
   *
   * @param read one of the files that it reads
   */
  private record Reading(String words, String read) {
    String command() {
      return words.substring(0, words.indexOf(' '));
    }
  }

  /** Every command that writes a file, with every kind of file that it reads. */
  private static final List<Reading> TABLE =
      List.of(
          new Reading("info shop.etl", "shop.etl"),
          new Reading("info shop.etl.gz", "shop.etl.gz"),
          new Reading("info shop.zip", "shop.zip"),
          new Reading("info shop.cab", "shop.cab"),
          new Reading("merge shop.etl", "shop.etl"),
          new Reading("merge shop.zip", "shop.zip"),
          new Reading("cut shop.etl --time 0..1", "shop.etl"),
          new Reading("cut shop.ntr --time 0..1", "shop.ntr"),
          new Reading("cut shop.etl --time 0..1 --manifest shop.man", "shop.man"),
          new Reading("cut shop.etl --time 0..1 --tmf shop.tmf", "shop.tmf"),
          new Reading("info shop.etl shop.ntr", "shop.ntr"),
          new Reading("info shop.jtrc", "shop.jtrc"),
          new Reading("info shopcore.dll", "shopcore.dll"),
          new Reading("events shop.etl -n 1", "shop.etl"),
          new Reading("events shop.zip --count", "shop.zip"),
          new Reading("events shop.etl -n 1 --manifest shop.man", "shop.man"),
          new Reading("events shop.etl -n 1 --tmf shop.tmf", "shop.tmf"),
          new Reading("events shop.etl -n 1 --tmf formats", "formats/shop.tmf"),
          new Reading("events shop.etl --stacks -e PerfInfo/* -n 0 -y pdbs", "pdbs/shopcore.pdb"),
          new Reading("stacks shop.etl --at 0.75", "shop.etl"),
          new Reading(
              "stacks shop.etl -e PerfInfo/SampleProf --top 1 -y pdbs", "pdbs/shopcore.pdb"),
          new Reading("profile shop.etl", "shop.etl"),
          new Reading("profile shop.etl -y pdbs", "pdbs/shopcore.pdb"),
          new Reading("profile shop.etl -y pdbs/shopcore.pdb", "pdbs/shopcore.pdb"),
          new Reading("profile shop.etl -y bundle.zip", "bundle.zip"),
          new Reading("profile shop.etl -y srv*store", "store/" + STORED + "/shopcore.pdb"),
          new Reading("profile shop.ntr", "shop.ntr"),
          new Reading("calls shop.jtrc", "shop.jtrc"),
          new Reading("calls shop.ntr --flat", "shop.ntr"),
          new Reading("calls shop.jtrc -y shopcore.dll", "shopcore.dll"),
          new Reading("calls shop.jtrc -y images", "images/shopcore.dll"),
          new Reading("probe BEGIN shop.etl", "shop.etl"),
          new Reading("probe -s shop.d shop.etl", "shop.d"),
          new Reading("probe BEGIN shop.jtrc -y shopcore.dll", "shopcore.dll"),
          new Reading("dtrace --recording shop.etl -n BEGIN", "shop.etl"),
          new Reading("dtrace --recording shop.ntr -s shop.d", "shop.d"),
          new Reading("export shop.etl --to collapsed", "shop.etl"),
          new Reading("export shop.etl --to flamegraph -y pdbs", "pdbs/shopcore.pdb"),
          new Reading("export shop.ntr --to collapsed", "shop.ntr"),
          new Reading("export before.txt --to flamegraph", "before.txt"),
          new Reading("diff before.txt after.txt", "before.txt"),
          new Reading("diff before.txt after.txt --to flamegraph", "after.txt"),
          new Reading("diff shop.etl shop.etl -y pdbs", "pdbs/shopcore.pdb"),
          new Reading("image shopcore.dll", "shopcore.dll"),
          new Reading("image shopcore.dll --functions -y pdbs", "pdbs/shopcore.pdb"),
          new Reading("image images --format csv", "images/shopcore.dll"),
          new Reading("symbols pdbs/shopcore.pdb", "pdbs/shopcore.pdb"),
          new Reading("symbols beside/shopcore.dll", "beside/shopcore.pdb"),
          new Reading("symbols shopcore.dll -y pdbs", "pdbs/shopcore.pdb"),
          new Reading("symbols shopcore.dll -y bundle.zip", "bundle.zip"),
          new Reading("symbols shop.etl", "shop.etl"),
          new Reading("symbols shop.etl -y pdbs", "pdbs/shopcore.pdb"),
          new Reading("symbols shop.etl --images -y images", "images/shopcore.dll"),
          new Reading("symbols shop.etl -y srv*store", "store/" + STORED + "/shopcore.pdb"),
          new Reading("symbols lacking.txt -y pdbs", "lacking.txt"),
          new Reading("symbols lacking.txt -y pdbs", "pdbs/shopcore.pdb"),
          new Reading("symbols lacking.txt -y bundle.zip", "bundle.zip"),
          new Reading("pt packets loop.pt", "loop.pt"),
          new Reading("pt flow loop.pt --code shopcore.dll", "loop.pt"),
          new Reading("pt flow loop.pt --code shopcore.dll", "shopcore.dll"),
          new Reading("trace -f *!* -- shopd.exe", "shopd.exe"),
          new Reading("trace -f *!* -y pdbs/shopcore.pdb -- shopd.exe", "pdbs/shopcore.pdb"));

  private void files() throws IOException {
    byte[] etl = Files.readAllBytes(SAMPLES.resolve("shop.etl"));
    Files.write(folder.resolve("shop.etl"), etl);
    Recordings.gzip(folder.resolve("shop.etl.gz"), etl);
    Recordings.zip(folder.resolve("shop.zip"), Map.of("shop.etl", etl));
    Files.write(
        folder.resolve("shop.cab"),
        new CabinetWriter().msZip(etl).file("shop.etl", 0, etl.length).write());
    for (String name : List.of("shop.ntr", "shop.jtrc", "shopd.exe")) {
      Files.copy(SAMPLES.resolve(name), folder.resolve(name));
    }
    for (String place : List.of("", "images", "beside")) {
      Files.createDirectories(folder.resolve(place));
      Files.write(folder.resolve(place).resolve("shopcore.dll"), SampleImage.make());
    }
    for (String place : List.of("pdbs", "beside", "store/" + STORED)) {
      Files.createDirectories(folder.resolve(place));
      Files.write(folder.resolve(place).resolve("shopcore.pdb"), SamplePdb.make());
    }
    Files.writeString(folder.resolve("store/other.pdb"), "another program's");
    Recordings.zip(
        folder.resolve("bundle.zip"), Map.of(STORED + "/shopcore.pdb", SamplePdb.make()));
    Files.write(folder.resolve("loop.pt"), SamplePt.loop());
    Files.writeString(folder.resolve("before.txt"), "main;work 3\n");
    Files.writeString(folder.resolve("after.txt"), "main;work 4\n");
    Files.writeString(folder.resolve("shop.man"), "<instrumentationManifest/>");
    Files.writeString(folder.resolve("shop.d"), "BEGIN { exit(0); }");
    Files.createDirectories(folder.resolve("formats"));
    for (String name : List.of("shop.tmf", "formats/shop.tmf")) {
      Files.writeString(folder.resolve(name), TMF);
    }
    assertEquals(0, Cli.run("symbols", at("shop.etl"), "--manifest", at("lacking.txt")).exit());
  }

  private Path at(String name) {
    return folder.resolve(name);
  }

  /** The words of a command, with its files in the folder. */
  private List<Object> words(String text) {
    List<Object> words = new ArrayList<>();
    for (String word : text.split(" ", -1)) {
      String path = word.substring(word.indexOf('*') + 1);
      boolean isFile = words.size() > 0 && !path.isEmpty() && Files.exists(at(path));
      words.add(isFile ? word.substring(0, word.indexOf('*') + 1) + at(path) : word);
    }
    return words;
  }

  /** Every file below the folder, with its bytes as text. */
  private Map<String, String> all() throws IOException {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.put(
            folder.relativize(file).toString(),
            new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
      }
    }
    return all;
  }

  private static List<Object> with(List<Object> words, String option, Path target) {
    List<Object> all = new ArrayList<>(words);
    all.addAll(1, List.of(option, target));
    return all;
  }

  private static List<String> options(String command) {
    return OutputOptions.of(Commands.named(command).orElseThrow().make().get().spec());
  }

  @Test
  void whatACommandReadsIsNeverOverwrittenByAnyOfItsOutputs() throws IOException {
    files();
    for (Reading reading : TABLE) {
      Path read = at(reading.read());
      Path hard = Files.createLink(at("hard"), read);
      Path symbolic = Files.createSymbolicLink(at("symbolic"), read);
      Map<String, String> before = all();
      for (String option : options(reading.command())) {
        for (Path target : List.of(read, hard, symbolic)) {
          String what = reading + " " + option + " " + target;
          Cli.Result result = Cli.run(with(words(reading.words()), option, target).toArray());
          assertTrue(result.exit() == 1 || result.exit() == 2, what + ": " + result);
          String message =
              result.messages().stream().filter(m -> m.startsWith("ntrail: ")).toList().getLast();
          assertTrue(
              message.matches(
                      ".*( would overwrite |the same command reads it|applies to recordings).*")
                  || message.endsWith(FOR_PROGRAMS),
              what + ": " + result);
          assertTrue(
              message.contains("applies to recordings")
                  || message.endsWith(FOR_PROGRAMS)
                  || result.err().contains("try: " + option + " another.file"),
              what + ": " + result);
          assertEquals(before, all(), what);
        }
      }
      Files.delete(hard);
      Files.delete(symbolic);
    }
  }

  @Test
  void theTableHasEveryCommandThatWritesAFile() {
    TreeSet<String> writing = new TreeSet<>();
    Commands.listed().stream()
        .map(Commands.Entry::name)
        .filter(name -> !options(name).isEmpty())
        .forEach(writing::add);
    // They read no file that theirs could replace.
    for (String without : List.of("doctor", "dump")) {
      assertEquals(List.of("-o"), options(without));
      writing.remove(without);
    }
    assertEquals(List.of("--reg", "-o"), options("record"));
    writing.remove("record");
    assertEquals(
        writing,
        TABLE.stream().map(Reading::command).collect(Collectors.toCollection(TreeSet::new)));
    assertEquals(
        List.of("--bundle", "--manifest", "-o"), options("symbols").stream().sorted().toList());
    assertEquals(List.of("--report", "-o"), options("trace").stream().sorted().toList());
  }

  @Test
  void anOldResultSurvivesACommandThatFails() throws IOException {
    files();
    Files.writeString(at("wrong.bin"), "neither a recording nor a program");
    Files.writeString(at("old"), "old");
    Map<String, String> before = all();
    for (String words :
        List.of(
            "info wrong.bin",
            "events wrong.bin",
            "events shop.etl --where pid==",
            "profile wrong.bin",
            "profile shop.etl --metric nothing -y pdbs",
            "calls wrong.bin",
            "calls shop.etl",
            "export wrong.bin --to collapsed",
            "diff before.txt wrong.bin",
            "diff shop.etl wrong.bin --to flamegraph",
            "image wrong.bin",
            "image shopcore.dll --disasm NoSuchFunction",
            "symbols wrong.bin",
            "symbols shopcore.dll --address zero")) {
      Cli.Result result = Cli.run(with(words(words), "-o", at("old")).toArray());
      assertTrue(result.exit() == 1 || result.exit() == 2, words + ": " + result);
      assertEquals(before, all(), words);
    }
    for (String option : List.of("--bundle", "--manifest")) {
      Cli.Result result = Cli.run(with(words("symbols wrong.bin"), option, at("old")).toArray());
      assertTrue(result.exit() == 1 || result.exit() == 2, option + ": " + result);
      assertEquals(before, all(), option);
    }
    Cli.Result nothing = Cli.run("symbols", at("shop.etl"), "--bundle", at("old"));
    assertEquals(1, nothing.exit(), "there is nothing to pack: " + nothing);
    assertEquals(before, all());
  }

  @Test
  void anOldResultIsReplacedAsAWholeAndKeepsItsRightsAndItsLink() throws IOException {
    files();
    Path old = Files.writeString(at("old.json"), "old".repeat(100_000));
    Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rw-r-----"));
    Path link = Files.createSymbolicLink(at("link"), Path.of("old.json"));
    Path later = Files.createSymbolicLink(at("later"), Path.of("not-yet.json"));
    Cli.Result expected = Cli.run("info", at("shop.etl"), "--format", "json");
    for (Path target : List.of(link, later)) {
      Cli.Result result = Cli.run("info", at("shop.etl"), "--format", "json", "-o", target);
      assertEquals(0, result.exit(), result.err());
      assertTrue(Files.isSymbolicLink(target));
      assertEquals(expected.out(), Files.readString(target));
    }
    assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(old)));
    assertEquals(
        List.of(), all().keySet().stream().filter(name -> name.contains(".part")).toList());
  }

  @Test
  void anAnswerWithGapsGetsItsPlace() throws IOException {
    byte[] etl = Files.readAllBytes(SAMPLES.resolve("shop.etl"));
    Path cut = Files.write(at("cut.etl"), Arrays.copyOf(etl, etl.length - 1000));
    Cli.Result result = Cli.run("info", cut, "-o", at("answer"));
    assertEquals(3, result.exit(), result.err());
    assertTrue(Files.readString(at("answer")).startsWith(cut.toString()));
  }

  @Test
  void noOutputReplacesAFileOfASymbolStoreThatIsSearched() throws IOException {
    files();
    Path link = Files.createSymbolicLink(at("link"), at("store/other.pdb"));
    for (Path target : List.of(at("store/other.pdb"), link)) {
      Cli.Result result =
          Cli.run("profile", at("shop.etl"), "-y", "srv*" + at("store"), "-o", target);
      assertEquals(2, result.exit(), result.toString());
      assertEquals(
          List.of(
              "ntrail: -o " + target + " would overwrite a file of the symbol store " + at("store"),
              "try: -o another.file"),
          result.messages());
    }
    assertEquals("another program's", Files.readString(link));
  }

  @Test
  void twoOutputsAreNeverOneFile() throws IOException {
    files();
    Cli.Result result =
        Cli.run("symbols", at("shop.etl"), "-o", at("new"), "--manifest", at("formats/../new"));
    assertEquals(2, result.exit(), result.toString());
    assertTrue(Files.notExists(at("new")));
  }

  @Test
  void aFolderIsNoPlace() throws IOException {
    files();
    Cli.Result result = Cli.run("info", at("shop.etl"), "-o", folder);
    assertEquals(2, result.exit());
    assertEquals("ntrail: -o " + folder + " is a folder", result.messages().getFirst());
  }

  @Test
  void devicesAndPipesAreWrittenToDirectly() throws Exception {
    assumeTrue(FIFO.available(), FIFO.missing());
    files();
    assertEquals(0, Cli.run("info", at("shop.etl"), "-o", "/dev/null").exit());
    assertTrue(!Files.isRegularFile(Path.of("/dev/null")));
    Path fifo = at("fifo");
    assertEquals(0, new ProcessBuilder(FIFO.path(), fifo.toString()).start().waitFor());
    Path copy = at("copy");
    Process reader =
        new ProcessBuilder("cat", fifo.toString()).redirectOutput(copy.toFile()).start();
    try {
      Cli.Result result = Cli.run("info", at("shop.etl"), "-o", fifo);
      assertEquals(0, result.exit(), result.err());
      assertTrue(reader.waitFor(60, TimeUnit.SECONDS));
    } finally {
      reader.destroyForcibly();
    }
    assertEquals(Cli.run("info", at("shop.etl")).out(), Files.readString(copy));
    assertTrue(Files.exists(fifo));
  }

  @Test
  void aFullDiskLeavesTheOldResult() throws Exception {
    files();
    Path old = Files.writeString(at("old"), "old");
    String words =
        Cli.command("events", at("shop.etl").toString(), "-n", "0", "-o", old.toString()).stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    // No file may have more than some kilobytes; the JVM's own are larger, and are not needed.
    Process process =
        new ProcessBuilder(
                "bash",
                "-c",
                "trap '' XFSZ; ulimit -f 64; exec "
                    + words.replaceFirst("-cp", "-XX:-UsePerfData' '-cp"))
            .redirectErrorStream(true)
            .redirectOutput(at("said").toFile())
            .start();
    assertTrue(process.waitFor(120, TimeUnit.SECONDS));
    assertEquals(1, process.exitValue(), Files.readString(at("said")));
    assertEquals("old", Files.readString(old));
    assertEquals(
        List.of(), all().keySet().stream().filter(name -> name.contains(".part")).toList());
  }

  @Test
  void anInterruptedCommandLeavesTheOldResultAndNothingElse() throws Exception {
    Path old = Files.writeString(at("old"), "old");
    Process process =
        new ProcessBuilder(Cli.command("symbols", "--undecorate", "-", "-o", old.toString()))
            .redirectError(new File("/dev/null"))
            .start();
    try {
      Await.until("it writes", () -> all().size() > 1);
      // The process itself would close the input, too: a command that has read all of it is done.
      process.toHandle().destroy();
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    } finally {
      process.destroyForcibly();
    }
    assertArrayEquals(new Object[] {"old"}, all().keySet().toArray());
    assertEquals("old", Files.readString(old));
  }
}

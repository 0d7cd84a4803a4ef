package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.Main;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.text.Terminal;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.calls.BigJtrc;
import io.ntrail.testkit.etl.BigRecording;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * New recordings that Ctrl+C or a full disk stops: nothing of them stays, and what was there before
 * is as it was.
 */
class UnfinishedRecordingsTest {
  private static final Path SAMPLES = TestData.projectRoot().resolve("samples");

  private static final String MANIFEST =
      """
      <instrumentationManifest><instrumentation><events>
        <provider name="Shop" guid="{5f8b1c1e-5a5e-4d6c-8f43-8a2f7d0c1b11}" symbol="Shop">
          <events><event value="1" symbol="Sold" level="win:Informational"/></events>
        </provider>
      </events></instrumentation></instrumentationManifest>
      """;

  /** More works than any of the commands has. */
  private static final int MOST_WORKS = 60;

  @TempDir private Path folder;

  private Path out;

  /** The folder has what was there before. */
  @BeforeEach
  void old() throws IOException {
    out = Files.createDirectories(folder.resolve("out"));
    Files.writeString(out.resolve("new.etl"), "old");
    Files.writeString(out.resolve("new.etl.zip"), "old zip");
    Files.writeString(out.resolve("new.002.etl"), "old part");
  }

  private void isAsBefore(String what) throws IOException {
    try (Stream<Path> files = Files.list(out)) {
      List<String> names = files.map(file -> file.getFileName().toString()).sorted().toList();
      assertEquals(List.of("new.002.etl", "new.etl", "new.etl.zip"), names, what);
    }
    assertEquals("old", Files.readString(out.resolve("new.etl")), what);
    assertEquals("old zip", Files.readString(out.resolve("new.etl.zip")), what);
    assertEquals("old part", Files.readString(out.resolve("new.002.etl")), what);
  }

  /** Returns the words of a command, with its files. */
  private List<String> words(String command) throws IOException {
    List<String> words = new ArrayList<>();
    for (String word : command.split(" ", -1)) {
      words.add(
          switch (word) {
            case "samples" -> SAMPLES.toString();
            case "shop.etl", "shop.ntr", "shop.jtrc" -> SAMPLES.resolve(word).toString();
            case "long.ntr" ->
                Files.write(folder.resolve(word), CutRecordings.several(50_000)).toString();
            case "long.jtrc" -> {
              BigJtrc.write(folder.resolve(word), 2, 3_000);
              yield folder.resolve(word).toString();
            }
            case "shop.man" -> Files.writeString(folder.resolve(word), MANIFEST).toString();
            default -> word;
          });
    }
    String name = words.contains("--pack") ? "new.etl.zip" : "new.etl";
    words.addAll(List.of("-o", out.resolve(name).toString()));
    return words;
  }

  /** Runs a command that Ctrl+C interrupts when the work of a number begins, from 1. */
  private static Cli.Result interruptedAt(int number, List<String> words) {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Terminal terminal = Terminal.of(answer, said);
    terminal.interruption().interruptAt(number);
    int exit = Main.run(words.toArray(String[]::new), terminal);
    return new Cli.Result(
        exit, answer.toString(StandardCharsets.UTF_8), said.toString(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "merge shop.etl",
        "merge shop.etl --image-path samples --manifest shop.man",
        "merge shop.etl --pack",
        "cut shop.etl --time 0.2..0.4",
        "cut shop.etl -p shopd.exe -e FileIo/*",
        "cut shop.etl --every 10",
        "cut shop.etl --anonymise",
        "cut shop.etl --split 400ms",
        "cut shop.etl --split 300K --anonymise",
        "cut shop.ntr --time 0.001..0.003",
        "cut shop.ntr -f *Key*",
        "cut shop.jtrc -t 4316",
      })
  void inWhateverWorkCtrlCComesNothingStays(String command) throws IOException {
    List<String> words = words(command);
    int stopped = 0;
    for (int work = 1; work < MOST_WORKS; work++) {
      Cli.Result result = interruptedAt(work, words);
      if (result.exit() == 0) {
        break;
      }
      assertEquals(1, result.exit(), work + ": " + result);
      assertEquals(List.of("ntrail: interrupted"), result.messages());
      assertEquals("", result.out());
      isAsBefore("work " + work);
      stopped++;
    }
    assertTrue(stopped > 0 && stopped < MOST_WORKS - 1, stopped + " works");
  }

  /** Writes a recording that takes a second and more to be read. */
  private Path big(String name) throws IOException {
    Path file = folder.resolve(name);
    switch (name) {
      case "big.etl" -> BigRecording.write(file, 80_000_000, 1 << 16, 1);
      case "big.jtrc" -> BigJtrc.write(file, 2, 100_000);
      default -> Files.write(file, CutRecordings.several(500_000));
    }
    return file;
  }

  /** Returns the size of what is written so far; -1 if there is nothing yet. */
  private long unfinished() throws IOException {
    try (Stream<Path> files = Files.list(out)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith(".part"))
          .mapToLong(file -> file.toFile().length())
          .max()
          .orElse(-1);
    }
  }

  @ParameterizedTest
  @EnabledOnOs(OS.LINUX)
  @ValueSource(
      strings = {
        "merge big.etl --compress xpress",
        "cut big.etl --time 0.. --compress xpress",
        "cut big.etl --split 10M",
        "cut big.jtrc --time 1..",
        "cut big.ntr --time 10ns..",
      })
  void aSignalInTheMiddleOfWritingLeavesNothing(String command) throws Exception {
    List<String> words = new ArrayList<>(List.of("env", "--default-signal=INT"));
    words.addAll(Cli.command(words(command).toArray(String[]::new)));
    String name = words.stream().filter(word -> word.startsWith("big.")).findFirst().orElseThrow();
    words.set(words.indexOf(name), big(name).toString());
    Path said = folder.resolve("said");
    Process process =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    try {
      Await.until("it writes", () -> !process.isAlive() || unfinished() > 0);
      assertTrue(process.isAlive(), Files.readString(said));
      String number = Long.toString(process.pid());
      assertEquals(0, new ProcessBuilder("kill", "-INT", number).start().waitFor());
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    } finally {
      process.destroyForcibly();
    }
    assertEquals(130, process.exitValue(), Files.readString(said));
    assertEquals("ntrail: interrupted\n", Files.readString(said));
    isAsBefore(command);
  }

  /** Runs a command in a process of its own that can write files of so much only. */
  private String onAFullDisk(String command, long kilobytes) throws Exception {
    String words =
        Cli.command(words(command).toArray(String[]::new)).stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    Path said = folder.resolve("said");
    // The JVM's own files are larger, and are not needed.
    Process process =
        new ProcessBuilder(
                "bash",
                "-c",
                "trap '' XFSZ; ulimit -f %d; exec ".formatted(kilobytes)
                    + words.replaceFirst("-cp", "-XX:-UsePerfData' '-cp"))
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    assertTrue(process.waitFor(120, TimeUnit.SECONDS));
    assertEquals(1, process.exitValue(), Files.readString(said));
    return Files.readString(said);
  }

  @ParameterizedTest
  @EnabledOnOs(OS.LINUX)
  @ValueSource(
      strings = {
        "merge shop.etl --compress none",
        "merge shop.etl",
        "merge shop.etl --pack",
        "cut shop.etl --time 0.1..",
        "cut shop.etl --anonymise",
        "cut shop.etl --split 400ms",
        "cut long.ntr --time 10ns..",
        "cut long.jtrc --time 1..",
      })
  void aFullDiskLeavesWhatWasThere(String command) throws Exception {
    String said = onAFullDisk(command, 40);
    String place = command.contains("--split") ? "new.001.etl" : "new.etl";
    if (command.contains("--pack")) {
      place = "new.etl.zip";
    }
    assertEquals(
        "ntrail: cannot write " + out.resolve(place) + ": File too large\n", said, command);
    isAsBefore(command);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void partsThatWereCompleteAlreadyDoNotStayWhenALaterOneCannotBeWritten() throws Exception {
    String command = "cut shop.etl --split 500ms";
    Path whole = Files.createDirectories(folder.resolve("whole"));
    List<String> words = words(command);
    words.set(words.size() - 1, whole.resolve("new.etl").toString());
    assertEquals(0, Cli.run(words.toArray()).exit());
    long first = Files.size(whole.resolve("new.001.etl"));
    long limit = Files.size(whole.resolve("new.002.etl")) / 1024;
    assertTrue(first < limit * 1024, first + " bytes, and then more than " + limit + " KiB");
    String said = onAFullDisk(command, limit);
    assertEquals("ntrail: cannot write " + out.resolve("new.002.etl") + ": File too large\n", said);
    isAsBefore(command);
  }
}

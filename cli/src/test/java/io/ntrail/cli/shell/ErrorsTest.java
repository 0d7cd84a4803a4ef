package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.Main;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.text.Terminal;
import io.ntrail.testkit.etl.EtlShapes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Error messages: what is wrong, where, and what to type next. */
class ErrorsTest {
  @TempDir private Path folder;

  private static void fails(int exit, List<String> messages, Object... words) {
    Cli.Result result = Cli.run(words);
    assertEquals(messages, result.messages());
    assertEquals(exit, result.exit());
    assertEquals("", result.out(), "no answer");
  }

  private Path recording(String name) throws IOException {
    return Recordings.write(folder.resolve(name), EtlShapes.outOfOrder(1, 60));
  }

  @Test
  void unknownOption() {
    fails(
        2,
        List.of(
            "ntrail: unknown option --cuont for events",
            "try: --count                                        help: ntrail events -h"),
        "events",
        "shop.etl",
        "--cuont");
    fails(
        2,
        List.of(
            "ntrail: unknown option --formt for info",
            "try: --format                                       help: ntrail info -h"),
        "info",
        "--formt=json",
        "shop.etl");
    fails(
        2,
        List.of("ntrail: unknown option --zzzzzz for info", "try: ntrail info -h"),
        "info",
        "--zzzzzz");
  }

  @Test
  void unknownCommand() {
    fails(
        2,
        List.of("ntrail: unknown command infos", "try: ntrail info shop.etl -q"),
        "infos",
        "shop.etl",
        "-q");
    fails(2, List.of("ntrail: unknown command quark", "try: ntrail -h"), "quark");
    fails(2, List.of("ntrail: unknown command --quark", "try: ntrail -h"), "--quark");
  }

  @Test
  void aFolderInPlaceOfACommandIsAnsweredAsInfoDoes() {
    fails(
        1,
        List.of("ntrail: " + folder + " is a folder", "try: ntrail " + folder + "/*.etl"),
        folder.toString());
  }

  @Test
  void wrongValues() throws IOException {
    Path file = recording("shop.etl");
    fails(
        2,
        List.of("ntrail: --format takes text, json, jsonl or csv, not xml", "try: --format json"),
        "info",
        file,
        "--format",
        "xml");
    fails(
        2,
        List.of("ntrail: -n takes a number, not many", "try: -n 20"),
        "events",
        file,
        "-n",
        "many");
    fails(
        2, List.of("ntrail: -n takes a number, not -3", "try: -n 20"), "events", file, "-n", "-3");
    fails(
        2,
        List.of("ntrail: --time takes FROM..TO, not 5", "try: --time 1.5..2"),
        "events",
        file,
        "--time",
        "5");
    fails(
        2,
        List.of("ntrail: --color takes auto, always or never, not blue", "try: --color auto"),
        "doctor",
        "--color=blue");
    fails(
        2,
        List.of(
            "ntrail: --limit needs a value",
            "try: --limit N                                      help: ntrail events -h"),
        "events",
        file,
        "-n");
    fails(
        2,
        List.of(
            "ntrail: --count takes no value",
            "try: --count                                        help: ntrail events -h"),
        "events",
        file,
        "--count=5");
    fails(
        2,
        List.of("ntrail: doctor takes no arguments: shop", "try: ntrail doctor"),
        "doctor",
        "shop");
  }

  @Test
  void missingFile() throws IOException {
    recording("shop.etl");
    Path wrong = folder.resolve("shpo.etl");
    fails(
        1,
        List.of(
            "ntrail: no such file: " + wrong,
            "try: ntrail events " + folder.resolve("shop.etl") + " --count"),
        "events",
        wrong,
        "--count");
    fails(1, List.of("ntrail: no such file: /no/such/place.etl"), "info", "/no/such/place.etl");
    fails(2, List.of("ntrail: info needs a file", "try: ntrail info recording.etl"), "info");
    recording("my shop.etl");
    fails(
        1,
        List.of(
            "ntrail: no such file: " + folder.resolve("my shpo.etl"),
            "try: ntrail info '" + folder.resolve("my shop.etl") + "'"),
        "info",
        folder.resolve("my shpo.etl"));
  }

  @Test
  void folderInsteadOfAFile() {
    fails(
        1,
        List.of("ntrail: " + folder + " is a folder", "try: ntrail info " + folder + "/*.etl"),
        "info",
        folder);
  }

  @Test
  void notARecording() throws IOException {
    Path picture = folder.resolve("holiday.jpg");
    Files.write(picture, new byte[] {-1, -40, -1, -32, 0, 16, 'J', 'F', 'I', 'F'});
    Cli.Result result = Cli.run("info", picture);
    assertEquals(1, result.exit());
    assertEquals("", result.out());
    assertTrue(result.messages().get(0).startsWith("ntrail: " + picture + " is not a recording"));
    assertTrue(
        result.messages().get(0).endsWith("(it starts with ff d8 ff e0, a JPEG picture)"),
        result.err());
    assertTrue(result.messages().get(1).startsWith("readable: .etl"), result.err());
    assertTrue(result.messages().get(1).endsWith("see: ntrail help formats"), result.err());
    assertEquals(2, result.messages().size());
    Path zip = Recordings.zip(folder.resolve("a.zip"), Map.of("a.txt", new byte[5]));
    Cli.Result none = Cli.run("info", zip);
    assertEquals(1, none.exit());
    assertTrue(none.err().contains("is a zip file that contains no file to read"), none.err());
    Path empty = Files.write(folder.resolve("empty.etl"), new byte[0]);
    fails(1, List.of("ntrail: " + empty + " is empty"), "info", empty);
  }

  @Test
  void everyFileOfACallMustBeReadable() throws IOException {
    Path file = recording("shop.etl");
    Cli.Result result = Cli.run("info", file, folder.resolve("nothing.etl"));
    assertEquals(1, result.exit());
    assertEquals("", result.out());
  }

  @Test
  void standardInput() {
    Cli.Result result = Cli.run("info", "-");
    assertEquals(1, result.exit());
    assertTrue(result.messages().getFirst().contains("standard input"), result.err());
  }

  @Test
  void outputThatCannotBe() throws IOException {
    Path file = recording("shop.etl");
    byte[] before = Files.readAllBytes(file);
    Cli.Result over = Cli.run("events", file, "--format", "jsonl", "-o", file);
    assertEquals(2, over.exit());
    assertEquals("ntrail: -o " + file + " would overwrite an input file", over.messages().get(0));
    assertTrue(java.util.Arrays.equals(before, Files.readAllBytes(file)), "the input is whole");
    Path nowhere = folder.resolve("no/such/folder.json");
    fails(
        1,
        List.of("ntrail: cannot write " + nowhere + ": no such folder"),
        "info",
        file,
        "-o",
        nowhere);
  }

  @Test
  void noStackTraces() throws IOException {
    Path file = recording("shop.etl");
    for (Object[] words :
        List.of(
            new Object[] {"info", "\0"},
            new Object[] {"info", ""},
            new Object[] {"events", file, "--time", "x.."},
            new Object[] {"events", file, "--time", "9e99999999..1"},
            new Object[] {"events", file, "-n", "99999999999999999999"},
            new Object[] {"info", "@" + file},
            new Object[] {""},
            new Object[] {"help", "../../secret"},
            new Object[] {"completion", "tcsh"})) {
      Cli.Result result = Cli.run(words);
      assertTrue(result.exit() == 1 || result.exit() == 2, () -> result.toString());
      assertTrue(result.err().startsWith("ntrail: "), result.err());
      assertFalse(result.err().contains("\tat ") || result.err().contains("Exception"));
      assertFalse(result.err().contains("internal error"), result.err());
    }
  }

  @Test
  void optionsAreTheSameEverywhere() throws IOException {
    Path file = recording("shop.etl");
    for (List<String> words :
        List.of(
            List.of("info", file.toString()),
            List.of("events", file.toString()),
            List.of("events", file.toString(), "--count"),
            List.of("doctor"),
            List.of("completion", "bash"),
            List.of("help", "info"))) {
      List<Object> plain = List.copyOf(words);
      Cli.Result expected = Cli.run(plain.toArray());
      List<Object> more = new java.util.ArrayList<>(plain);
      more.addAll(List.of("--ascii", "--color", "never", "--no-pager", "-q"));
      assertEquals(0, expected.exit(), expected.err());
      if (!words.contains("doctor")) {
        assertEquals(expected, Cli.run(more.toArray()));
      }
      more.addAll(List.of("-v", "-vv", "--color=always"));
      assertEquals(0, Cli.run(more.toArray()).exit(), words.toString());
    }
    // The last of several counts, as in an alias that one adds to.
    assertEquals(
        Cli.run("events", file, "-n", "4"), Cli.run("events", file, "-n", "9", "--limit", "4"));
    assertEquals(1, Cli.run("info", "--", "-h").exit(), "after -- all is a file");
  }

  /** A stream that fails as the operating system's do. */
  private static final class Failing extends OutputStream {
    private final String message;
    private final int after;
    private int written;

    Failing(String message, int after) {
      this.message = message;
      this.after = after;
    }

    @Override
    public void write(int b) throws IOException {
      if (written++ >= after) {
        throw new IOException(message);
      }
    }
  }

  @Test
  void aClosedPipeIsNotAnError() throws IOException {
    Path file = Recordings.write(folder.resolve("long.etl"), EtlShapes.outOfOrder(2, 4000));
    for (int after : new int[] {0, 10, 100_000}) {
      for (String format : List.of("text", "json", "jsonl", "csv")) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] words = {"events", file.toString(), "--format", format, "-n", "0"};
        int exit = Main.run(words, Terminal.of(new Failing("Broken pipe", after), err));
        // Payloads of these events are random.
        String told = err.toString(StandardCharsets.UTF_8);
        assertTrue(told.lines().allMatch(line -> line.contains("last field")), told);
        assertEquals(0, exit);
      }
    }
  }

  @Test
  void aFullDiskIsAnError() throws IOException {
    Path file = recording("shop.etl");
    for (String[] words : List.of(new String[] {"info", file.toString()}, new String[] {"-h"})) {
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      int exit = Main.run(words, Terminal.of(new Failing("No space left on device", 5), err));
      assertEquals(1, exit);
      assertEquals(
          "ntrail: the output could not be written: No space left on device",
          err.toString(StandardCharsets.UTF_8).strip());
    }
  }
}

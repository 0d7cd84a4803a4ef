package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail cut}: with the same filter each question has the same answer as before. */
class CutAnswersTest {
  private static final List<List<String>> CUTS =
      List.of(
          List.of("--time", "1..2"),
          List.of("--time", "0.001..0.5"),
          List.of("--time", "3.25.."),
          List.of("--time", "0.1..0.9", "-p", "Test*"),
          List.of("-p", "Test*"),
          List.of("-p", "System"),
          List.of("-t", "0"),
          List.of("-e", "SampleProf"),
          List.of("-e", "*Clr*", "-e", "*Kernel-File*"),
          List.of("-e", "Image/*", "--time", "0.001..4"),
          List.of("-e", "DiskIo/*", "-e", "FileIo/*"),
          List.of("-p", "shop*", "--time", "0.3..0.9"),
          List.of("-t", "4316"),
          List.of("--cpu", "1,3"));

  private static final List<List<String>> QUESTIONS =
      List.of(
          List.of("events", "--count", "--format", "json"),
          List.of("events", "--count", "--by", "process"),
          List.of("events", "--stacks", "--format", "jsonl"),
          List.of("events", "--format", "csv"),
          List.of("profile", "--format", "json", "-n", "0"),
          List.of("profile"),
          List.of("profile", "--bottom-up"),
          List.of("profile", "--metric", "wait", "--format", "json", "-n", "0"),
          List.of("profile", "--metric", "ready", "--format", "json", "-n", "0"),
          List.of("profile", "--metric", "disk", "--format", "json", "-n", "0"),
          List.of("profile", "--metric", "file", "--format", "json", "-n", "0"),
          List.of("profile", "--metric", "fault", "--format", "json", "-n", "0"),
          List.of("profile", "--metric", "alloc", "--format", "json", "-n", "0"),
          List.of("export", "--to", "collapsed"),
          List.of("export", "--to", "speedscope"));

  /**
   * Numbers that say how much was read for an answer, what a cut says of itself, and what it leaves
   * out though it may be meant.
   */
  private static final Pattern EFFORT =
      Pattern.compile(
          "\"records\":\\d+(?=,\"unmatched\")|\"symbols\":\\{\"hot\":\\d+"
              + "|\"remarks\":\\{\"undescribed\":[^}]*},|\"unattributed\":\\d+"
              + "|\"omissions\":\\[\\{[^]]*}],|, a part of another one( \\(without .*?\\))?(?=, )");

  /** A recording with stacks of every kind. */
  private static final String STACKS = "perfview-net452-x64.etl.gz";

  @TempDir private Path folder;

  private static List<Path> shared() throws IOException {
    try (Stream<Path> files = Files.list(TestData.file("etl"))) {
      return files.filter(file -> file.toString().endsWith(".etl.gz")).sorted().toList();
    }
  }

  private Path unpacked(Path packed) throws IOException {
    Path whole = Files.createDirectories(folder.resolve("whole"));
    String name = packed.getFileName().toString();
    Path file = whole.resolve(name.substring(0, name.length() - ".gz".length()));
    try (InputStream in = new GZIPInputStream(Files.newInputStream(packed))) {
      Files.copy(in, file);
    }
    return file;
  }

  private Path cut(Path file, List<String> filter, int number) throws IOException {
    Path into = Files.createDirectories(folder.resolve("cut" + number));
    Path cut = into.resolve(file.getFileName());
    List<Object> words = new ArrayList<>(List.of("cut", file, "-o", cut));
    words.addAll(filter);
    Result result = Cli.run(words.toArray());
    assertTrue(result.exit() == 0 || result.exit() == 3, result.err());
    return cut;
  }

  /** Writes the answer to a question, and what is said beside it. */
  private Path answer(List<String> question, Path file, List<String> filter, String name)
      throws IOException {
    Path answer = folder.resolve(name);
    List<Object> words = new ArrayList<>(question);
    words.add(1, file);
    words.addAll(filter);
    words.addAll(List.of("-o", answer));
    Result result = Cli.run(words.toArray());
    Files.writeString(
        answer,
        "exit code "
            + result.exit()
            + "\n"
            + (result.out() + result.err()).replace(answer.toString(), "FILE"),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    return answer;
  }

  /** Returns the next line that is not about the files themselves; null at the end. */
  private static @Nullable String next(BufferedReader reader, Path of) throws IOException {
    String line = reader.readLine();
    while (line != null && isOfTheCut(line)) {
      line = reader.readLine();
    }
    return line == null
        ? null
        : line.replace(Objects.requireNonNull(of.getParent()).toString(), "");
  }

  private static String withoutEffort(String line) {
    return EFFORT.matcher(line).replaceAll("");
  }

  private static Optional<String> difference(Path whole, Path wholeAnswer, Path cut, Path cutAnswer)
      throws IOException {
    try (BufferedReader a = Files.newBufferedReader(wholeAnswer);
        BufferedReader b = Files.newBufferedReader(cutAnswer)) {
      for (int line = 1; ; line++) {
        String left = next(a, whole);
        String right = next(b, cut);
        if (left == null && right == null) {
          return Optional.empty();
        }
        // The pattern would take most of the test's time, and nearly all lines are the same.
        if (left != null && right != null && !left.equals(right)) {
          left = withoutEffort(left);
          right = withoutEffort(right);
        }
        if (left == null || !left.equals(right)) {
          return Optional.of("line " + line + ":\n" + shown(left, right));
        }
      }
    }
  }

  private static String shown(@Nullable String left, @Nullable String right) {
    if (left == null || right == null) {
      return "  " + left + "\n  " + right;
    }
    int at = 0;
    while (at < Math.min(left.length(), right.length()) && left.charAt(at) == right.charAt(at)) {
      at++;
    }
    return "  " + around(left, at) + "\n  " + around(right, at);
  }

  /** Returns true for what a cut says of itself, and for the header, which says how it was made. */
  private static boolean isOfTheCut(String line) {
    return line.contains("a part of another recording, without")
        || line.contains("of unknown processes may belong to")
        || line.contains("\"provider\":\"ntrail\"")
        || line.contains("\"event\":\"EventTrace/Header\"")
        || line.contains("BuffersWritten");
  }

  /** Returns how the answers for cuts of a recording differ from those for the whole. */
  private List<String> differences(Path file, List<List<String>> cuts) throws IOException {
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < cuts.size(); i++) {
      List<String> filter = cuts.get(i);
      Path cut = cut(file, filter, i);
      for (List<String> question : QUESTIONS) {
        Path whole = answer(question, file, filter, "whole.txt");
        Path part = answer(question, cut, filter, "part.txt");
        difference(file, whole, cut, part)
            .ifPresent(what ->
                differences.add(
                    "%s %s %s %s".formatted(file.getFileName(), filter, question, what)));
        Files.delete(whole);
        Files.delete(part);
      }
      Files.delete(cut);
    }
    return differences;
  }

  @Test
  void eachQuestionHasTheSameAnswerWithTheSameFilter() throws IOException {
    Path sample = TestData.projectRoot().resolve("samples/shop.etl");
    assertEquals(List.of(), differences(sample, Slice.of(CUTS, 3)));
  }

  @Test
  void eachQuestionAboutSharedRecordingsHasTheSameAnswer() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<Path> some = new ArrayList<>(Slice.of(shared(), 20));
    some.addAll(
        shared().stream().filter(file -> file.endsWith(STACKS) && !some.contains(file)).toList());
    for (Path packed : some) {
      Path file = unpacked(packed);
      assertEquals(List.of(), differences(file, Slice.of(CUTS, 4)));
      Files.delete(file);
    }
  }

  /** A recording made by hand, of processes with a thread each; times are in microseconds. */
  private static final class Made {
    private static final int START = 1;
    private static final int END = 2;
    private static final int FOUND = 3;
    private static final int READY = 1;
    private static final int WAITING = 5;
    private static final int TERMINATED = 4;

    private final EtlSettings settings = EtlSettings.windows11();
    private final EtlWriter writer = new EtlWriter(settings);

    /** Thread 100 of a.exe and thread 200 of b.exe were there when it began. */
    Made() {
      process(0, FOUND, 1000, "a.exe").thread(0, FOUND, 1000, 100);
      process(0, FOUND, 2000, "b.exe").thread(0, FOUND, 2000, 200);
      // The first events of each type, of all and of those from 1 ms on, stay in any cut.
      others(20, 3, 400).others(1010, 4, 404);
    }

    private Made others(long time, int cpu, int tid) {
      thread(0, FOUND, 2000, tid).onto(time, cpu, tid, 0, WAITING).named(time + 1, cpu, "other");
      reads(time + 2, cpu, 0xB0F0, tid).hasRead(time + 3, cpu, 0xB0F0);
      return onto(time + 4, cpu, 0, tid, WAITING);
    }

    private Made log(long time, int cpu, EtlRecords record, int version, LittleEndian payload) {
      long ticks = settings.startTicks() + 10 * time;
      writer.log(cpu, record.version(version).time(ticks).payload(payload).build());
      return this;
    }

    private Made process(long time, int type, int pid, String image) {
      LittleEndian payload = KernelPayloads.process(pid, 4, 1, 0, image, image);
      return log(time, 0, EtlRecords.system(8, 0x0300 | type), 4, payload);
    }

    private Made thread(long time, int type, int pid, int tid) {
      LittleEndian payload = KernelPayloads.thread(pid, tid, 0, 8, "");
      return log(time, 0, EtlRecords.system(8, 0x0500 | type), 3, payload);
    }

    private Made kernel(long time, int cpu, int hook, int version, LittleEndian payload) {
      return log(time, cpu, EtlRecords.perfInfo(8, hook), version, payload);
    }

    private Made onto(long time, int cpu, int tid, int before, int state) {
      LittleEndian payload = KernelPayloads.cswitch(tid, before, 8, 8, 0, state);
      return kernel(time, cpu, 0x0524, 4, payload);
    }

    private Made named(long time, int cpu, String file) {
      LittleEndian payload = KernelPayloads.fileName(0xFFFF_A000_0000_0000L + time, file);
      return kernel(time, cpu, 0x0420, 2, payload);
    }

    private Made reads(long time, int cpu, long irp, int tid) {
      LittleEndian payload = KernelPayloads.fileTransfer(0, irp, 0x5001, 0x5000, tid, 4096);
      return kernel(time, cpu, 0x0443, 3, payload);
    }

    private Made hasRead(long time, int cpu, long irp) {
      return kernel(time, cpu, 0x044C, 3, KernelPayloads.operationEnd(irp, 0, 0));
    }

    /** A sample with its stack: whatever has the time of one that is kept is kept, too. */
    private Made sample(long time, int cpu, int pid, int tid) {
      kernel(time, cpu, 0x0F2E, 2, KernelPayloads.sample(0x401000, tid, 0));
      long ticks = settings.startTicks() + 10 * time;
      return kernel(time, cpu, 0x1820, 2, KernelPayloads.stack(ticks, pid, tid, 0x401000));
    }
  }

  private Path written(Made made, String name) throws IOException {
    Path whole = Files.createDirectories(folder.resolve("whole"));
    return Files.write(whole.resolve(name), made.writer.toByteArray());
  }

  private void hasTheSameAnswers(Made made, String... filter) throws IOException {
    assertEquals(List.of(), differences(written(made, "made.etl"), List.of(List.of(filter))));
  }

  private long unfinished(Made made, String metric, String... filter) throws IOException {
    List<Object> words = new ArrayList<>(List.of("profile", written(made, "made.etl")));
    words.addAll(List.of("--metric", metric, "--format", "json"));
    words.addAll(List.of(filter));
    return Cli.run(words.toArray()).json().get("remarks").get("unfinished").number();
  }

  @Test
  void whatOthersDoOnTheCpuOfAThreadThatHasEndedIsNotTakenForItsDoing() throws IOException {
    Made made =
        new Made()
            .onto(900, 0, 100, 0, Made.WAITING)
            .named(1500, 0, "of-a")
            .thread(2000, Made.END, 1000, 100)
            .onto(2001, 0, 0, 100, Made.TERMINATED)
            .onto(2500, 0, 200, 0, Made.WAITING)
            .named(3000, 0, "of-b")
            .named(3001, 0, "last");
    hasTheSameAnswers(made, "-p", "a.exe");
    hasTheSameAnswers(made, "-t", "100");
    hasTheSameAnswers(made, "-p", "a.exe", "-e", "FileIo/*");
    hasTheSameAnswers(made, "-p", "a.exe", "--time", "1ms..4ms");
  }

  @Test
  void whatOthersDoIsNotTakenForThatOfALaterThreadWithTheIdOfAnEarlierOne() throws IOException {
    Made made =
        new Made()
            // Thread 300 of b.exe ends on a CPU; one of a.exe gets its id, and runs elsewhere.
            .thread(10, Made.START, 2000, 300)
            .onto(1000, 5, 300, 100, Made.WAITING)
            .thread(2000, Made.END, 2000, 300)
            .onto(2001, 5, 0, 300, Made.TERMINATED)
            .thread(2500, Made.START, 1000, 300)
            .onto(2600, 1, 300, 0, Made.WAITING)
            .named(3000, 5, "of-none")
            .onto(4000, 2, 100, 0, Made.WAITING)
            .onto(5000, 2, 0, 100, Made.READY);
    hasTheSameAnswers(made, "-p", "a.exe");
  }

  @Test
  void anOperationDoesNotGetTheEndOfALaterOneWithItsNumber() throws IOException {
    Made made =
        new Made()
            .onto(50, 0, 200, 0, Made.WAITING)
            .onto(90, 1, 100, 0, Made.WAITING)
            // That it ended is missing.
            .reads(100, 1, 0xB010, 100)
            .reads(5000, 0, 0xB010, 200)
            .hasRead(5010, 0, 0xB010)
            .sample(5010, 1, 1000, 100);
    assertEquals(1, unfinished(made, "file", "-p", "a.exe"));
    hasTheSameAnswers(made, "-p", "a.exe");
  }

  @Test
  void anOperationThatHasEndedDoesNotGetTheEndOfALaterOneWhoseBeginningIsMissing()
      throws IOException {
    Made made =
        new Made()
            .onto(50, 0, 100, 0, Made.WAITING)
            .sample(50, 0, 1000, 100)
            .onto(100, 0, 0, 100, Made.WAITING)
            .reads(100, 1, 0xB010, 200)
            .hasRead(200, 1, 0xB010)
            .onto(1500, 0, 100, 0, Made.WAITING)
            .hasRead(1600, 1, 0xB010);
    hasTheSameAnswers(made, "--time", "1ms..2ms");
  }

  @Test
  void anOperationThatEndsInTheTimeStaysWhoeverRunsAtItsEnd() throws IOException {
    Made made =
        new Made()
            .onto(50, 0, 100, 0, Made.WAITING)
            .reads(100, 0, 0xB010, 100)
            .onto(900, 0, 200, 100, Made.WAITING)
            .hasRead(1500, 0, 0xB010)
            .onto(1800, 0, 100, 200, Made.WAITING);
    hasTheSameAnswers(made, "--time", "1ms..2ms", "-p", "a.exe");
  }

  @Test
  void anOperationWhoseNumberIsTakenInTheTimeIsCountedAsUnfinished() throws IOException {
    Made made =
        new Made()
            .reads(100, 1, 0xB010, 100)
            .reads(1500, 0, 0xB010, 200)
            .hasRead(1600, 0, 0xB010)
            .onto(1800, 0, 100, 0, Made.WAITING);
    assertEquals(1, unfinished(made, "file", "--time", "1ms..2ms", "-p", "a.exe"));
    hasTheSameAnswers(made, "--time", "1ms..2ms", "-p", "a.exe");
  }

  @Test
  void anOperationIsThatOfTheProcessThatBeganItWhoeverGetsItsId() throws IOException {
    Made made =
        new Made()
            .reads(100, 0, 0xB010, 100)
            .thread(200, Made.END, 1000, 100)
            .process(201, Made.END, 1000, "a.exe")
            .process(300, Made.START, 1000, "c.exe")
            .thread(301, Made.START, 1000, 100)
            .reads(400, 0, 0xB010, 200)
            .hasRead(500, 0, 0xB010);
    assertEquals(1, unfinished(made, "file", "-p", "a.exe"));
    assertEquals(0, unfinished(made, "file", "-p", "c.exe"));
    hasTheSameAnswers(made, "-p", "a.exe");
  }

  @Test
  void waitsThatEndWithTheirThreadsAreCountedAsUnfinished() throws IOException {
    Made made =
        new Made()
            .onto(50, 0, 100, 0, Made.WAITING)
            .onto(100, 0, 200, 100, Made.WAITING)
            .onto(1100, 0, 0, 200, Made.WAITING)
            .thread(1500, Made.END, 1000, 100)
            .onto(1600, 0, 200, 0, Made.WAITING);
    assertEquals(1, unfinished(made, "wait", "-p", "a.exe"));
    hasTheSameAnswers(made, "-p", "a.exe");
    hasTheSameAnswers(made, "--time", "1ms..2ms");
    hasTheSameAnswers(made, "--time", "1ms..2ms", "-p", "a.exe");
    hasTheSameAnswers(made, "-p", "a.exe", "-e", "CSwitch");
  }

  @Test
  void aThreadThatLeavesItsCpuTwiceIsToldAsBefore() throws IOException {
    Made made =
        new Made()
            .onto(50, 0, 100, 0, Made.WAITING)
            .onto(100, 0, 200, 100, Made.WAITING)
            // That it came back is missing, as is what ran before.
            .onto(1200, 1, 0, 100, Made.WAITING)
            .onto(1300, 1, 200, 100, Made.TERMINATED)
            .onto(1600, 0, 0, 200, Made.WAITING);
    hasTheSameAnswers(made, "-p", "a.exe");
    hasTheSameAnswers(made, "--time", "1ms..2ms", "-p", "a.exe");
  }

  @Test
  void switchesOfAnotherFileOfTheSameClockTellWhoseRecordsAreKept() throws IOException {
    Path first = written(new Made().onto(50, 0, 100, 0, Made.WAITING), "first.etl");
    Path second = written(new Made().named(100, 0, "of-a"), "second.etl");
    Path cut = folder.resolve("cut.etl");
    String[] named = {"-e", "FileIo/*"};
    assertEquals(0, Cli.run("cut", first, second, "-e", "FileIo/*", "-o", cut).exit());
    List<String> questions = List.of("--count", "--by", "process", "--format", "csv");
    List<Object> whole = new ArrayList<>(List.of("events", first, second));
    List<Object> part = new ArrayList<>(List.of("events", cut));
    for (List<Object> words : List.of(whole, part)) {
      words.addAll(questions);
      words.addAll(List.of(named));
    }
    String answer = Cli.run(whole.toArray()).out();
    assertTrue(answer.contains("a.exe"), answer);
    assertEquals(answer, Cli.run(part.toArray()).out());
  }

  private static String around(String line, int at) {
    return line.substring(Math.max(0, at - 80), Math.min(line.length(), at + 120));
  }
}

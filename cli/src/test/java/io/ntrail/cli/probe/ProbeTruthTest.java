package io.ntrail.cli.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.profile.RecordingBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs over recordings whose answers others have published, or that were worked by hand: the
 * table {@code probe-truth.txt}, which says of each answer where it is from.
 */
class ProbeTruthTest {
  private static final String WORKED = "worked";
  private static final List<String> PROVIDERS =
      List.of("dtrace", "profile", "etw", "kernel", "sched", "io", "proc", "pid");

  @TempDir private Path folder;

  /**
   * Entry of the table.
   *
   * @param line of the table that it begins at
   * @param from file of the shared test data that has the answer, or {@link #WORKED}
   * @param says lines of that file, or how the answer was worked
   * @param over recording: a file of the shared test data, or one that is made here
   */
  record Entry(
      int line,
      String provider,
      String from,
      List<String> says,
      String over,
      String program,
      List<String> output) {
    boolean isWorked() {
      return from.equals(WORKED);
    }

    /** Returns true if nothing of the shared test data is needed. */
    boolean isOwn() {
      return isWorked() && List.of("nothing", "switches", "places").contains(over);
    }

    @Override
    public String toString() {
      return "line %d: %s over %s".formatted(line, provider, over);
    }
  }

  static List<Entry> entries() throws IOException {
    List<String> lines;
    try (InputStream in = ProbeTruthTest.class.getResourceAsStream("probe-truth.txt")) {
      byte[] all = Objects.requireNonNull(in).readAllBytes();
      lines = new String(all, StandardCharsets.UTF_8).lines().toList();
    }
    List<Entry> entries = new ArrayList<>();
    List<String> block = new ArrayList<>();
    for (int i = 0; i <= lines.size(); i++) {
      String line = i == lines.size() ? "" : lines.get(i);
      if (!line.isBlank() && !line.startsWith("#")) {
        block.add(line);
      } else if (line.isBlank() && !block.isEmpty()) {
        entries.add(entry(i - block.size() + 1, block));
        block.clear();
      }
    }
    return entries;
  }

  private static Entry entry(int line, List<String> block) {
    Map<String, List<String>> byKey =
        block.stream()
            .map(one -> one.split(" ", 2))
            .collect(
                Collectors.groupingBy(
                    parts -> parts[0], Collectors.mapping(parts -> parts[1], Collectors.toList())));
    return new Entry(
        line,
        values(byKey, "provider").getFirst(),
        values(byKey, "from").getFirst(),
        values(byKey, "says"),
        values(byKey, "over").getFirst(),
        String.join("\n", values(byKey, "run")),
        values(byKey, "out"));
  }

  private static List<String> values(Map<String, List<String>> byKey, String key) {
    return Objects.requireNonNull(byKey.get(key), key);
  }

  /** Returns lines that have something, with one blank between two words. */
  private static List<String> words(Stream<String> lines) {
    return lines
        .map(line -> line.strip().replaceAll("\\s+", " "))
        .filter(line -> !line.isEmpty())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("entries")
  void aProgramPrintsWhatIsKnownFromElsewhere(Entry entry) throws IOException {
    assumeTrue(entry.isOwn() || TestData.available(), TestData.MISSING);
    List<Object> words =
        new ArrayList<>(List.of("probe", "#pragma D option quiet\n" + entry.program()));
    if (!entry.over().equals("nothing")) {
      words.add(recording(entry.over()));
    }
    Result result = Cli.run(words.toArray());
    assertEquals(
        String.join("\n", words(entry.output().stream())),
        String.join("\n", words(result.out().lines())),
        entry + "\n" + result.err());
    assertEquals(0, result.exit(), result.err());
  }

  static List<Entry> published() throws IOException {
    return entries().stream().filter(entry -> !entry.isWorked()).toList();
  }

  @ParameterizedTest
  @MethodSource("published")
  void anAnswerStandsInTheFileThatItIsFrom(Entry entry) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] file = TestData.unpacked(TestData.file(entry.from()));
    String text = new String(file, StandardCharsets.UTF_8);
    for (String says : entry.says()) {
      assertTrue(text.contains(says), entry + ": " + entry.from() + " does not say " + says);
    }
  }

  @Test
  void everyProviderHasFiveProgramsAndMore() throws IOException {
    Map<String, Long> programs =
        entries().stream().collect(Collectors.groupingBy(Entry::provider, Collectors.counting()));
    assertEquals(
        PROVIDERS.stream().sorted().toList(), programs.keySet().stream().sorted().toList());
    assertTrue(programs.values().stream().allMatch(count -> count >= 5), "programs: " + programs);
  }

  private Path recording(String over) throws IOException {
    String[] words = over.split(" ");
    return switch (words[0]) {
      case "switches" -> switches();
      case "places" -> places();
      case "vectors" -> vectors(Arrays.stream(words).skip(1).map(Integer::parseInt).toList());
      default -> TestData.file(over);
    };
  }

  private Path written(EtlWriter writer) throws IOException {
    Path file = folder.resolve("made.etl");
    Files.write(file, writer.toByteArray());
    return file;
  }

  /** Two processors: app.exe (100) has the threads 101 and 102, svc.exe (200) 201 and 202. */
  private Path switches() throws IOException {
    RecordingBuilder made =
        new RecordingBuilder(EtlSettings.windows11().processors(2), 8).world().as(-1, -1);
    made.at(1000).on(0).swap(0, RecordingBuilder.READY, 101);
    made.at(1500).on(1).swap(0, RecordingBuilder.READY, 201);
    made.at(3000).on(0).swap(101, RecordingBuilder.WAITING, 0);
    made.at(3500).on(1).as(200, 201).ready(101).as(-1, -1);
    made.at(3600).on(0).swap(0, RecordingBuilder.READY, 101);
    made.at(4000).on(1).swap(201, RecordingBuilder.READY, 202);
    made.at(4600).on(0).swap(101, RecordingBuilder.WAITING, 102);
    made.at(5000).on(1).swap(202, RecordingBuilder.WAITING, 0);
    made.at(6600).on(0).swap(102, RecordingBuilder.TERMINATED, 0);
    return written(made.writer());
  }

  /** Samples of two processes that have images at the same address. */
  private Path places() throws IOException {
    RecordingBuilder made = new RecordingBuilder().world().on(0).as(-1, -1);
    made.at(100).sample(RecordingBuilder.APP + 0x1000, 101);
    made.at(200).sample(RecordingBuilder.KERNEL + 0x10, 101);
    made.at(300).sample(RecordingBuilder.APP + 0x1000, 201);
    made.at(400).sample(RecordingBuilder.KERNEL + 0x10, 201);
    made.at(500).sample(0x1234, 201);
    return written(made.writer());
  }

  /** Payloads of real events of threads and disks, by their opcodes, a microsecond apart. */
  private Path vectors(List<Integer> opcodes) throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    long time = settings.startTicks();
    for (String line : Files.readAllLines(TestData.file("etl/kernel-payload-vectors.jsonl"))) {
      String event = text(line, "event");
      int group = event.equals("Thread") ? 0x0500 : event.equals("DiskIO") ? 0x0100 : 0;
      int opcode = Integer.parseInt(text(line, "opcode"));
      if (group != 0 && opcodes.contains(opcode) && text(line, "pointerBits").equals("64")) {
        int version = Integer.parseInt(text(line, "version"));
        byte[] payload = HexFormat.of().parseHex(text(line, "payloadHex"));
        if (group == 0x0500 || version == 3) {
          EtlRecords record = EtlRecords.perfInfo(8, group + opcode).version(version);
          writer.log(0, record.time(time += 10).payload(payload).build());
        }
      }
    }
    return written(writer);
  }

  /** Returns the first value of a name in a line of JSON. */
  private static String text(String line, String name) {
    String behind = line.substring(line.indexOf('"' + name + "\": ") + name.length() + 4);
    return behind.split("[,}]", 2)[0].replace("\"", "").strip();
  }
}

package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail merge}: each command answers on the merged file as on all its files together. */
class MergedAnswersTest {
  /** Condition of all events but header records, of which a merged file has only one. */
  private static final String WITHOUT_HEADERS =
      "provider != \"Windows Kernel\" or opcode != 0 or id != 0";

  /**
   * Questions. FILES stands for the files, RECORDINGS for those of an option, and ZIP for a zip of
   * them, where a command takes one file.
   */
  private static final List<String> QUESTIONS =
      List.of(
          "info FILES --list processes --format json",
          "info FILES --list threads --format json",
          "info FILES --list images --format json",
          "info FILES --list methods --format json",
          "info FILES --list processes -n 0",
          "info FILES --list threads -n 0",
          "info FILES --list images -n 0",
          "info FILES --list methods -n 0",
          "events FILES WITHOUT_HEADERS -n 0",
          "events FILES WITHOUT_HEADERS -n 0 --long",
          "events FILES WITHOUT_HEADERS --format json -n 0",
          "events FILES WITHOUT_HEADERS --format jsonl -n 0",
          "events FILES WITHOUT_HEADERS --format csv -n 0",
          "events FILES WITHOUT_HEADERS --stacks --format jsonl -n 0",
          "events FILES WITHOUT_HEADERS --stacks -n 0",
          "events FILES WITHOUT_HEADERS --count",
          "events FILES WITHOUT_HEADERS --count --format json",
          "events FILES WITHOUT_HEADERS --count --by process",
          "events FILES WITHOUT_HEADERS --count --by thread",
          "events FILES WITHOUT_HEADERS --count --by cpu",
          "events FILES WITHOUT_HEADERS --count --by provider",
          "events FILES WITHOUT_HEADERS --count --by file",
          "events FILES WITHOUT_HEADERS --count --by file --sum IoSize,TransferSize",
          "events FILES WITHOUT_HEADERS -p shopd.exe --time 0.3..0.9 --format csv",
          "events FILES WITHOUT_HEADERS -e Image/* --cpu 0,2 --format csv",
          "events FILES WITHOUT_HEADERS -t 4316 --format csv -n 0",
          "events FILES WITHOUT_HEADERS -e *DotNET* --count --by event",
          "profile FILES",
          "profile FILES --format json -n 0",
          "profile FILES --format csv -n 0",
          "profile FILES --format collapsed",
          "profile FILES --tree",
          "profile FILES --bottom-up",
          "profile FILES --by process",
          "profile FILES --by module",
          "profile FILES --by cpu",
          "profile FILES --by thread --format json",
          "profile FILES --callers shopcore.dll",
          "profile FILES -z shopcore.dll",
          "profile FILES -p shopd.exe --time 0.2..0.8 --format json",
          "profile FILES --wait --format json -n 0",
          "profile FILES --metric ready --format json -n 0",
          "profile FILES --metric disk --format json -n 0",
          "profile FILES --metric disk --by file --format json -n 0",
          "profile FILES --metric file --by file --format json -n 0",
          "profile FILES --metric fault --format json -n 0",
          "profile FILES --metric alloc --by type --format json -n 0",
          "profile FILES --metric pmc --format json -n 0",
          "profile FILES -e FileIo/* --format json -n 0",
          "profile FILES -e Shop-App/* --format json -n 0",
          "profile FILES -e *DiagnosticSource/* --format json -n 0",
          "stacks FILES --at 0.75 -p shopd.exe",
          "stacks FILES --at 0.75 --all --format json",
          "stacks FILES -e FileIo/Read --top 0 --format json",
          "stacks FILES -e Shop-App/* --top 0 --format json",
          "stacks FILES -e *DiagnosticSource/* --top 0 --format json",
          "export FILES --to collapsed",
          "export FILES --to flamegraph",
          "export FILES --wait --to collapsed --annotate",
          "probe -l ZIP",
          "probe -l -v ZIP",
          "probe kernel::FileIo:Read,etw:::{@[probefunc,execname,cpu]=count();} ZIP",
          "probe sched:::on-cpu{@[execname]=count();@t[execname]=max(timestamp);} ZIP --format json",
          "dtrace RECORDINGS -q -n io:::start{@[args[2]->fi_pathname]=sum(args[0]->b_bcount);}",
          "diff ZIP ZIP",
          "diff ZIP ZIP --format json",
          "symbols ZIP",
          "symbols ZIP --format json",
          "symbols ZIP --hot 0 --images --format json");

  /** Columns are as wide as the widest text of some thousand rows, and other rows are in there. */
  private static final Pattern WIDTH = Pattern.compile(" {2,}");

  /** Bytes that were read, which {@code -v} tells. */
  private static final Pattern EFFORT = Pattern.compile("(?m)^read .*\n");

  /** Date of an event: the merged file has one clock, that of the first file's session. */
  private static final Pattern UTC =
      Pattern.compile("(?m)(\"utc\":)\"[^\"]*\"|^(\\d++,)20[^,\\n]*Z,");

  /** Start of the first of Visual Studio's sessions, in its header record. */
  private static final Instant BEGAN = Instant.parse("2020-09-14T22:49:57.2118091Z");

  @TempDir private Path folder;

  private Path merged(List<Path> files) {
    Path merged = folder.resolve("merged.etl");
    List<Object> words = new ArrayList<>(List.of("merge", "-o", merged));
    words.addAll(files);
    Result result = Cli.run(words.toArray());
    assertEquals(0, result.exit(), result.err());
    return merged;
  }

  /** Packs files into one. */
  private Path packed(List<Path> files) throws IOException {
    Path zip = folder.resolve("of" + files.size() + ".etl.zip");
    if (Files.notExists(zip)) {
      Map<String, byte[]> members = new LinkedHashMap<>();
      for (Path file : files) {
        members.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
      Recordings.zip(zip, members);
    }
    return zip;
  }

  private String answer(String question, List<Path> files) throws IOException {
    List<Object> words = new ArrayList<>();
    for (String word : question.split(" ", -1)) {
      switch (word) {
        case "FILES" -> words.addAll(files);
        case "RECORDINGS" -> files.forEach(file -> words.addAll(List.of("--recording", file)));
        case "ZIP" -> words.add(packed(files));
        case "WITHOUT_HEADERS" -> words.addAll(List.of("--where", WITHOUT_HEADERS));
        default -> words.add(word);
      }
    }
    Result result = Cli.run(words.toArray());
    String answer = "exit code " + result.exit() + "\n" + result.err() + "\n" + result.out();
    return EFFORT.matcher(unnamed(answer, files)).replaceAll("");
  }

  /** Replaces the names of files. */
  private String unnamed(String answer, List<Path> files) {
    List<String> names = files.stream().map(file -> file.getFileName().toString()).toList();
    String zip = "of" + files.size() + ".etl.zip";
    String text = answer.replace(folder + "/", "").replace(zip + "!/", "").replace(zip, "FILE");
    text = text.replaceAll(Pattern.quote(names.getFirst()) + " and \\d more files?", "FILE");
    text = text.replace(String.join(", ", names), "FILE");
    for (String name : names) {
      text = text.replace(name, "FILE");
    }
    return WIDTH.matcher(text).replaceAll(" ");
  }

  private static String undated(String answer) {
    return UTC.matcher(answer).replaceAll("$1$2");
  }

  private static String shown(String before, String after) {
    List<String> left = before.lines().toList();
    List<String> right = after.lines().toList();
    int line = 0;
    while (line < Math.min(left.size(), right.size()) && left.get(line).equals(right.get(line))) {
      line++;
    }
    return ", line " + line + ":\n" + at(left, line) + "\n" + at(right, line) + "\n";
  }

  private static String at(List<String> lines, int line) {
    String text = line < lines.size() ? lines.get(line) : "(no line)";
    return text.substring(0, Math.min(text.length(), 300));
  }

  /** Returns how the answers for the merged file differ from those for all files. */
  private List<String> differences(
      List<Path> files, List<String> questions, UnaryOperator<String> rule) throws IOException {
    List<Path> merged = List.of(merged(files));
    List<String> differences = new ArrayList<>();
    for (String question : questions) {
      String before = rule.apply(answer(question, files));
      String after = rule.apply(answer(question, merged));
      if (!before.equals(after)) {
        differences.add(question + shown(before, after));
      }
    }
    return differences;
  }

  @Test
  void sessionsOfTheKernelAndOfProgramsAreOneRecording() throws IOException {
    List<Path> files = MergedPairs.sample(folder);
    assertEquals(List.of(), differences(files, QUESTIONS, UnaryOperator.identity()));
  }

  @Test
  void sessionsOfVisualStudioAreOneRecording() throws IOException {
    List<Path> files = MergedPairs.diaghub(folder, "kernel.1", "user_paged.1", "user_injected.1");
    assertEquals(List.of(), differences(files, Slice.of(QUESTIONS, 3), MergedAnswersTest::undated));
  }

  private static JsonReader info(List<Path> files) {
    List<Object> words = new ArrayList<>(List.of("info", "--format", "json"));
    words.addAll(files);
    return Cli.run(words.toArray()).json();
  }

  /**
   * Returns what is known of a recording, by key, but for how it is made.
   *
   * @param further header records that a merge leaves out: they are not counted
   */
  private static Map<String, String> known(JsonReader info, long further) {
    Map<String, String> known = new TreeMap<>();
    info.object().forEach((key, value) -> known.put(key, value.toString()));
    known.keySet().removeAll(List.of("files", "buffers", "sources", "recordsByHeader", "contents"));
    known.put("records", (info.get("records").number() - further) + "");
    for (String parts : List.of("recordsByHeader", "contents")) {
      info.get(parts).object().forEach((key, value) -> known.put(key, value.toString()));
    }
    for (JsonReader counts : List.of(info.get("recordsByHeader"), info.get("contents"))) {
      for (String counted : List.of("SYSTEM64", "events")) {
        if (counts.has(counted)) {
          known.put(counted, (counts.get(counted).number() - further) + "");
        }
      }
    }
    for (JsonReader source : info.get("sources").array()) {
      boolean isOfHeaders = source.get("task").toString().contains("EventTrace");
      String name = source.get("provider") + " " + source.get("task");
      String all = source.toString();
      String events = (source.get("events").number() - further) + " events";
      known.put("source " + name, isOfHeaders ? events : all);
    }
    return known;
  }

  @Test
  void aMergedRecordingHasWhatAllFilesHaveButForFurtherHeaders() throws IOException {
    List<List<Path>> pairs = new ArrayList<>(List.of(MergedPairs.sample(folder)));
    if (TestData.available()) {
      pairs.add(MergedPairs.diaghub(folder, "kernel.1", "user_paged.1", "user_injected.1"));
    }
    for (List<Path> files : pairs) {
      Path merged = merged(files);
      assertEquals(known(info(files), files.size() - 1L), known(info(List.of(merged)), 0));
      Files.delete(merged);
    }
  }

  @Test
  void theSessionOfAMergedRecordingNamesAllItsSessions() throws IOException {
    Path merged = merged(MergedPairs.sample(folder));
    List<JsonReader> rows =
        Cli.run("info", merged, "--list", "sessions", "--format", "json")
            .json()
            .get("rows")
            .array();
    assertEquals(1, rows.size());
    assertEquals("NT Kernel Logger + Shop", rows.getFirst().get("name").text());
  }

  @Test
  void datesOfAllEventsAreThoseOfTheFirstFilesClock() throws IOException {
    List<Path> files = MergedPairs.diaghub(folder, "kernel.1", "user_paged.1", "user_injected.1");
    Set<Duration> offsets = new TreeSet<>();
    Cli.run("events", merged(files), "--format", "jsonl")
        .out()
        .lines()
        .map(JsonReader::parse)
        .forEach(event -> {
          Instant utc = Instant.parse(event.get("utc").text());
          offsets.add(Duration.between(BEGAN, utc).minusNanos(event.get("timeNanos").number()));
        });
    assertEquals(Set.of(Duration.ZERO), offsets);
  }

  @Test
  void aPartOfBothIsThePartOfTheMergedRecording() throws IOException {
    List<Path> files = MergedPairs.sample(folder);
    List<Path> merged = List.of(merged(files));
    for (String selection :
        List.of("--time 0.3..0.9", "-p shopd.exe", "-e Shop-*", "--cpu 1-3 --every 5")) {
      List<String> parts = new ArrayList<>();
      for (List<Path> whole : List.of(files, merged)) {
        Path part = folder.resolve("part.etl");
        List<Object> words = new ArrayList<>(List.of("cut", "-o", part));
        words.addAll(List.of(selection.split(" ", -1)));
        words.addAll(whole);
        assertEquals(0, Cli.run(words.toArray()).exit());
        // How many records are left out is told, too: those of the headers among them.
        String others = " and provider != ntrail";
        parts.add(
            Cli.run(
                    "events",
                    part,
                    "--stacks",
                    "--format",
                    "jsonl",
                    "--where",
                    "(" + WITHOUT_HEADERS + ")" + others)
                .out());
        Files.delete(part);
      }
      assertTrue(parts.getFirst().lines().count() > 100, selection);
      assertEquals(parts.getFirst(), parts.getLast(), selection);
    }
  }
}

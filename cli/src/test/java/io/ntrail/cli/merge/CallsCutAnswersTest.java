package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.calls.CallImageSymbols;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.merge.calls.CallsCut;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.MemoryChannel;
import io.ntrail.testkit.Slice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands answer on a cut as on the whole recording with the same filter.
 *
 * <p>Not compared are figures of a file as a whole, which a filter does not touch: how many calls
 * and made-up records it has, of its threads and of all.
 */
class CallsCutAnswersTest {
  private static final String MARK = "a part of another recording";

  @TempDir private Path folder;

  /** A question: percents of the calls in order of time, the thread with most records or all. */
  private record Cut(int from, int to, boolean oneThread, boolean oneFunction) {
    boolean hasTime() {
      return from > 0 || to < 100;
    }
  }

  private static final List<Cut> CUTS =
      List.of(
          new Cut(0, 100, false, false),
          new Cut(0, 100, true, false),
          new Cut(0, 20, false, false),
          new Cut(40, 45, false, false),
          new Cut(40, 60, true, false),
          new Cut(70, 100, false, false),
          new Cut(55, 55, false, false),
          new Cut(0, 100, false, true),
          new Cut(0, 100, true, true),
          new Cut(30, 70, false, true),
          new Cut(30, 35, true, true));

  /** A cut of a recording, and the options that ask for the same. */
  private record Made(Path whole, Path cut, List<String> options, String program, Plan plan) {}

  /** Part that is cut out of a recording. */
  private record Plan(List<Integer> threads, long tid, long from, long to, String function) {}

  private static Plan plan(Path whole, Cut cut) {
    try (CallRecording recording = RecordingInput.openCalls(whole)) {
      List<CallThread> threads = recording.source().threads();
      List<Integer> all = IntStream.range(0, threads.size()).boxed().toList();
      long tid =
          threads.stream().max(Comparator.comparingLong(CallThread::records)).orElseThrow().tid();
      List<Integer> chosen =
          cut.oneThread ? all.stream().filter(i -> threads.get(i).tid() == tid).toList() : all;
      long[] times = times(recording, all);
      return new Plan(
          chosen,
          tid,
          cut.from == 0 ? Long.MIN_VALUE : at(times, cut.from),
          cut.to == 100 ? Long.MAX_VALUE : at(times, cut.to),
          names(recording).text(someFunction(recording, chosen)));
    }
  }

  private static CallNames names(CallRecording recording) {
    return new CallNames(recording.source(), CallImageSymbols.NONE);
  }

  private Made make(Path whole, Cut cut) throws IOException {
    Plan plan = plan(whole, cut);
    // Opened again: gaps are found by reading.
    try (CallRecording recording = RecordingInput.openCalls(whole)) {
      List<String> options = new ArrayList<>();
      if (cut.hasTime()) {
        String unit = recording.source().clock().nanos() ? "ns" : "";
        options.add("--time");
        options.add(
            (cut.from == 0 ? "" : plan.from + unit) + ".." + (cut.to == 100 ? "" : plan.to + unit));
      }
      if (cut.oneThread) {
        options.addAll(List.of("-t", Long.toString(plan.tid)));
      }
      Path file = Files.createDirectories(folder.resolve("small")).resolve(whole.getFileName());
      MemoryChannel channel = new MemoryChannel();
      CallsCut.write(
          recording,
          new CallsCut.Choice(
              plan.threads,
              plan.from,
              plan.to,
              plan.from + " .. " + plan.to,
              cut.oneFunction ? List.of(NamePattern.of(plan.function)) : List.of()),
          names(recording),
          channel);
      Files.write(file, channel.toByteArray());
      return new Made(whole, file, options, program(plan, cut, file), plan);
    }
  }

  /** Returns a program that prints the events that are selected. */
  private static String program(Plan plan, Cut cut, Path file) {
    List<String> conditions = new ArrayList<>();
    conditions.add("pid > 0");
    if (plan.from != Long.MIN_VALUE) {
      conditions.add("timestamp >= " + plan.from);
    }
    if (plan.to != Long.MAX_VALUE) {
      conditions.add("timestamp < " + plan.to);
    }
    if (cut.oneThread) {
      conditions.add("tid == " + plan.tid);
    }
    if (cut.oneFunction) {
      conditions.add("probefunc == \"%s\"".formatted(plan.function.split("!", -1)[1]));
    }
    return "pid*:::entry,pid*:::return,pid*:::unwind /"
        + String.join(" && ", conditions)
        + "/ { printf(\"%d %s %s %d %x\\n\", timestamp, probefunc, probename, tid, "
        // Files of NTrace have no arguments.
        + (file.toString().endsWith(".jtrc") ? "0);" : "arg1);")
        + " @[probemod, probefunc, probename] = count(); }";
  }

  /** Returns the times of entries of all threads, sorted. */
  private static long[] times(CallRecording recording, List<Integer> threads) {
    List<Long> times = new ArrayList<>();
    for (int thread : threads) {
      try (CallWalk walk = recording.walk(thread)) {
        while (walk.next()) {
          times.add(walk.entry());
        }
      }
    }
    return times.stream().mapToLong(time -> time).sorted().toArray();
  }

  private static long at(long[] times, int percent) {
    return times[(int) ((times.length - 1L) * percent / 100)];
  }

  private static long someFunction(CallRecording recording, List<Integer> threads) {
    List<Long> functions = new ArrayList<>();
    for (int thread : threads) {
      try (CallWalk walk = recording.walk(thread)) {
        while (functions.size() < 100 && walk.next()) {
          functions.add(walk.function());
        }
      }
    }
    return functions.get(functions.size() * 2 / 3);
  }

  private static List<List<String>> questions(Made made, Cut cut) {
    List<String> find = cut.oneFunction ? List.of("--find", made.plan.function) : List.of();
    List<List<String>> all = new ArrayList<>();
    for (List<String> more :
        List.of(
            List.of("-n", "0", "--depth", "0"),
            List.of("--depth", "2", "--args", "2"),
            // Above the rows of some functions are sums of all.
            List.of("--flat", "-s", "self", "--format", cut.oneFunction ? "csv" : "text"),
            List.of("--flat", "--format", "json"),
            List.of("--format", "json"),
            List.of("--format", "jsonl"),
            List.of("--format", "csv", "--stacks"),
            List.of("--slowest", "5"),
            List.of("--slowest", "9", "--format", "json"))) {
      all.add(question("calls", made.options, find, more));
    }
    // Files of NTrace have probes of the functions that were called: in the last cut there are
    // none.
    if (!made.whole.toString().endsWith(".jtrc") || !cut.equals(CUTS.getLast())) {
      all.add(List.of("probe", made.program, "FILE", "-x", "quiet"));
    }
    List<String> histogram = List.of("--histogram", made.plan.function);
    all.add(question("calls", made.options, histogram, List.of()));
    all.add(question("calls", made.options, histogram, List.of("--format", "json")));
    if (!cut.oneFunction) {
      for (List<String> more :
          List.of(
              List.<String>of(),
              List.of("-s", "incl", "--format", "json"),
              List.of("--tree", "--min", "0"),
              List.of("--tree", "--format", "json"))) {
        all.add(question("profile", made.options, List.of(), more));
      }
      all.add(question("export", made.options, List.of(), List.of("--to", "collapsed")));
    }
    return all;
  }

  private static List<String> question(
      String command, List<String> options, List<String> find, List<String> more) {
    return Stream.of(List.of(command, "FILE"), options, find, more).flatMap(List::stream).toList();
  }

  private static String answer(List<String> question, Path file) {
    Cli.Result result =
        Cli.run(question.stream().map(word -> word.equals("FILE") ? file : word).toArray());
    String errors =
        result
            .err()
            .lines()
            .filter(line -> !line.contains(MARK))
            .reduce("", (all, line) -> all + line + "\n");
    return result.exit() + "\n" + result.out() + errors;
  }

  private String plain(String answer, Cut cut) {
    String text =
        answer
            .replace(folder + "/small/", "")
            .replace(folder + "/", "")
            .replaceAll("\"omissions\":\\s*\\[[^\\]]*\\],?", "")
            .replaceAll(", a part of another one( \\(without .*?\\)(?=[,\n]|$))?", "")
            .replaceAll("a part of another one( \\(without .*?\\))?, ", "")
            // A probe chooses threads by conditions; this is about all.
            .replaceAll("; [\\d,]+ calls? added up where they happened", "");
    if (!cut.hasTime() && !cut.oneFunction) {
      return text;
    }
    return text.replaceAll(
            "\"(entries|exits|unwinds|abandoned|open|entryOnly|lostEntries|repaired)\": ?\\d+(,\"\\w+\": ?\\d+)*?,\"neverFinalised\"",
            "\"neverFinalised\"")
        .replaceAll("(\"name\":(?:null|\"\\w*\"),\"calls\":)\\d+", "$1")
        .replaceAll("[\\d,]+ repaired", "repaired")
        .replaceAll("(?m)^warning: no (call|time of a) .* in this time range.*\n", "")
        .replaceAll("\"openNotShown\": ?\\d+,", "")
        .replaceAll("; [\\d,]+ calls? open at the end, not included[^;\n]*", "")
        .replaceAll("(?m)^warning: \\S+ [\\d,]+ calls? open at the end, not included.*\n", "")
        .replaceAll("(?m)^warning: \\S+ [\\d,]+ missing records? made up for\n", "")
        .replaceAll("; [\\d,]+ missing records? made up for", "")
        .replaceAll("(?m)^(  |warning: )[\\d,]+ calls? open at the end, not shown.*\n", "")
        .replaceAll("[\\d,]+ open at the end", "open at the end");
  }

  /**
   * Leaves out what took most of a call's time, where the cut tells that it does not have all calls
   * below it.
   */
  private static String withoutShares(String answer, String cut) {
    List<String> lines = new ArrayList<>(answer.lines().toList());
    List<String> told = cut.lines().toList();
    for (int i = 0; i < Math.min(lines.size(), told.size()); i++) {
      if (told.get(i).contains("left out of this part")) {
        lines.set(i, lines.get(i).replaceAll("child calls?; .*", "child calls"));
      }
    }
    return String.join("\n", lines);
  }

  private static String withoutGaps(String answer) {
    return answer
        .lines()
        .filter(line -> !line.contains("could not be read"))
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  private static void same(String before, String after, String what) {
    List<String> expected = before.lines().toList();
    List<String> actual = after.lines().toList();
    for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
      assertEquals(expected.get(i), actual.get(i), what + ", line " + i);
    }
    assertEquals(expected.size(), actual.size(), what);
  }

  /** Compares answers on cuts of a recording: on half of them, but with each cut's turn. */
  private void compare(Path whole, int number) throws IOException {
    for (Cut cut : Slice.of(CUTS.subList(number % 2, CUTS.size()), 3)) {
      Made made = make(whole, cut);
      for (List<String> question : questions(made, cut)) {
        String before = plain(answer(question, made.whole), cut);
        String after = plain(answer(question, made.cut), cut);
        before = withoutShares(before, after);
        after = withoutShares(after, after);
        if (cut.oneThread && question.getFirst().equals("probe")) {
          // It reads all threads, with their gaps, whatever is selected.
          before = withoutGaps(before);
          after = withoutGaps(after);
        }
        same(before, after, whole.getFileName() + " " + cut + " " + question);
        assertFalse(before.isBlank());
      }
    }
  }

  @Test
  void informationAboutACutIsThatAboutTheWhole() throws IOException {
    for (Path whole : CutRecordings.write(folder)) {
      Made made = make(whole, CUTS.get(3));
      JsonReader before = Cli.run("info", made.whole, "--format", "json").json();
      JsonReader after = Cli.run("info", made.cut, "--format", "json").json();
      for (String same :
          List.of("statistics", "unit", "modules", "lost", "untraced", "throttled")) {
        assertEquals(before.get(same).toString(), after.get(same).toString(), whole + same);
      }
      assertEquals(threads(before), threads(after));
      assertEquals(before.get("neverFinalised").toString(), after.get("neverFinalised").toString());
    }
  }

  private static List<String> threads(JsonReader info) {
    return info.get("threads").array().stream()
        .map(thread ->
            "%s %s %s %s"
                .formatted(
                    thread.get("process"),
                    thread.get("pid"),
                    thread.get("tid"),
                    thread.get("name")))
        .toList();
  }

  @Test
  void everyAnswerTellsWhatACutLeavesOut() throws IOException {
    Path whole = CutRecordings.write(folder).getFirst();
    Made made = make(whole, new Cut(30, 70, true, false));
    Plan plan = made.plan;
    String outside = "records outside " + plan.from + " .. " + plan.to;
    for (List<String> question :
        List.of(
            List.of("info", "info", "omissions"),
            List.of("calls", "calls", "omissions"),
            List.of("calls-flat", "calls", "omissions", "--flat"),
            List.of("calls-histogram", "calls", "omissions", "--histogram", "*"),
            List.of("profile", "profile", "omissions"),
            List.of("profile", "profile", "omissions", "--tree"))) {
      List<Object> words = new ArrayList<>(List.of(question.get(1), made.cut, "--format", "json"));
      words.addAll(question.subList(3, question.size()));
      Cli.Result result = Cli.run(words.toArray());
      JsonReader json = result.json();
      assertEquals(List.of(), JsonSchema.named(question.getFirst()).strictFindings(json));
      List<JsonReader> cut = json.get(question.get(2)).array();
      assertEquals(
          List.of(outside, "records of other threads"),
          cut.stream().map(one -> one.get("what").text()).toList());
      assertTrue(cut.stream().allMatch(one -> one.get("records").number() > 0));
    }
    Cli.Result probe =
        Cli.run("probe", "pid*:::entry { @ = count(); }", made.cut, "--format", "json");
    assertEquals(List.of(), JsonSchema.named("probe").strictFindings(probe.json()));
    assertEquals(2, probe.json().get("omissions").array().size());
    assertTrue(Cli.run("info", made.cut).out().contains("  " + MARK + ", without "));
    for (String command : List.of("calls", "profile", "export", "probe")) {
      List<Object> words = new ArrayList<>(List.of(command));
      words.addAll(
          switch (command) {
            case "export" -> List.of(made.cut, "--to", "collapsed");
            case "probe" -> List.of("pid*:::entry { @ = count(); }", made.cut);
            default -> List.of(made.cut);
          });
      String errors = Cli.run(words.toArray()).err();
      assertTrue(errors.contains(MARK + ", without "), command + ": " + errors);
      assertTrue(errors.contains(outside + ", "), errors);
    }
    assertFalse(Cli.run("calls", whole).err().contains(MARK));
    assertFalse(Cli.run("calls", whole, "--format", "json").json().has("omissions"));
  }

  @Test
  void aComparisonOfACutWithTheWholeFindsNothing() throws IOException {
    Path whole = CutRecordings.write(folder).get(2);
    for (Cut cut : CUTS.subList(1, 6)) {
      Made made = make(whole, cut);
      List<Object> words = new ArrayList<>(List.of("diff", whole, made.cut, "-n", "0"));
      words.addAll(made.options);
      words.addAll(List.of("--format", "json"));
      JsonReader json = Cli.run(words.toArray()).json();
      List<JsonReader> rows = json.get("rows").array();
      assertFalse(rows.isEmpty());
      for (JsonReader row : rows) {
        for (String weight : List.of("Self", "Inclusive")) {
          assertEquals(row.get("before" + weight).number(), row.get("after" + weight).number());
        }
      }
    }
  }

  @Test
  void answersOnACutAreThoseOnTheWhole() throws IOException {
    List<Path> recordings = CutRecordings.write(folder);
    for (int i = 0; i < recordings.size(); i++) {
      compare(recordings.get(i), i);
    }
  }
}

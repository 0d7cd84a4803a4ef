package io.ntrail.cli.stacks;

import io.ntrail.analysis.model.WrittenTime;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import picocli.CommandLine.ParseResult;

/**
 * Request for stacks of a recording of events.
 *
 * @param parsed the words
 * @param file the first file, for proposals
 * @param format of the answer
 * @param at nanoseconds since the start, if stacks of a time are meant
 * @param processes names or ids
 * @param threads ids
 * @param events names
 * @param range time range of frequent stacks
 * @param top number of frequent stacks; 0 for all
 */
record RecordedRequest(
    ParseResult parsed,
    Path file,
    Format format,
    OptionalLong at,
    List<NamePattern> processes,
    List<NamePattern> threads,
    List<NamePattern> events,
    TimeRange range,
    int top) {
  private static final int USUAL_TOP = 5;

  static RecordedRequest of(List<Path> paths, ParseResult parsed) {
    String command = "ntrail stacks " + ShellWords.file(paths.getFirst());
    boolean atTime = CommonOptions.has(parsed, "--at");
    if (!atTime && !CommonOptions.has(parsed, "-e")) {
      throw new UsageError(
          "stacks of a recording need --at TIME or -e EVENT", command + " -e FileIo/Read --top 5");
    }
    for (String option : atTime ? List.of("--top", "--time") : List.of("--all", "--same")) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            atTime ? option + " and --at exclude each other" : option + " needs --at",
            command + (atTime ? " -e FileIo/Read " + example(option) : " --at 0.5 " + option));
      }
    }
    long top = CommonOptions.number(parsed, "--top", USUAL_TOP);
    return new RecordedRequest(
        parsed,
        paths.getFirst(),
        CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV),
        atTime
            ? OptionalLong.of(time(CommonOptions.text(parsed, "--at", "")))
            : OptionalLong.empty(),
        CommonOptions.owners(parsed, "-p", "'shop*'"),
        CommonOptions.owners(parsed, "-t", "4316"),
        CommonOptions.patterns(parsed, "-e", "'FileIo/*'"),
        TimeRange.parse(CommonOptions.text(parsed, "--time", "..")),
        (int) Math.min(top, Integer.MAX_VALUE));
  }

  private static String example(String option) {
    return option.equals("--top") ? "--top 5" : "--time 0.5..0.6";
  }

  private static long time(String text) {
    try {
      return WrittenTime.parse(text).nanos();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new UsageError("--at takes a time, not " + text, "--at 1.5 or --at 10ms");
    }
  }

  /** Returns whether stacks of a time are meant. */
  boolean isAtTime() {
    return at.isPresent();
  }

  /** Returns whether stacks of all threads are meant, each once or equal ones together. */
  boolean isOfThreads() {
    return isSame()
        || CommonOptions.has(parsed, "--all")
        || !processes.isEmpty()
        || !threads.isEmpty();
  }

  /** Returns whether equal stacks are shown once. */
  boolean isSame() {
    return CommonOptions.has(parsed, "--same");
  }

  boolean hasInline() {
    return !CommonOptions.has(parsed, "--no-inline");
  }

  boolean isText() {
    return format == Format.TEXT;
  }

  /** Returns whether the answer is rows and nothing else. */
  boolean isOfRows() {
    return format == Format.CSV || format == Format.JSONL;
  }

  /** Returns whether the number of stacks was asked for. */
  boolean hasTop() {
    return CommonOptions.has(parsed, "--top");
  }

  /** Returns whether more than one option selects stacks. */
  boolean isNarrowed() {
    int kinds = processes.isEmpty() ? 0 : 1;
    kinds += threads.isEmpty() ? 0 : 1;
    kinds += events.isEmpty() ? 0 : 1;
    return kinds > 1 || !range.whole();
  }

  /** Returns whether no option selects stacks. */
  boolean isAll() {
    return processes.isEmpty() && threads.isEmpty() && events.isEmpty() && range.whole();
  }

  /** Returns the selection as the first line repeats it. */
  String asked() {
    List<String> asked = new ArrayList<>();
    if (processes.isEmpty()) {
      asked.add("all processes");
    }
    processes.forEach(pattern -> asked.add(pattern.toString()));
    threads.forEach(pattern -> asked.add("thread " + pattern));
    events.forEach(pattern -> asked.add(pattern.toString()));
    return String.join(", ", asked);
  }
}

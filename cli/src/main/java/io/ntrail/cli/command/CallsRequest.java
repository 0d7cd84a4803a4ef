package io.ntrail.cli.command;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.events.Pattern;
import io.ntrail.cli.command.Options.Format;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * Which calls were asked for, and how they are shown.
 *
 * @param processes names or numbers; empty for all
 * @param threads names or numbers; empty for all
 * @param time as typed
 * @param depth calls inside of fewer than these are shown; 0 for all
 * @param find routines that are meant; null for all
 * @param slowest how many; only of {@link Look#SLOWEST}
 * @param limit rows at most; 0 for all
 */
record CallsRequest(
    List<Pattern> processes,
    List<Pattern> threads,
    String time,
    long depth,
    @Nullable Pattern find,
    Look look,
    long slowest,
    Sort sort,
    long limit,
    Format format) {
  private static final long DEFAULT_LIMIT = 20;

  /** How calls are shown. */
  enum Look {
    TREE,
    FLAT,
    SLOWEST
  }

  /** What rows of routines are sorted by. */
  enum Sort {
    TOTAL,
    SELF,
    CALLS,
    MAX
  }

  static CallsRequest of(ParseResult parsed) {
    Format format = Options.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV);
    boolean flat = Options.has(parsed, "--flat");
    boolean slow = Options.has(parsed, "--slowest");
    if (flat && slow) {
      throw new UsageError("one of --flat and --slowest at a time", "--flat");
    }
    if (flat && Options.has(parsed, "--depth")) {
      throw new UsageError("--flat adds up calls of every depth", "--flat -n 10");
    }
    long slowest = Options.number(parsed, "--slowest", 10);
    if (slow && (slowest == 0 || slowest > 1_000_000)) {
      throw new UsageError("--slowest takes 1 to 1,000,000, not " + slowest, "--slowest 10");
    }
    return new CallsRequest(
        patterns(parsed, "-p"),
        patterns(parsed, "-t"),
        Options.text(parsed, "--time", ".."),
        Options.number(parsed, "--depth", 0),
        Options.has(parsed, "--find") ? patterns(parsed, "--find").getFirst() : null,
        flat ? Look.FLAT : slow ? Look.SLOWEST : Look.TREE,
        slowest,
        sort(Options.text(parsed, "-s", "total")),
        Options.number(parsed, "-n", format == Format.TEXT && !slow ? DEFAULT_LIMIT : 0),
        format);
  }

  private static Sort sort(String text) {
    for (Sort sort : Sort.values()) {
      if (sort.name().equalsIgnoreCase(text)) {
        return sort;
      }
    }
    throw new UsageError("-s takes total, self, calls or max, not " + text, "-s self");
  }

  private static List<Pattern> patterns(ParseResult parsed, String option) {
    List<Pattern> patterns = new ArrayList<>();
    for (String text : Options.all(parsed, option)) {
      try {
        patterns.add(Pattern.of(text));
      } catch (IllegalArgumentException e) {
        throw new UsageError(String.valueOf(e.getMessage()), option + " 'ntdll!Rtl*'");
      }
    }
    return patterns;
  }

  /** The threads that are meant, by their place in the source. */
  List<Integer> threadsOf(CallRecording recording) {
    List<Integer> chosen = new ArrayList<>();
    List<CallThread> all = recording.source().threads();
    for (int i = 0; i < all.size(); i++) {
      CallThread thread = all.get(i);
      if (means(processes, thread.pid(), thread.process())
          && means(threads, thread.tid(), thread.name())) {
        chosen.add(i);
      }
    }
    if (chosen.isEmpty() && !(processes.isEmpty() && threads.isEmpty())) {
      String asked = String.join(", ", asked());
      throw new CannotGoOn(
          "no thread of " + recording.source().name() + " is " + asked,
          all.isEmpty()
              ? "ntrail info " + recording.source().name()
              : "-t " + Long.toUnsignedString(all.getFirst().tid()));
    }
    return chosen;
  }

  private static boolean means(List<Pattern> patterns, long id, @Nullable String name) {
    return patterns.isEmpty()
        || patterns.stream()
            .anyMatch(pattern ->
                pattern.matches(Long.toUnsignedString(id))
                    || pattern.matches(Numbers.hex(id))
                    || name != null && pattern.meansProgram(name));
  }

  /** What was asked for, for the first line; empty for everything. */
  List<String> asked() {
    List<String> asked = new ArrayList<>();
    processes.forEach(pattern -> asked.add("process " + pattern));
    threads.forEach(pattern -> asked.add("thread " + pattern));
    return asked;
  }

  /**
   * From when to when, in the unit of a clock.
   *
   * @param nanos whether times are seconds as people write them; else they are ticks
   */
  TimeRange range(boolean nanos) {
    if (nanos || time.equals("..")) {
      return TimeRange.parse(time);
    }
    int dots = time.indexOf("..");
    if (dots < 0) {
      throw new UsageError("--time takes FROM..TO, not " + time, "--time 1000..2000");
    }
    TimeRange range =
        new TimeRange(
            ticks(time.substring(0, dots), Long.MIN_VALUE),
            ticks(time.substring(dots + 2), Long.MAX_VALUE));
    if (range.fromNanos() > range.toNanos()) {
      throw new UsageError("--time " + time + " ends before it begins", "--time 1000..2000");
    }
    return range;
  }

  private static long ticks(String text, long otherwise) {
    try {
      return text.isEmpty() ? otherwise : Long.parseLong(text.replace(",", "").strip());
    } catch (NumberFormatException e) {
      throw new UsageError(
          "this recording has no seconds, only ticks: no time: " + text,
          "--time 2140883617873..2140885000000");
    }
  }
}

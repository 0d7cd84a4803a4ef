package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.model.WrittenTime;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.ShellWords;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * Filter of calls.
 *
 * @param processes names or numbers; empty for all
 * @param threads names or numbers; empty for all
 * @param time as typed
 * @param find routines; null for all
 * @param findOption the option that names them
 * @param longer as typed: only calls that took longer; null for all
 */
public record CallFilter(
    List<NamePattern> processes,
    List<NamePattern> threads,
    String time,
    @Nullable NamePattern find,
    String findOption,
    @Nullable String longer) {

  public static CallFilter of(ParseResult parsed) {
    List<NamePattern> find = new ArrayList<>();
    find.addAll(CommonOptions.patterns(parsed, "--find", "'ntdll!Rtl*'"));
    find.addAll(CommonOptions.patterns(parsed, "--histogram", "'shopcore!*Match*'"));
    return new CallFilter(
        CommonOptions.owners(parsed, "-p", "'shop*'"),
        CommonOptions.owners(parsed, "-t", "4316"),
        CommonOptions.text(parsed, "--time", ".."),
        find.isEmpty() ? null : find.getFirst(),
        CommonOptions.has(parsed, "--histogram") ? "--histogram" : "--find",
        CommonOptions.has(parsed, "--longer") ? CommonOptions.text(parsed, "--longer", "") : null);
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
      String asked = String.join(", ", owners());
      throw CannotGoOn.notFound(
          "no thread of " + recording.source().name() + " is " + asked,
          recording.gaps(),
          all.isEmpty()
              ? "ntrail info " + ShellWords.file(recording.source().name())
              : "-t " + Long.toUnsignedString(all.getFirst().tid()));
    }
    return chosen;
  }

  private static boolean means(List<NamePattern> patterns, long id, @Nullable String name) {
    return patterns.isEmpty()
        || patterns.stream()
            .anyMatch(pattern ->
                pattern.matches(Long.toUnsignedString(id))
                    || pattern.matches(Numbers.hex(id))
                    || name != null && pattern.meansProgram(name));
  }

  private List<String> owners() {
    List<String> owners = new ArrayList<>();
    processes.forEach(pattern -> owners.add("process " + pattern));
    threads.forEach(pattern -> owners.add("thread " + pattern));
    return owners;
  }

  /** Returns the filter, without its time range, for the first line. */
  List<String> asked() {
    List<String> asked = owners();
    if (asked.isEmpty()) {
      asked.add("all threads");
    }
    if (find != null) {
      asked.add(find.toString());
    }
    if (longer != null) {
      asked.add("longer than " + longer);
    }
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

  /**
   * Returns the duration that a call must exceed, in the unit of a clock; -1 if any will do.
   *
   * @param nanos whether the unit is nanoseconds; else it is ticks
   */
  long least(boolean nanos) {
    String text = longer;
    if (text == null) {
      return -1;
    }
    try {
      if (nanos) {
        WrittenTime time = WrittenTime.parse(text);
        if (time.hasUnit() && time.number().signum() >= 0) {
          return time.nanos();
        }
      } else {
        long ticks = Long.parseLong(text.replace(",", "").strip());
        if (ticks >= 0) {
          return ticks;
        }
      }
    } catch (NumberFormatException | ArithmeticException e) {
      // Said below.
    }
    throw nanos
        ? new UsageError(
            "--longer takes a duration with a unit (ns us ms s), not " + text, "--longer 5ms")
        : new UsageError(
            "--longer takes a number of ticks (this recording has no seconds), not " + text,
            "--longer 100000");
  }

  private static long ticks(String text, long otherwise) {
    try {
      return text.isEmpty() ? otherwise : Long.parseLong(text.replace(",", "").strip());
    } catch (NumberFormatException e) {
      throw new UsageError(
          "not a time (this recording has ticks, not seconds): " + text,
          "--time 2140883617873..2140885000000");
    }
  }
}

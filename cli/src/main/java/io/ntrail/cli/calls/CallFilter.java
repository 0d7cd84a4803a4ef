package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallThread;
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
 */
public record CallFilter(
    List<NamePattern> processes,
    List<NamePattern> threads,
    String time,
    @Nullable NamePattern find) {

  public static CallFilter of(ParseResult parsed) {
    List<NamePattern> find = CommonOptions.patterns(parsed, "--find", "'ntdll!Rtl*'");
    return new CallFilter(
        CommonOptions.owners(parsed, "-p", "'shop*'"),
        CommonOptions.owners(parsed, "-t", "4316"),
        CommonOptions.text(parsed, "--time", ".."),
        find.isEmpty() ? null : find.getFirst());
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
      throw new CannotGoOn(
          "no thread of " + recording.source().name() + " is " + asked,
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
          "not a time (this recording has ticks, not seconds): " + text,
          "--time 2140883617873..2140885000000");
    }
  }
}

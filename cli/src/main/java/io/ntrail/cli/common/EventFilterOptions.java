package io.ntrail.cli.common;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.FilterExpression;
import io.ntrail.formats.bytes.ShellWords;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** Options that select events: by process, thread, name, time, CPU and condition. */
public final class EventFilterOptions {
  private static final int MOST_CPUS = 1 << 16;

  private static final List<String> OPTIONS =
      List.of("--time", "-p", "-t", "-e", "--cpu", "--where");

  private EventFilterOptions() {}

  /** Adds the options. */
  public static void add(CommandSpec spec) {
    spec.addOption(
        CommonOptions.values("NAME|PID", "only events of this process", "-p", "--process"));
    spec.addOption(
        CommonOptions.values("NAME|TID", "only events of this thread", "-t", "--thread"));
    spec.addOption(
        CommonOptions.values(
            "PATTERN",
            "only events of this name: FileIo/*, /regular expression/",
            "-e",
            "--event"));
    spec.addOption(CommonOptions.value("FROM..TO", "only this time range, in seconds", "--time"));
    spec.addOption(CommonOptions.value("LIST", "only events of these CPUs: 0,2-5", "--cpu"));
    spec.addOption(
        CommonOptions.value(
            "CONDITION",
            "only events whose fields satisfy the condition: 'size > 65536'",
            "--where"));
  }

  /** Returns the filter that the options make, but for the time. */
  public static EventFilter filter(ParseResult parsed) {
    EventFilter.Builder filter = new EventFilter.Builder();
    understood("-p shopd.exe", () -> CommonOptions.names(parsed, "-p").forEach(filter::process));
    understood("-t 4316", () -> CommonOptions.names(parsed, "-t").forEach(filter::thread));
    understood("-e 'FileIo/*'", () -> CommonOptions.all(parsed, "-e").forEach(filter::event));
    if (CommonOptions.has(parsed, "--where")) {
      understood(
          "--where 'size > 65536 and path =~ *.db'",
          () -> filter.where(FilterExpression.parse(CommonOptions.text(parsed, "--where", ""))));
    }
    if (CommonOptions.has(parsed, "--cpu")) {
      filter.cpus(cpus(CommonOptions.text(parsed, "--cpu", "")));
    }
    return filter.build();
  }

  /**
   * Returns the options that select events, as words of a command line; empty if there are none.
   */
  public static String words(ParseResult parsed) {
    List<String> words = new ArrayList<>();
    for (String option : OPTIONS) {
      if (CommonOptions.has(parsed, option)) {
        CommonOptions.all(parsed, option)
            .forEach(value -> {
              words.add(option);
              words.add(ShellWords.of(value));
            });
      }
    }
    return String.join(" ", words);
  }

  /** Returns true if more than one of the options is given. */
  public static boolean areSeveral(ParseResult parsed) {
    return OPTIONS.stream().filter(option -> CommonOptions.has(parsed, option)).count() > 1;
  }

  /** Turns what makes no sense into wrong usage, with an example that does. */
  private static void understood(String example, Runnable read) {
    try {
      read.run();
    } catch (IllegalArgumentException e) {
      throw new UsageError(String.valueOf(e.getMessage()), example);
    }
  }

  /**
   * Reads numbers of CPUs.
   *
   * @param list as {@code --cpu} has it: {@code 0,2-5}
   */
  public static BitSet cpus(String list) {
    BitSet cpus = new BitSet();
    try {
      for (String part : list.split(",", -1)) {
        int dash = part.indexOf('-', 1);
        int first = Integer.parseInt((dash < 0 ? part : part.substring(0, dash)).strip());
        int last = dash < 0 ? first : Integer.parseInt(part.substring(dash + 1).strip());
        if (first < 0 || last < first || last >= MOST_CPUS) {
          throw new NumberFormatException(part);
        }
        cpus.set(first, last + 1);
      }
      return cpus;
    } catch (NumberFormatException e) {
      throw new UsageError("--cpu takes numbers, not " + list, "--cpu 0,2-5");
    }
  }
}

package io.ntrail.cli.pt.driver;

import io.ntrail.analysis.model.WrittenTime;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.pt.IptOptions;
import io.ntrail.formats.pt.TraceTiming;
import io.ntrail.live.ipt.AddressRange;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Trace of a running program that is asked for.
 *
 * @param process name or id of the program
 * @param options of the driver
 * @param nanos after which it ends; the largest number: it ends with the program, or Ctrl+C
 * @param ranges of addresses that its threads are given
 * @param threads that get them; empty: all that there are
 * @param takesOver whether a trace of the program that runs is ended
 */
public record DriverRequest(
    String process,
    IptOptions options,
    long nanos,
    List<AddressRange> ranges,
    List<Long> threads,
    boolean takesOver) {
  private static final String FOR = "--for";
  private static final String BUFFER = "--buffer";
  private static final String STOP_AT = "--stop-at";
  private static final String TAKE_OVER = "--take-over";

  /** Its options, which no other question has. */
  public static final List<String> OPTIONS =
      List.of(FOR, BUFFER, "--timing", "--mtc", "--cyc", STOP_AT, TAKE_OVER);

  /** A command line that works. */
  public static final String EXAMPLE = "ntrail pt record -p shopd.exe --for 2s -o shop.bin";

  private static final OptionValues<TraceTiming> TIMINGS =
      OptionValues.of("--timing", List.of(TraceTiming.values()));

  private static final long LEAST = 4096;
  private static final long MOST = LEAST << 15;
  private static final int DEFAULT_BUFFER = 1 << 16;
  private static final int DEFAULT_MTC = 3;
  private static final int MOST_SETTING = 15;

  /** Keeps the lists from changes. */
  public DriverRequest {
    ranges = List.copyOf(ranges);
    threads = List.copyOf(threads);
  }

  /** Adds its options. */
  public static void options(CommandSpec spec) {
    spec.addOption(CommonOptions.value("TIME", "record: ends after this time: 10s, 500ms", FOR));
    spec.addOption(
        CommonOptions.value(
            "SIZE", "record: last packets of each thread, 4K to 128M (default 64K)", BUFFER));
    spec.addOption(
        CommonOptions.oneOf(
            TIMINGS.words(), "PACKETS", "record: packets of time (default mtc)", TIMINGS.option()));
    spec.addOption(
        CommonOptions.value("N", "record: an MTC every 2^N ticks, 0 to 15 (default 3)", "--mtc"));
    spec.addOption(
        CommonOptions.value("N", "record: threshold of CYC, 0 to 15 (default 0)", "--cyc"));
    spec.addOption(
        CommonOptions.values(
            "FROM-TO", "record: a thread's trace stops when it runs code here", STOP_AT));
    spec.addOption(CommonOptions.flag("record: ends a trace of the program that runs", TAKE_OVER));
  }

  /**
   * Returns what the options ask for.
   *
   * @param only ranges outside which nothing is traced
   * @throws UsageError if it cannot be had
   */
  public static DriverRequest of(
      ParseResult parsed, List<AddressRange> only, List<AddressRange> stops, List<Long> threads) {
    List<String> process = CommonOptions.all(parsed, "-p");
    if (process.size() != 1) {
      throw new UsageError("pt record needs one running program: -p NAME|PID", EXAMPLE);
    }
    List<AddressRange> ranges = Stream.concat(only.stream(), stops.stream()).toList();
    if (ranges.size() > AddressRange.MOST) {
      throw new UsageError(
          "%d ranges of addresses; processors have at most %d"
              .formatted(ranges.size(), AddressRange.MOST),
          "--filter 0x401000-0x4fffff");
    }
    if (ranges.isEmpty() && !threads.isEmpty()) {
      throw new UsageError(
          "pt record traces all threads; -t chooses those that get the ranges of --filter",
          EXAMPLE + " --filter 0x401000-0x4fffff -t 4316");
    }
    return new DriverRequest(
        process.getFirst(),
        driver(parsed),
        nanos(parsed),
        ranges,
        threads,
        CommonOptions.has(parsed, TAKE_OVER));
  }

  /** Returns the words of the ranges at which a trace stops. */
  public static List<String> stops(ParseResult parsed) {
    return CommonOptions.all(parsed, STOP_AT);
  }

  private static IptOptions driver(ParseResult parsed) {
    TraceTiming timing = TIMINGS.value(parsed, TraceTiming.MTC);
    boolean hasMtc = CommonOptions.has(parsed, "--mtc");
    boolean hasCyc = CommonOptions.has(parsed, "--cyc");
    if (hasMtc && timing == TraceTiming.NONE || hasCyc && timing != TraceTiming.CYC) {
      throw new UsageError(
          (hasCyc ? "--cyc" : "--mtc") + " is of packets that --timing leaves out",
          EXAMPLE + " --timing cyc");
    }
    int mtc = timing == TraceTiming.NONE ? 0 : setting(parsed, "--mtc", DEFAULT_MTC);
    return IptOptions.ofProcess(timing, mtc, setting(parsed, "--cyc", 0), buffer(parsed));
  }

  private static int setting(ParseResult parsed, String option, int otherwise) {
    long value = CommonOptions.number(parsed, option, otherwise);
    if (value > MOST_SETTING) {
      throw new UsageError(option + " takes 0 to 15, not " + value, option + " " + otherwise);
    }
    return (int) value;
  }

  private static long buffer(ParseResult parsed) {
    if (!CommonOptions.has(parsed, BUFFER)) {
      return DEFAULT_BUFFER;
    }
    long size = CommonOptions.size(parsed, BUFFER);
    if (size < LEAST || size > MOST || Long.bitCount(size) != 1) {
      throw new UsageError(
          BUFFER
              + " takes a power of two, 4K to 128M, not "
              + CommonOptions.text(parsed, BUFFER, ""),
          BUFFER + " 64K");
    }
    return size;
  }

  private static long nanos(ParseResult parsed) {
    if (!CommonOptions.has(parsed, FOR)) {
      return Long.MAX_VALUE;
    }
    String text = CommonOptions.text(parsed, FOR, "");
    long nanos;
    try {
      nanos = WrittenTime.parse(text).nanos();
    } catch (ArithmeticException | NumberFormatException e) {
      nanos = 0;
    }
    if (nanos <= 0) {
      throw new UsageError(FOR + " takes a time, not " + text, FOR + " 10s");
    }
    return nanos;
  }
}

package io.ntrail.cli.calls;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import java.util.List;
import picocli.CommandLine.ParseResult;

/**
 * Request of {@code ntrail calls}.
 *
 * @param depth calls inside of fewer than these are shown; 0 for all
 * @param slowest how many; only of {@link Look#SLOWEST}
 * @param limit rows at most; 0 for all
 * @param arguments so many of those that are recorded are shown on the screen, 0 to 32
 * @param stacks whether recorded callers are shown
 */
record CallsRequest(
    CallFilter choice,
    long depth,
    Look look,
    long slowest,
    Sort sort,
    long limit,
    int arguments,
    boolean stacks,
    Format format) {
  /** Number of arguments in registers; more of them are wider than most screens. */
  private static final long DEFAULT_ARGUMENTS = 4;

  /** No recording has more. */
  private static final long MOST_ARGUMENTS = 32;

  /** Kind of view. */
  enum Look {
    TREE,
    FLAT,
    SLOWEST,
    /** Numbers of calls of some routines by their durations. */
    HISTOGRAM
  }

  /** Sort key of the rows of routines. */
  enum Sort {
    TOTAL,
    SELF,
    CALLS,
    MAX
  }

  /** Returns whether calls are only added up: one pass over the records is enough. */
  boolean isSum() {
    return look == Look.FLAT || look == Look.HISTOGRAM;
  }

  static CallsRequest of(ParseResult parsed, Terminal terminal) {
    Format format =
        CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV);
    boolean flat = CommonOptions.has(parsed, "--flat");
    boolean slow = CommonOptions.has(parsed, "--slowest");
    boolean histogram = CommonOptions.has(parsed, "--histogram");
    alone(parsed, "--histogram", List.of("--flat", "--slowest", "--find", "--depth", "--longer"));
    alone(parsed, "--longer", List.of("--flat"));
    if (flat && slow) {
      throw new UsageError("--flat and --slowest exclude each other", "--flat");
    }
    if (flat && CommonOptions.has(parsed, "--depth")) {
      throw new UsageError("--flat and --depth exclude each other", "--flat -n 10");
    }
    if (flat && CommonOptions.has(parsed, "--args")) {
      throw new UsageError("--flat and --args exclude each other", "--flat -n 10");
    }
    if (flat && CommonOptions.has(parsed, "--stacks")) {
      throw new UsageError("--flat and --stacks exclude each other", "--stacks -n 10");
    }
    long arguments = CommonOptions.number(parsed, "--args", DEFAULT_ARGUMENTS);
    if (arguments > MOST_ARGUMENTS) {
      throw new UsageError("--args takes 0 to 32, not " + arguments, "--args 12");
    }
    long slowest = CommonOptions.number(parsed, "--slowest", 10);
    if (slow && (slowest == 0 || slowest > 1_000_000)) {
      throw new UsageError("--slowest takes 1 to 1,000,000, not " + slowest, "--slowest 10");
    }
    return new CallsRequest(
        CallFilter.of(parsed),
        CommonOptions.number(parsed, "--depth", 0),
        flat ? Look.FLAT : slow ? Look.SLOWEST : histogram ? Look.HISTOGRAM : Look.TREE,
        slowest,
        OptionValues.of("-s", List.of(Sort.values()))
            .ignoringCase()
            .example("self")
            .value(parsed, Sort.TOTAL),
        slow
            ? CommonOptions.number(parsed, "-n", 0)
            : CommonOptions.limit(parsed, format, terminal),
        (int) arguments,
        CommonOptions.has(parsed, "--stacks"),
        format);
  }

  /** Refuses an option beside others that it cannot be had with. */
  private static void alone(ParseResult parsed, String option, List<String> others) {
    for (String other : others) {
      if (CommonOptions.has(parsed, option) && CommonOptions.has(parsed, other)) {
        throw new UsageError(
            option + " and " + other + " exclude each other",
            option + " " + ShellWords.of(CommonOptions.all(parsed, option).getFirst()));
      }
    }
  }

  /** Returns whether calls of a depth are shown. */
  boolean shows(int depth) {
    return this.depth == 0 || depth < this.depth;
  }
}

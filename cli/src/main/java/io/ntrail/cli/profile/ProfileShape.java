package io.ntrail.cli.profile;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ParseResult;

/**
 * How a profile is shown.
 *
 * @param by what rows are of
 * @param bySelf whether rows are sorted by their own weight
 * @param least percent that a row must have
 * @param limit rows; 0 for all
 * @param format one of {@link #FORMATS}
 */
public record ProfileShape(
    Look look, String by, boolean bySelf, double least, long limit, String format) {
  static final List<String> FORMATS = List.of("text", "json", "jsonl", "csv", "collapsed");

  private static final List<String> KEYS =
      List.of("function", "module", "line", "process", "thread", "cpu");
  private static final long DEFAULT_LIMIT = 20;

  /** What is shown. */
  public enum Look {
    FLAT,
    TREE,
    BOTTOM_UP,
    CALLERS,
    ZOOM
  }

  static ProfileShape of(ParseResult parsed) {
    String format = CommonOptions.text(parsed, "--format", "text");
    if (!FORMATS.contains(format)) {
      throw new UsageError(
          "--format takes text, json, jsonl, csv or collapsed, not " + format, "--format json");
    }
    String by = CommonOptions.text(parsed, "--by", "function");
    if (!KEYS.contains(by)) {
      throw new UsageError(
          "--by takes function, module, line, process, thread or cpu, not " + by, "--by module");
    }
    String sort = CommonOptions.text(parsed, "-s", "self");
    if (!List.of("self", "incl", "inclusive").contains(sort)) {
      throw new UsageError("-s takes self or incl, not " + sort, "-s incl");
    }
    Look look = look(parsed, format);
    if (look != Look.FLAT && !ofStacks(by)) {
      throw new UsageError(
          "stacks are of functions, lines or modules, not by " + by, "--by module");
    }
    if (look == Look.ZOOM) {
      alone(parsed);
    }
    return new ProfileShape(
        look,
        by,
        sort.equals("self"),
        percent(parsed),
        CommonOptions.number(parsed, "-n", format.equals("text") ? DEFAULT_LIMIT : 0),
        format);
  }

  /** All stacks, from the process down, of functions, lines or modules. */
  public static ProfileShape tree(ParseResult parsed) {
    return new ProfileShape(Look.TREE, functions(parsed), true, 0, 0, "");
  }

  /** All functions, lines or modules. */
  public static ProfileShape flat(ParseResult parsed) {
    return new ProfileShape(Look.FLAT, functions(parsed), true, 0, 0, "");
  }

  private static String functions(ParseResult parsed) {
    String by = CommonOptions.text(parsed, "--by", "function");
    if (!ofStacks(by)) {
      throw new UsageError("--by takes function, line or module, not " + by, "--by module");
    }
    return by;
  }

  private static Look look(ParseResult parsed, String format) {
    List<Look> looks = new ArrayList<>();
    if (CommonOptions.has(parsed, "--tree")) {
      looks.add(Look.TREE);
    }
    if (CommonOptions.has(parsed, "--bottom-up")) {
      looks.add(Look.BOTTOM_UP);
    }
    if (CommonOptions.has(parsed, "--callers")) {
      looks.add(Look.CALLERS);
    }
    if (CommonOptions.has(parsed, "-z")) {
      looks.add(Look.ZOOM);
    }
    if (looks.size() > 1) {
      throw new UsageError("one of --tree, --bottom-up, --callers and -z at a time", "--tree");
    }
    if (format.equals("collapsed")) {
      if (!looks.isEmpty() && looks.getFirst() != Look.TREE) {
        throw new UsageError("collapsed stacks are whole ones", "--format collapsed");
      }
      return Look.TREE;
    }
    return looks.isEmpty() ? Look.FLAT : looks.getFirst();
  }

  /** Hits have no stacks. */
  private static void alone(ParseResult parsed) {
    List<String> others = new ArrayList<>(FrameOptions.given(parsed));
    for (String option : List.of("--by", "-s")) {
      if (CommonOptions.has(parsed, option)) {
        others.add(option);
      }
    }
    if (!others.isEmpty()) {
      throw new UsageError(
          "-z counts hits without their stacks: no " + others.getFirst(), "-z ntdll");
    }
  }

  private static double percent(ParseResult parsed) {
    return percent(parsed, "0");
  }

  /** What {@code --min} says. */
  public static double percent(ParseResult parsed, String otherwise) {
    String text = CommonOptions.text(parsed, "--min", otherwise);
    try {
      double percent = Double.parseDouble(text.replace("%", "").strip());
      if (percent >= 0 && percent <= 100) {
        return percent;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new UsageError("--min takes a percentage, not " + text, "--min 1%");
  }

  /** The least weight that a row must have. */
  long leastOf(long total) {
    return (long) Math.ceil(total * least / 100);
  }

  /** Whether rows are of processes, threads or CPUs. */
  boolean byOwner() {
    return !ofStacks(by);
  }

  private static boolean ofStacks(String by) {
    return by.equals("function") || by.equals("module") || by.equals("line");
  }

  boolean byModule() {
    return by.equals("module");
  }

  boolean byLine() {
    return by.equals("line");
  }

  boolean byThread() {
    return by.equals("thread");
  }
}

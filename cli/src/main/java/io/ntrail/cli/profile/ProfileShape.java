package io.ntrail.cli.profile;

import io.ntrail.analysis.profile.OwnerProfile;
import io.ntrail.analysis.profile.WeightSubject;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ParseResult;

/**
 * View of a profile.
 *
 * @param by what rows are of
 * @param bySelf whether rows are sorted by their own weight
 * @param least percent that a row must have
 * @param limit rows, of trees lines; 0 for all
 * @param format of the answer
 */
public record ProfileShape(
    Look look, By by, boolean bySelf, double least, long limit, Format format) {
  static final OptionValues<Format> FORMATS =
      OptionValues.of("--format", List.of(Format.values())).example("json");

  /** Percent that a branch of a tree has at least on a terminal. */
  private static final String LEAST_OF_SCREEN = "1";

  /** Subject of the rows. */
  public enum By {
    FUNCTION,
    MODULE,
    LINE,
    PROCESS,
    THREAD,
    CPU,
    FILE,
    TYPE;

    /** Returns the word for it in options and headings. */
    public String text() {
      return OptionValues.word(this);
    }

    private boolean isOfStacks() {
      return this == FUNCTION || this == MODULE || this == LINE;
    }
  }

  /** Kind of view. */
  public enum Look {
    FLAT,
    TREE,
    BOTTOM_UP,
    CALLERS,
    ZOOM
  }

  static ProfileShape of(ParseResult parsed, Terminal terminal) {
    Format format = FORMATS.value(parsed, Format.TEXT);
    By by =
        OptionValues.of("--by", List.of(By.values())).example("module").value(parsed, By.FUNCTION);
    boolean bySelf = bySelf(parsed);
    Look look = look(parsed, format);
    if (look != Look.FLAT && !by.isOfStacks()) {
      throw new UsageError(
          "stacks can be shown by function, line or module, not by " + by.text(), "--by module");
    }
    if (look == Look.ZOOM) {
      alone(parsed);
    }
    if (format == Format.COLLAPSED) {
      whole(parsed);
    }
    boolean isTree = look == Look.TREE || look == Look.BOTTOM_UP;
    boolean onScreen = CommonOptions.isOnScreen(parsed, format, terminal);
    return new ProfileShape(
        look,
        by,
        bySelf,
        percent(parsed, isTree && onScreen ? LEAST_OF_SCREEN : "0"),
        CommonOptions.limit(parsed, format, terminal),
        format);
  }

  /** All stacks, from the process down, of functions, lines or modules. */
  public static ProfileShape tree(ParseResult parsed) {
    return new ProfileShape(Look.TREE, functions(parsed), true, 0, 0, Format.TEXT);
  }

  /** All functions, lines or modules. */
  public static ProfileShape flat(ParseResult parsed) {
    return new ProfileShape(Look.FLAT, functions(parsed), true, 0, 0, Format.TEXT);
  }

  private static By functions(ParseResult parsed) {
    return OptionValues.of("--by", List.of(By.FUNCTION, By.LINE, By.MODULE))
        .example("module")
        .value(parsed, By.FUNCTION);
  }

  /** Returns true if {@code -s} selects exclusive weights, false for inclusive ones. */
  public static boolean bySelf(ParseResult parsed) {
    String sort = CommonOptions.text(parsed, "-s", "self");
    return switch (sort) {
      case "self" -> true;
      case "incl", "inclusive" -> false;
      default -> throw new UsageError("-s takes self or incl, not " + sort, "-s incl");
    };
  }

  private static Look look(ParseResult parsed, Format format) {
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
      throw new UsageError("--tree, --bottom-up, --callers and -z exclude each other", "--tree");
    }
    if (format == Format.COLLAPSED) {
      if (!looks.isEmpty() && looks.getFirst() != Look.TREE) {
        throw new UsageError(
            "--format collapsed excludes --bottom-up, --callers and -z", "--format collapsed");
      }
      return Look.TREE;
    }
    return looks.isEmpty() ? Look.FLAT : looks.getFirst();
  }

  /** Stacks that are left out would be missing in the sums of who reads the others. */
  private static void whole(ParseResult parsed) {
    boolean isLimited = CommonOptions.number(parsed, "-n", 0) > 0;
    if (isLimited || percent(parsed, "0") > 0) {
      throw new UsageError(
          "--format collapsed has all stacks: it excludes " + (isLimited ? "-n" : "--min"),
          "--format collapsed");
    }
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
      throw new UsageError("-z ignores stacks: it excludes " + others.getFirst(), "-z ntdll");
    }
  }

  /** Returns the percentage of {@code --min}. */
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

  /** Returns what weights must be told apart by. */
  WeightSubject subject() {
    return byOwner() ? OwnerProfile.By.valueOf(by.name()).subject() : WeightSubject.NONE;
  }

  /** Returns whether rows are not of functions, lines or modules. */
  boolean byOwner() {
    return !by.isOfStacks();
  }
}

package io.ntrail.cli.command;

import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.export.stacks.FlatStacks;
import io.ntrail.export.stacks.FrameNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a function or module weighs in two profiles.
 *
 * @param text as people read it
 * @param module null if nobody tells it
 * @param function null if the row is of a module, or nobody names the function
 * @param rva where the function, or the range, begins in its module; -1 if it has no place there
 * @param before in the first profile
 * @param after in the second one
 * @param change of its share of all, in per cent of all: negative if it shrank
 */
record DiffRow(
    String text,
    @Nullable String module,
    @Nullable String function,
    long rva,
    Side before,
    Side after,
    double change) {
  /**
   * What it weighs in one of them.
   *
   * @param self weight of stacks whose innermost frame it is
   * @param inclusive weight of stacks that it is in
   */
  record Side(long self, long inclusive) {
    static final Side NONE = new Side(0, 0);

    /** The one that rows are sorted by. */
    long weight(boolean bySelf) {
      return bySelf ? self : inclusive;
    }
  }

  /** Whether it is in none of the first profile's stacks. */
  boolean isNew() {
    return before.inclusive == 0;
  }

  /** Whether it is in none of the second profile's stacks. */
  boolean isGone() {
    return after.inclusive == 0;
  }

  /**
   * Rows of two profiles put together, those that changed most first. What has the same name is the
   * same, wherever it lies; of modules small and capital letters are the same.
   */
  static List<DiffRow> join(
      List<ProfileRow> before,
      List<ProfileRow> after,
      long totalBefore,
      long totalAfter,
      boolean bySelf) {
    Map<String, ProfileRow> firsts = new LinkedHashMap<>();
    before.forEach(row -> firsts.put(key(row), row));
    List<DiffRow> rows = new ArrayList<>();
    for (ProfileRow row : after) {
      ProfileRow first = firsts.remove(key(row));
      Side side = first == null ? Side.NONE : side(first);
      rows.add(of(row, side, side(row), totalBefore, totalAfter, bySelf));
    }
    firsts
        .values()
        .forEach(row -> rows.add(of(row, side(row), Side.NONE, totalBefore, totalAfter, bySelf)));
    rows.sort(
        Comparator.comparingDouble((DiffRow row) -> -Math.abs(row.change))
            .thenComparingLong(
                row -> -Math.max(row.before.weight(bySelf), row.after.weight(bySelf)))
            .thenComparing(DiffRow::text));
    return rows;
  }

  private static Side side(ProfileRow row) {
    return new Side(row.self(), row.inclusive());
  }

  private static String key(ProfileRow row) {
    String module = row.module();
    String text = row.text();
    return module == null || !text.startsWith(module)
        ? text
        : module.toLowerCase(Locale.ROOT) + text.substring(module.length());
  }

  private static DiffRow of(
      ProfileRow row, Side before, Side after, long totalBefore, long totalAfter, boolean bySelf) {
    double change =
        share(after.weight(bySelf), totalAfter) - share(before.weight(bySelf), totalBefore);
    // A frame of collapsed stacks may tell no module: then the row's module is its whole name.
    boolean isName = row.rva() == NO_MODULE;
    return new DiffRow(
        row.text(),
        isName ? null : row.module(),
        isName ? row.module() : row.function(),
        isName ? -1 : row.rva(),
        before,
        after,
        change);
  }

  private static double share(long part, long whole) {
    return whole == 0 ? 0 : 100.0 * part / whole;
  }

  /** Stands where a row's place would, of a name that is not of a module. */
  private static final long NO_MODULE = -2;

  /** The rows of stacks that only have names. */
  static List<ProfileRow> rows(List<FlatStacks.Row> flat, boolean byModule) {
    return flat.stream().map(row -> row(row, byModule)).toList();
  }

  private static ProfileRow row(FlatStacks.Row row, boolean byModule) {
    String name = row.name();
    String module = FrameNames.module(name);
    if (byModule || module == null) {
      long place = byModule ? -1 : NO_MODULE;
      return new ProfileRow(
          null, null, null, null, name, null, null, place, row.self(), row.inclusive());
    }
    if (name.charAt(module.length()) == '!') {
      String function = name.substring(module.length() + 1);
      return new ProfileRow(
          null, null, null, null, module, function, null, -1, row.self(), row.inclusive());
    }
    try {
      long rva = Long.parseLong(name.substring(module.length() + 3), 16);
      return new ProfileRow(
          null, null, null, null, module, null, null, rva, row.self(), row.inclusive());
    } catch (NumberFormatException e) {
      return new ProfileRow(
          null, null, null, null, name, null, null, NO_MODULE, row.self(), row.inclusive());
    }
  }
}

package io.ntrail.cli.export;

import io.ntrail.analysis.naming.FunctionIndex.SourceLine;
import io.ntrail.analysis.naming.ModuleBuilds;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.export.stacks.FlatStacks;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.FrameNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Weights of a function or module in two profiles.
 *
 * @param subject what the row is of
 * @param before in the first profile
 * @param after in the second one
 * @param change of its share of all, in per cent of all: negative if it shrank
 * @param isOpen true if one of them has calls of it, but none that ended
 */
record DiffRow(Subject subject, Side before, Side after, double change, boolean isOpen) {
  /**
   * A function or a module.
   *
   * @param text as people read it
   * @param module null if unknown: names of collapsed stacks may have none
   * @param function null if it is a module, or the function has no name
   * @param line null if rows are not by line, or it is unknown
   * @param rva where the function, or the range, begins in its module; -1 if it has no place there
   */
  record Subject(
      String text,
      @Nullable String module,
      @Nullable String function,
      @Nullable SourceLine line,
      long rva) {
    /** Returns the subject of a frame's name. */
    static Subject of(String name, boolean byModule) {
      String module = byModule ? name : FrameNames.module(name);
      if (module == null) {
        return new Subject(name, null, name, null, -1);
      }
      if (byModule) {
        return new Subject(name, module, null, null, -1);
      }
      String rest = name.substring(module.length());
      if (rest.equals(FrameNameOptions.UNNAMED)) {
        return new Subject(name, module, null, null, -1);
      }
      if (rest.startsWith("!")) {
        return new Subject(name, module, rest.substring(1), null, -1);
      }
      return rest.matches("\\+0x[0-9a-f]{1,15}")
          ? new Subject(name, module, null, null, Long.parseLong(rest.substring(3), 16))
          : new Subject(name, null, name, null, -1);
    }

    /** Returns a key that is equal in both recordings: modules are spelled in many ways. */
    private String key() {
      String own = module;
      return own == null ? text : own.toLowerCase(Locale.ROOT) + text.substring(own.length());
    }
  }

  /**
   * Weights in one of them.
   *
   * @param self weight of stacks whose innermost frame it is
   * @param inclusive weight of stacks that it is in
   */
  record Side(long self, long inclusive) {
    static final Side NONE = new Side(0, 0);

    /** Returns the weight whose change counts. */
    long weight(boolean bySelf) {
      return bySelf ? self : inclusive;
    }
  }

  /** Profile to be compared: its rows by their text, and the sum of its weights. */
  static final class Profile {
    private final Map<String, Side> sides = new LinkedHashMap<>();
    private final Map<String, Subject> subjects = new HashMap<>();

    /** Keys of functions without a weight, as none of their calls ended. */
    private final Set<String> open = new HashSet<>();

    private final long total;

    private Profile(long total) {
      this.total = total;
    }

    /**
     * Returns the profile of a recording.
     *
     * @param open functions without a weight, as none of their calls ended
     * @param rebuilt modules, by {@link ModuleBuilds#key}, that are other builds in the other
     *     profile: their places without a name are one row
     */
    static Profile of(
        List<ProfileRow> rows, List<ProfileRow> open, Set<String> rebuilt, long total) {
      Profile profile = new Profile(total);
      rows.forEach(row -> profile.add(subject(row, rebuilt), row.self(), row.inclusive()));
      open.forEach(row -> profile.open.add(subject(row, rebuilt).key()));
      return profile;
    }

    private static Subject subject(ProfileRow row, Set<String> rebuilt) {
      String module = row.module();
      boolean isPlace = row.rva() >= 0 && isUnnamed(row.function());
      return module != null && isPlace && rebuilt.contains(ModuleBuilds.key(module))
          ? new Subject(module + FrameNameOptions.UNNAMED, module, null, null, -1)
          : new Subject(row.text(), module, row.function(), row.line(), row.rva());
    }

    /** Recorded calls of functions without a name have their address for one. */
    private static boolean isUnnamed(@Nullable String function) {
      return function == null || function.matches("0x[0-9a-f]{1,16}");
    }

    static Profile of(
        List<FlatStacks.Row> rows, List<ProfileRow> open, boolean byModule, long total) {
      Profile profile = new Profile(total);
      open.forEach(row -> profile.open.add(Subject.of(row.text(), byModule).key()));
      for (FlatStacks.Row row : rows) {
        profile.add(Subject.of(row.name(), byModule), row.self(), row.inclusive());
      }
      return profile;
    }

    /** Lines of files that are called the same are one. */
    private void add(Subject subject, long self, long inclusive) {
      subjects.putIfAbsent(subject.text, subject);
      sides.merge(
          subject.text,
          new Side(self, inclusive),
          (a, b) -> new Side(a.self + b.self, Math.min(total, a.inclusive + b.inclusive)));
    }

    private Side side(String text) {
      return sides.getOrDefault(text, Side.NONE);
    }

    private Subject subject(String text) {
      return Objects.requireNonNull(subjects.get(text));
    }

    private double share(Side side, boolean bySelf) {
      return total == 0 ? 0 : 100.0 * side.weight(bySelf) / total;
    }
  }

  /** Returns its state; null if both profiles have weights of it. */
  @Nullable String state() {
    if (before.inclusive != 0 && after.inclusive != 0) {
      return null;
    }
    return isOpen ? "open" : before.inclusive == 0 ? "new" : "gone";
  }

  /**
   * Rows of two profiles put together, those that changed most first. Rows of the same name are
   * equal, whatever their address; without any, also those that differ in the case of the module.
   */
  static List<DiffRow> join(Profile before, Profile after, boolean bySelf) {
    Set<String> left = new LinkedHashSet<>(before.sides.keySet());
    List<String> alone = new ArrayList<>();
    for (String text : after.sides.keySet()) {
      if (!left.remove(text)) {
        alone.add(text);
      }
    }
    Map<String, String> leftByKey = new HashMap<>();
    left.forEach(text -> leftByKey.putIfAbsent(before.subject(text).key(), text));
    Map<String, String> renamed = new HashMap<>();
    for (String text : alone) {
      String first = leftByKey.remove(after.subject(text).key());
      if (first != null) {
        renamed.put(text, first);
        left.remove(first);
      }
    }
    List<DiffRow> rows = new ArrayList<>();
    after.sides.forEach((text, second) -> {
      Side first = before.side(renamed.getOrDefault(text, text));
      double change = after.share(second, bySelf) - before.share(first, bySelf);
      Subject subject = after.subject(text);
      rows.add(new DiffRow(subject, first, second, change, before.open.contains(subject.key())));
    });
    for (String text : left) {
      Side first = before.side(text);
      Subject subject = before.subject(text);
      double change = -before.share(first, bySelf);
      boolean isOpen = after.open.contains(subject.key());
      rows.add(new DiffRow(subject, first, Side.NONE, change, isOpen));
    }
    rows.sort(
        Comparator.comparingDouble((DiffRow row) -> -Math.abs(row.change))
            .thenComparingLong(
                row -> -Math.max(row.before.weight(bySelf), row.after.weight(bySelf)))
            .thenComparing(row -> row.subject.text));
    return rows;
  }
}

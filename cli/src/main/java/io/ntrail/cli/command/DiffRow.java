package io.ntrail.cli.command;

import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.export.stacks.FlatStacks;
import io.ntrail.export.stacks.FrameNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a function or module weighs in two profiles.
 *
 * @param subject what the row is of
 * @param before in the first profile
 * @param after in the second one
 * @param change of its share of all, in per cent of all: negative if it shrank
 */
record DiffRow(Subject subject, Side before, Side after, double change) {
  /**
   * A function or a module.
   *
   * @param text as people read it
   * @param module null if nobody tells it: names of collapsed stacks may have none
   * @param function null if it is a module, or nobody names the function
   * @param rva where the function, or the range, begins in its module; -1 if it has no place there
   */
  record Subject(String text, @Nullable String module, @Nullable String function, long rva) {
    /** Of a name as frames have them. */
    static Subject of(String name, boolean byModule) {
      String module = byModule ? name : FrameNames.module(name);
      if (module == null) {
        return new Subject(name, null, name, -1);
      }
      if (byModule) {
        return new Subject(name, module, null, -1);
      }
      String rest = name.substring(module.length());
      if (rest.startsWith("!")) {
        return new Subject(name, module, rest.substring(1), -1);
      }
      return rest.matches("\\+0x[0-9a-f]{1,15}")
          ? new Subject(name, module, null, Long.parseLong(rest.substring(3), 16))
          : new Subject(name, null, name, -1);
    }

    /** The same for the same thing in every recording: modules are spelled in many ways. */
    private String key() {
      String own = module;
      return own == null ? text : own.toLowerCase(Locale.ROOT) + text.substring(own.length());
    }
  }

  /**
   * What it weighs in one of them.
   *
   * @param self weight of stacks whose innermost frame it is
   * @param inclusive weight of stacks that it is in
   */
  record Side(long self, long inclusive) {
    static final Side NONE = new Side(0, 0);

    /** The one whose change counts. */
    long weight(boolean bySelf) {
      return bySelf ? self : inclusive;
    }
  }

  /** One of the profiles: its rows, and the sum of its weights. */
  record Profile(Map<Subject, Side> rows, long total) {
    static Profile of(List<ProfileRow> rows, long total) {
      Map<Subject, Side> sides = new LinkedHashMap<>();
      for (ProfileRow row : rows) {
        Subject subject = new Subject(row.text(), row.module(), row.function(), row.rva());
        sides.put(subject, new Side(row.self(), row.inclusive()));
      }
      return new Profile(sides, total);
    }

    static Profile of(List<FlatStacks.Row> rows, boolean byModule, long total) {
      Map<Subject, Side> sides = new LinkedHashMap<>();
      for (FlatStacks.Row row : rows) {
        sides.put(Subject.of(row.name(), byModule), new Side(row.self(), row.inclusive()));
      }
      return new Profile(sides, total);
    }

    private double share(Side side, boolean bySelf) {
      return total == 0 ? 0 : 100.0 * side.weight(bySelf) / total;
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
   * same, wherever it lies; if nothing has, also what differs in the letters of its module.
   */
  static List<DiffRow> join(Profile before, Profile after, boolean bySelf) {
    Map<String, Subject> texts = new LinkedHashMap<>();
    before.rows.keySet().forEach(subject -> texts.put(subject.text, subject));
    Map<Subject, Subject> same = new HashMap<>();
    List<Subject> alone = new ArrayList<>();
    for (Subject subject : after.rows.keySet()) {
      Subject first = texts.remove(subject.text);
      if (first == null) {
        alone.add(subject);
      } else {
        same.put(subject, first);
      }
    }
    Map<String, Subject> left = new LinkedHashMap<>();
    texts.values().forEach(subject -> left.putIfAbsent(subject.key(), subject));
    for (Subject subject : alone) {
      Subject first = left.remove(subject.key());
      if (first != null) {
        same.put(subject, first);
        texts.remove(first.text);
      }
    }
    List<DiffRow> rows = new ArrayList<>();
    after.rows.forEach((subject, second) -> {
      Subject known = same.get(subject);
      Side first =
          known == null ? Side.NONE : Objects.requireNonNullElse(before.rows.get(known), Side.NONE);
      double change = after.share(second, bySelf) - before.share(first, bySelf);
      rows.add(new DiffRow(subject, first, second, change));
    });
    for (Subject subject : texts.values()) {
      Side first = Objects.requireNonNullElse(before.rows.get(subject), Side.NONE);
      rows.add(new DiffRow(subject, first, Side.NONE, -before.share(first, bySelf)));
    }
    rows.sort(
        Comparator.comparingDouble((DiffRow row) -> -Math.abs(row.change))
            .thenComparingLong(
                row -> -Math.max(row.before.weight(bySelf), row.after.weight(bySelf)))
            .thenComparing(row -> row.subject.text));
    return rows;
  }
}

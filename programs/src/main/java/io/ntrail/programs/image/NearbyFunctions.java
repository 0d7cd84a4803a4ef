package io.ntrail.programs.image;

import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.LoadConfig.GuardEntry;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Functions of an x64 image near some places: what they say of these places is what {@link
 * ImageFunctions} say that list all, and much sooner, as most of a large table is not read.
 *
 * <p>That holds if the function table is plain ({@link FunctionTable#continuing}). Near a place are
 * all functions and ranges up to the next range before it and the next one behind it, so that each
 * piece of code that reaches a place begins and ends where it does among all. What continues a
 * function comes with that.
 */
public final class NearbyFunctions {
  private final PeImage image;
  private final List<Export> exports;
  private final List<GuardEntry> guarded;
  private final FunctionTable table;
  private final List<RuntimeFunction> entries;

  /**
   * Takes what an image has.
   *
   * @param table one that is not checked
   */
  public NearbyFunctions(
      PeImage image, Exports exports, Optional<LoadConfig> config, FunctionTable table) {
    this.image = image;
    this.exports = exports.list();
    this.guarded = ImageFunctions.guarded(config);
    this.table = table;
    this.entries = table.entries();
  }

  /** Stretch of an image. */
  private record Stretch(long begin, long end) {}

  /**
   * Places in an image.
   *
   * <p>Not for several threads.
   */
  public static final class Places {
    private final List<Stretch> stretches = new ArrayList<>();

    /** Begins with none. */
    public Places() {}

    /** Adds all from an address to before another one. */
    public void add(long begin, long end) {
      stretches.add(new Stretch(begin, end));
    }

    /** Returns true if all from an address to before another one was added by one call. */
    public boolean contain(long begin, long end) {
      return stretches.stream().anyMatch(one -> one.begin <= begin && end <= one.end);
    }

    /** Returns them by address, apart from one another. */
    private List<Stretch> sorted() {
      stretches.sort((a, b) -> Long.compare(a.begin, b.begin));
      List<Stretch> sorted = new ArrayList<>();
      for (Stretch one : stretches) {
        if (!sorted.isEmpty() && sorted.getLast().end >= one.begin) {
          Stretch last = sorted.removeLast();
          sorted.add(new Stretch(last.begin, Math.max(last.end, one.end)));
        } else {
          sorted.add(one);
        }
      }
      return sorted;
    }
  }

  /** Returns the functions near some places. */
  public ImageFunctions around(Places places) {
    TreeSet<Integer> rows = new TreeSet<>();
    LongList begins = new LongList();
    LongList ends = new LongList();
    for (Stretch place : places.sorted()) {
      int first = Math.max(0, table.indexUpTo(place.begin - 1));
      int last = Math.min(entries.size() - 1, table.indexUpTo(place.end) + 1);
      for (int row = first; row <= last; row++) {
        rows.add(row);
      }
      boolean isFirst = first > last || entries.get(first).begin() >= place.begin;
      boolean isLast = first > last || entries.get(last).begin() <= place.end;
      begins.add(isFirst ? 0 : entries.get(first).begin());
      ends.add(isLast ? Long.MAX_VALUE : entries.get(last).end());
    }
    for (long owner : owners(rows).toArray()) {
      begins.add(owner);
      ends.add(owner + 1);
    }
    Stretches kept = new Stretches(begins, ends);
    return ImageFunctions.of(
        image,
        exports.stream().filter(export -> kept.contain(export.rva())).toList(),
        guarded.stream().filter(entry -> kept.contain(entry.rva())).toList(),
        table.only(rows.stream().mapToInt(row -> row).toArray()),
        List.of());
  }

  /** Adds the ranges that others continue; returns where these begin. */
  private LongList owners(Set<Integer> rows) {
    LongList owners = new LongList();
    for (List<Integer> more = List.copyOf(rows); !more.isEmpty(); ) {
      List<Integer> added = new ArrayList<>();
      for (int row : more) {
        RuntimeFunction entry = entries.get(row);
        if (table.continues(entry)) {
          long owner = table.primary(entry).begin();
          owners.add(owner);
          int its = table.indexUpTo(owner);
          if (its >= 0 && entries.get(its).begin() == owner && rows.add(its)) {
            added.add(its);
          }
        }
      }
      more = added;
    }
    return owners;
  }

  /** Stretches that may overlap. */
  private static final class Stretches {
    private final long[] begins;

    /** Furthest end of those up to each. */
    private final long[] reach;

    Stretches(LongList begins, LongList ends) {
      List<Stretch> all = new ArrayList<>();
      for (int i = 0; i < begins.size(); i++) {
        all.add(new Stretch(begins.get(i), ends.get(i)));
      }
      all.sort((a, b) -> Long.compare(a.begin, b.begin));
      this.begins = all.stream().mapToLong(Stretch::begin).toArray();
      this.reach = new long[all.size()];
      for (int i = 0; i < reach.length; i++) {
        reach[i] = i == 0 ? all.get(i).end : Math.max(all.get(i).end, reach[i - 1]);
      }
    }

    boolean contain(long rva) {
      int i = Search.floor(begins, begins.length, rva);
      return i >= 0 && rva < reach[i];
    }
  }
}

package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.Hashing;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongSort;
import io.ntrail.formats.collections.RowIndex;
import java.util.Arrays;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Lists of labels that call paths are made of, each kept once: those of whole stacks, and those of
 * numbered parts, which are resolved in the end. A label that follows itself is kept once.
 */
final class PathSegments {
  /** Label that ends each list; function and module numbers are not negative. */
  static final int END = -1;

  /** List that holds nothing. */
  static final int EMPTY = 0;

  /** Parts whose frames are fetched together: processors wait for some ten at a time. */
  private static final int GROUP = 64;

  /** Layouts under which a part is a segment; more of them are those of nobody's recording. */
  private static final int MOST_LAYOUTS = 64;

  /** Parts that are worth a thread that resolves them: some milliseconds of work. */
  private static final int LEAST = 1 << 12;

  /** Parts after which it is known about how many labels there will be; a multiple of a group. */
  private static final int SAMPLE = 1 << 12;

  /** Tasks of resolving for each thread. */
  private static final int SHARES = 4;

  private final boolean outermostFirst;
  private final boolean byModule;
  private final FunctionIndex functions;
  private final int mostLabels;

  private final Columns segments = new Columns(256);

  /** Layout + 1 in the upper half and part in the lower, or the hash of a list. */
  private final LongColumn keys = segments.longs();

  /** Begin of each among the labels; -1 for parts that are not resolved. */
  private final IntColumn starts = segments.ints();

  /** The segment of the same part that was made before; -1 for none. */
  private final IntColumn before = segments.ints();

  private final RowIndex ofLists;
  private final IntList labels = new IntList();

  /** The last segment that was made of each part; -1 for none. */
  private int[] lastOfPart = {};

  private @Nullable FrameLookup names;
  private @Nullable StackParts stacks;
  private long touched;

  /**
   * Holds the empty list alone.
   *
   * @param outermostFirst whether paths begin with the outermost frame, or else with the innermost
   * @param byModule whether labels are modules, or else functions
   * @param functions of all stacks
   * @param mostLabels that are kept
   */
  PathSegments(boolean outermostFirst, boolean byModule, FunctionIndex functions, int mostLabels) {
    this.outermostFirst = outermostFirst;
    this.byModule = byModule;
    this.functions = functions;
    this.mostLabels = mostLabels;
    this.ofLists = new RowIndex(256, keys::get);
    clear();
  }

  /** Forgets all but the empty list. */
  void clear() {
    segments.clear();
    ofLists.clear();
    labels.clear();
    Arrays.fill(lastOfPart, -1);
    starts.set(segments.add(), 0);
    labels.add(END);
  }

  /** Returns true if there are as many segments as that, or as many labels as may be kept. */
  boolean isFull(int most) {
    return segments.rows() >= most || labels.size() >= mostLabels;
  }

  /** Reads what the next stack with a part will need, so that many are waited for at once. */
  void touch(int part) {
    touched += part < lastOfPart.length ? lastOfPart[part] : 0;
  }

  /** Returns the sum of what was read ahead: kept so that reading it is not optimized away. */
  long touched() {
    return touched;
  }

  /** Returns the segment of a whole stack. */
  int of(IntList stack) {
    int start = labels.size();
    append(stack, functions, labels);
    int[] all = labels.array();
    long hash = 0;
    for (int i = start; i < labels.size(); i++) {
      hash = Hashing.hash(hash, all[i]);
    }
    int slot = ofLists.slot(hash);
    int segment = ofLists.row(slot);
    while (segment >= 0 && !isAt(segment, hash, start)) {
      slot = ofLists.next(slot);
      segment = ofLists.row(slot);
    }
    if (segment < 0) {
      segment = segments.add();
      keys.set(segment, hash);
      starts.set(segment, start);
      ofLists.put(slot, segment);
    } else {
      labels.truncate(start);
    }
    return segment;
  }

  private boolean isAt(int segment, long hash, int start) {
    int length = labels.size() - start;
    int[] all = labels.array();
    int known = starts.get(segment);
    return keys.get(segment) == hash
        && known + length <= start
        && Arrays.equals(all, known, known + length, all, start, start + length);
  }

  /**
   * Appends the labels of a stack, or of a part of one.
   *
   * @param index in which the functions are numbered
   */
  private void append(IntList stack, FunctionIndex index, IntList into) {
    int last = END;
    int count = stack.size();
    for (int i = 0; i < count; i++) {
      int function = stack.get(outermostFirst ? count - 1 - i : i);
      int label = byModule ? index.module(function) : function;
      if (label != last) {
        into.add(label);
        last = label;
      }
    }
    into.add(END);
  }

  /** Returns the segment of a numbered part under a layout of its half; -1 if it has too many. */
  int of(WeightedStack stack, int layout, int part) {
    if (stacks == null) {
      names = stack.names();
      stacks = stack.stacks();
      lastOfPart = new int[stacks.count()];
      Arrays.fill(lastOfPart, -1);
    }
    long key = layout + 1L << 32 | part;
    int layouts = 0;
    for (int known = lastOfPart[part]; known >= 0; known = before.get(known)) {
      if (keys.get(known) == key) {
        return known;
      }
      if (++layouts == MOST_LAYOUTS) {
        return -1;
      }
    }
    int segment = segments.add();
    keys.set(segment, key);
    starts.set(segment, -1);
    before.set(segment, lastOfPart[part]);
    lastOfPart[part] = segment;
    return segment;
  }

  /**
   * Resolves the parts, in the order of the times at which their layouts were met.
   *
   * @param cores threads to use
   * @return false if there was no room for the labels of all
   */
  boolean resolve(int cores) {
    FrameLookup lookup = names;
    StackParts parts = stacks;
    if (lookup == null || parts == null) {
      return true;
    }
    int[] order = inOrder(lookup, parts);
    AtomicLong used = new AtomicLong(labels.size());
    int threads = Math.clamp(order.length / LEAST, 1, cores);
    if (threads == 1) {
      return new Resolving(lookup, new int[0], parts, labels, used, order.length)
          .resolve(order, 0, order.length);
    }
    Queue<Resolving> all = new ConcurrentLinkedQueue<>();
    int share = Math.ceilDiv(order.length, threads * SHARES);
    ParallelTasks.run(
        threads,
        threads * SHARES,
        () -> {
          FrameLookup other = lookup.another();
          Resolving one =
              new Resolving(
                  other,
                  other.layoutNumbers(lookup),
                  parts,
                  new IntList(),
                  used,
                  order.length / threads);
          all.add(one);
          return one;
        },
        (one, i) ->
            one.resolve(
                order, Math.min(order.length, i * share), Math.min(order.length, (i + 1) * share)),
        (a, _) -> a);
    boolean isAll = true;
    for (Resolving one : all) {
      one.renumber();
      isAll &= one.isAll;
    }
    return isAll;
  }

  /** Parts that one thread resolves. */
  private final class Resolving {
    private final FrameLookup lookup;

    /** Numbers of layouts in the lookup; none if that is the one that has numbered them. */
    private final int[] layoutNumbers;

    private final StackParts parts;
    private final IntList resolved;

    /** Labels that all threads have made: not those of one, which differ from run to run. */
    private final AtomicLong used;

    /** Segments that it will resolve, about. */
    private final int expected;

    private final IntList segmentsOf = new IntList();
    private boolean isAll = true;

    Resolving(
        FrameLookup lookup,
        int[] layoutNumbers,
        StackParts parts,
        IntList resolved,
        AtomicLong used,
        int expected) {
      this.lookup = lookup;
      this.layoutNumbers = layoutNumbers;
      this.parts = parts;
      this.resolved = resolved;
      this.used = used;
      this.expected = expected;
    }

    /** Resolves some; returns false if there is no room. */
    boolean resolve(int[] order, int begin, int end) {
      IntList found = new IntList();
      StackAddresses addresses = new StackAddresses();
      int[] ends = new int[GROUP];
      for (int from = begin; from < end; from += GROUP) {
        int size = Math.min(GROUP, end - from);
        if (segmentsOf.size() == SAMPLE) {
          reserve(expected);
        }
        addresses.clear();
        for (int i = 0; i < size; i++) {
          parts.copy((int) keys.get(order[from + i]), addresses);
          ends[i] = addresses.count();
        }
        int first = 0;
        int before = resolved.size();
        for (int i = 0; i < size; i++) {
          int segment = order[from + i];
          int layout = layout(segment);
          int number = layoutNumbers.length == 0 ? layout : layoutNumbers[layout];
          lookup.resolve(number, addresses, first, ends[i], found);
          starts.set(segment, resolved.size());
          segmentsOf.add(segment);
          append(found, lookup.functions(), resolved);
          first = ends[i];
        }
        isAll &= used.addAndGet(resolved.size() - before) <= mostLabels;
        if (!isAll) {
          return false;
        }
      }
      return true;
    }

    /** Makes room for so many segments as those that were resolved, which saves copies. */
    private void reserve(int segmentCount) {
      long labelCount = (long) resolved.size() * (segmentCount / SAMPLE + 1);
      resolved.reserve((int) Math.min(labelCount, mostLabels));
      segmentsOf.reserve(segmentCount);
    }

    /** Puts what was resolved under numbers of its own among the labels of all. */
    void renumber() {
      int[] numbers =
          byModule
              ? functions.moduleNumbers(lookup.functions())
              : functions.numbers(lookup.functions());
      int begin = labels.size();
      int[] all = resolved.array();
      for (int i = 0; i < resolved.size(); i++) {
        all[i] = all[i] == END ? END : numbers[all[i]];
      }
      labels.addAll(all, 0, resolved.size());
      for (int i = 0; i < segmentsOf.size(); i++) {
        int segment = segmentsOf.get(i);
        starts.set(segment, begin + starts.get(segment));
      }
    }
  }

  /** Adds the labels of a segment to a list, whether it is resolved or not. */
  void copy(int segment, IntList into) {
    int start = starts.get(segment);
    if (start >= 0) {
      for (int i = start; labels.get(i) != END; i++) {
        into.add(labels.get(i));
      }
      return;
    }
    StackAddresses addresses = new StackAddresses();
    Objects.requireNonNull(stacks).copy((int) keys.get(segment), addresses);
    IntList found = new IntList();
    Objects.requireNonNull(names).resolve(layout(segment), addresses, 0, addresses.count(), found);
    append(found, functions, into);
    into.removeLast();
  }

  private int layout(int segment) {
    return (int) (keys.get(segment) >>> 32) - 1;
  }

  /** Returns the segments of parts that are not resolved; those with frames in common in a row. */
  private int[] inOrder(FrameLookup lookup, StackParts parts) {
    IntList unresolved = new IntList(segments.rows());
    for (int segment = 0; segment < segments.rows(); segment++) {
      if (starts.get(segment) < 0) {
        unresolved.add(segment);
      }
    }
    int[] ranks = lookup.layoutRanks();
    long[] byPlace = new long[unresolved.size()];
    for (int i = 0; i < byPlace.length; i++) {
      int segment = unresolved.get(i);
      byPlace[i] = (long) parts.place((int) keys.get(segment)) << 32 | segment;
    }
    LongSort.sort(byPlace, byPlace.length, Integer.SIZE);
    int[] offsets = new int[ranks.length + 1];
    for (long place : byPlace) {
      offsets[ranks[layout((int) place)] + 1]++;
    }
    for (int rank = 0; rank < ranks.length; rank++) {
      offsets[rank + 1] += offsets[rank];
    }
    int[] order = new int[byPlace.length];
    for (long place : byPlace) {
      order[offsets[ranks[layout((int) place)]]++] = (int) place;
    }
    return order;
  }

  /** Returns where in {@link #labels} a segment begins that is resolved; {@link #END} ends it. */
  int start(int segment) {
    return starts.get(segment);
  }

  /** Returns the labels of all segments. */
  IntList labels() {
    return labels;
  }
}

package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.Survey;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Noted samples in order of time, in windows of time, with all keys of their stacks: the samples
 * and stacks that {@link StackRecords.Walk} finds on a walk over all records.
 */
public final class SampleJoin {
  /** Samples whose stacks are announced together: processors wait for some ten places at a time. */
  private static final int GROUP = 64;

  /**
   * Stack records and records that are compared in the search for events: with more, as where
   * hundreds of buffers claim to cover all times, a walk takes less.
   */
  private static final long MOST_STEPS = 1L << 28;

  private final NotedSamples notes;
  private final StackRecords stacks;
  private final List<SampleBlock> blocks;

  /** First time of each window, the least for the first. */
  private final long[] starts;

  private final @Nullable SampleWindow[] windows;
  private final AtomicBoolean isTorn = new AtomicBoolean();
  private long unmatched;
  private long steps;

  private SampleJoin(
      NotedSamples notes, StackRecords stacks, List<SampleBlock> blocks, long[] starts) {
    this.notes = notes;
    this.stacks = stacks;
    this.blocks = blocks;
    this.starts = starts;
    this.windows = new SampleWindow[starts.length];
  }

  /** Joins what was noted; null if it must be found by a walk. */
  static @Nullable SampleJoin of(
      NotedSamples notes, List<SampleBlock> unsorted, StackRecords stacks, int cores) {
    if (!stacks.isBounded()) {
      return null;
    }
    List<SampleBlock> blocks = new ArrayList<>(unsorted);
    blocks.sort((a, b) -> {
      int byTime = Long.compare(a.base, b.base);
      return byTime != 0 ? byTime : SampleBlock.byTies(a, b);
    });
    SampleJoin join = new SampleJoin(notes, stacks, blocks, starts(blocks, notes.window));
    notes.sortApart(stacks.keys());
    IntList unfound =
        ParallelTasks.run(
            cores,
            join.starts.length,
            IntList::new,
            (into, i) -> join.fill(i, into),
            (a, b) -> {
              a.addAll(b.toArray(), 0, b.size());
              return a;
            });
    if (join.isTorn.get()) {
      return null;
    }
    return join.findEvents(unfound, cores) ? join : null;
  }

  private static long[] starts(List<SampleBlock> blocks, int window) {
    long[] starts = new long[blocks.size() + 1];
    starts[0] = Long.MIN_VALUE;
    int count = 1;
    int samples = 0;
    for (SampleBlock block : blocks) {
      if (samples >= window && block.base > starts[count - 1]) {
        starts[count++] = block.base;
        samples = 0;
      }
      samples += block.size;
    }
    return Arrays.copyOf(starts, count);
  }

  private void fill(int number, IntList unfound) {
    if (isTorn.get()) {
      return;
    }
    long start = starts[number];
    long end = number + 1 < starts.length ? starts[number + 1] : Long.MAX_VALUE;
    List<SampleBlock> own = new ArrayList<>();
    for (SampleBlock block : blocks) {
      if (block.base >= end && end != Long.MAX_VALUE) {
        break;
      }
      if (block.last >= start) {
        own.add(block);
      }
    }
    own.sort(SampleBlock::byTies);
    SampleWindow window = SampleWindow.of(notes, own, stacks.keys(), start, end, unfound);
    if (window == null) {
      isTorn.set(true);
    }
    windows[number] = window;
  }

  /**
   * Looks for the events of stack records that are not about a noted one; false if that takes too
   * many steps.
   */
  private boolean findEvents(IntList rowsOfThem, int cores) {
    int[] rows = rowsOfThem.toArray();
    Arrays.sort(rows);
    boolean[] found = new boolean[rows.length];
    // Nearly always it is on the CPU that the stack record is on.
    findEvents(rows, found, true, cores);
    findEvents(rows, found, false, cores);
    for (boolean one : found) {
      unmatched += one ? 0 : 1;
    }
    return steps <= MOST_STEPS;
  }

  private void findEvents(int[] rows, boolean[] found, boolean isOnCpu, int cores) {
    EtwRecording recording = notes.recording;
    Survey survey = recording.survey(cores);
    long[] times = new long[rows.length];
    for (int i = 0; i < rows.length; i++) {
      times[i] = notes.times.get(rows[i]);
    }
    RecordTable table = new RecordTable();
    for (int f = 0; f < notes.kernel.length; f++) {
      try (RecordCursor record = recording.cursor(recording.files().get(f))) {
        for (int b = 0; b < notes.kernel[f].length; b++) {
          long latest = survey.latest(f, b);
          int i = Search.ceiling(times, times.length, survey.earliest(f, b));
          boolean isOpen = false;
          for (; notes.kernel[f][b] && i < rows.length && times[i] <= latest; i++) {
            if (++steps > MOST_STEPS) {
              return;
            }
            if (!found[i]
                && (!isOnCpu
                    || recording.files().get(f).buffers().cpu(b) == notes.cpus.get(rows[i]))) {
              if (!isOpen) {
                record.open(b);
                record.index(table);
                isOpen = true;
              }
              found[i] = isThere(record, table, times[i], notes.threads.get(rows[i]));
            }
          }
        }
      }
    }
  }

  private boolean isThere(RecordCursor record, RecordTable table, long time, int thread) {
    int row = Search.ceiling(table.ticks(), table.count(), time);
    for (; row < table.count() && table.ticks(row) == time; row++) {
      steps++;
      if (!table.isEvent(row)) {
        record.moveTo(table, row);
        if (notes.targets.mayHaveStack(record)
            && notes.targets.isOf(record, thread) != StackMatchRules.NO) {
          return true;
        }
      }
    }
    return false;
  }

  /** Number of windows. */
  public int windows() {
    return windows.length;
  }

  /** Returns a time that is not after those of a window. */
  public long start(int window) {
    return starts[window];
  }

  /** Makes what goes over the samples. */
  public Walk walk() {
    return new Walk();
  }

  /** Stack records that name an event that is not there. */
  public long unmatched() {
    return unmatched;
  }

  /** Number of idle samples that {@link #walk} does not come to. */
  public long idle() {
    return notes.idle();
  }

  /** Stack records whose key nothing defines. */
  public long undefined() {
    long sum = notes.undefined();
    for (SampleWindow window : windows) {
      sum += window == null ? 0 : window.undefined();
    }
    return sum;
  }

  /** Number of stack records that name an event. */
  public long references() {
    return notes.references();
  }

  /** Stack records that are too short to have a key. */
  public long leftOut() {
    return notes.leftOut();
  }

  /** Goes over the samples of windows. */
  public final class Walk {
    private final StackKeys keys = stacks.keys();
    private @Nullable SampleWindow window;
    private int position;
    private int end;
    private final int[] group = new int[SampleBlock.MOST_KEYS * GROUP];
    private int inGroup;
    private int more;
    private long[] words = {};
    private int at;
    private long time;
    private int cpu;
    private long about;

    /** Of each stack record the definition and its innermost frame. */
    private long[] defined = new long[8];

    private long[] written = new long[8];
    private int parts;

    private Walk() {}

    /** Goes before the first sample of a window. */
    public void open(int number) {
      window = windows[number];
      position = 0;
      end = 0;
      more = 0;
    }

    /**
     * Goes before the next {@value #GROUP} samples or so of the window; {@link #next} ends behind
     * them.
     *
     * @return false if there are none
     */
    public boolean openGroup() {
      SampleWindow open = window;
      if (open == null || end == open.count()) {
        return false;
      }
      end = Math.min(open.count(), end + GROUP);
      int count = 0;
      for (int i = position; i < end; i++) {
        SampleBlock block = open.block(i);
        int entry = block.at(open.entry(i));
        int keys = SampleBlock.keys(block.words[entry + SampleBlock.ABOUT]);
        for (int key = 0; key < keys; key++) {
          group[count++] = (int) (block.words[entry + SampleBlock.FIRST_KEY + key] >>> 32);
        }
      }
      inGroup = count;
      return true;
    }

    /** Number of definitions that stacks of the group will be made of, among others. */
    public int inGroup() {
      return inGroup;
    }

    /** One of them; negative if nothing defines the key. */
    public int ofGroup(int i) {
      return group[i];
    }

    /** Goes to the next sample of the group; false if there is none. */
    public boolean next() {
      SampleWindow open = window;
      while (open != null && position < end) {
        SampleBlock block = open.block(position);
        words = block.words;
        at = block.at(open.entry(position));
        time = block.base + (words[at] >>> 32);
        cpu = block.cpu;
        about = words[at + SampleBlock.ABOUT];
        define(open);
        position++;
        if ((about & SampleBlock.OTHER) == 0) {
          return true;
        }
      }
      return false;
    }

    private void define(SampleWindow open) {
      parts = SampleBlock.keys(about);
      for (int i = 0; i < parts; i++) {
        defined[i] = words[at + SampleBlock.FIRST_KEY + i];
      }
      if (more < open.withMore() && open.position(more) == position) {
        for (int i = 0; i < parts; i++) {
          written[i] = time + SampleBlock.later(about, i);
        }
        addMore(open.firstMore(more), open.endMore(more));
        more++;
      }
    }

    /** Adds stack records of other buffers in the order in which they were written. */
    private void addMore(int from, int to) {
      int needed = parts + to - from;
      if (needed > defined.length) {
        defined = Arrays.copyOf(defined, needed);
        written = Arrays.copyOf(written, needed);
      }
      for (int row = from; row < to; row++) {
        long itsTime = notes.written.get(row);
        int place = parts;
        while (place > 0 && written[place - 1] > itsTime) {
          defined[place] = defined[place - 1];
          written[place] = written[place - 1];
          place--;
        }
        defined[place] = notes.keys.get(row);
        written[place] = itsTime;
        parts++;
      }
    }

    /** Key of the sample's time. */
    public long time() {
      return time;
    }

    /** Its thread. */
    public int thread() {
      return (int) words[at];
    }

    /** Processor that it was taken on. */
    public int cpu() {
      return cpu;
    }

    /** Number of samples that it stands for. */
    public int samples() {
      return SampleBlock.samples(about);
    }

    /** Returns true if it is not an idle one. */
    public boolean isBusy() {
      return (about & SampleBlock.BUSY) != 0;
    }

    /** Address of the instruction. */
    public long address() {
      return words[at + SampleBlock.ADDRESS];
    }

    /** Number of its stack records. */
    public int parts() {
      return parts;
    }

    /** Definition of the key of a stack record; -1 if nothing defines it. */
    public int definition(int part) {
      return (int) (defined[part] >>> 32);
    }

    /**
     * Finds out if its stack is made of a definition with frames of the kernel only, one with none
     * of it, or both in that order.
     *
     * @param into receives the definitions
     * @return how many there are; 0 if the stack is not like that
     */
    public int keyed(int[] into) {
      if (parts == 0 || parts > into.length) {
        return 0;
      }
      int halves = 0;
      for (int i = 0; i < parts; i++) {
        int half = defined[i] == SampleBlock.UNDEFINED ? 0 : (int) defined[i] >>> 30;
        if (half == 0) {
          return 0;
        }
        halves = halves << 2 | half;
        into[i] = definition(i);
      }
      return parts == 1 || halves == 0b1001 ? parts : 0;
    }

    /** Returns where a stack begins that is {@link #keyed}. */
    public long innermost() {
      return keys.address((int) defined[0] & StackKeys.NUMBER);
    }
  }
}

package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.Survey;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongSort;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.KernelEvents;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The samples of the timer that a survey comes by, each with the keys of its stack where their
 * records stand behind it in its buffer: nearly always. So a profile need not go over the recording
 * again in order of time. 40 bytes a sample, and a bounded share of the memory: where that is not
 * enough, or a recording is not so plain that this finds what {@link StackRecords} does, nothing is
 * noted.
 *
 * <p>Each thread of the survey has {@link SampleNotes}; {@link SampleJoin} puts them in order.
 */
public final class NotedSamples {
  /** Samples to be noted. */
  public enum Wanted {
    /** None. */
    NONE,
    /** All that are not idle; of the others only how many there are. */
    BUSY,
    /** All. */
    ALL
  }

  /** Share of the memory: a fifth, in words. */
  private static final long MOST_WORDS = Runtime.getRuntime().maxMemory() / 5 / Long.BYTES;

  /** Stack records that are not in the buffer of their event, some 40 bytes each. */
  private static final int MOST_APART =
      Math.clamp(Runtime.getRuntime().maxMemory() / 32 / 40, 1 << 12, 1 << 22);

  final EtwRecording recording;
  final StackMatchRules targets;
  private final Wanted wanted;

  /** Samples of a window, about. */
  final int window;

  private final AtomicLong words = new AtomicLong();
  private volatile boolean isGivenUp;

  /** By file and buffer: whether it has records that stack records may be about. */
  final boolean[][] kernel;

  /** By file: number of its first buffer among those of all. */
  final int[] firstBuffers;

  private final List<SampleBlock> blocks = new ArrayList<>();

  /** Stack records without an event in their buffer. */
  private final Columns apart = new Columns(64, MOST_APART);

  final LongColumn times = apart.longs();
  final LongColumn keys = apart.longs();
  final LongColumn written = apart.longs();

  /** Number of the buffer, and place in it. */
  final LongColumn origins = apart.longs();

  final IntColumn threads = apart.ints();
  final IntColumn cpus = apart.ints();

  private long idle;
  private long references;
  private long leftOut;
  private long undefined;
  private @Nullable SampleJoin joined;

  /**
   * Knows no samples yet.
   *
   * @param wanted which ones are to be noted
   * @param window about how many are put in order at once
   */
  public NotedSamples(EtwRecording recording, KernelEvents kernel, Wanted wanted, int window) {
    this.recording = recording;
    this.wanted = wanted;
    this.window = window;
    this.targets = new StackMatchRules(kernel);
    this.kernel = new boolean[recording.files().size()][];
    this.firstBuffers = new int[this.kernel.length];
    int buffers = 0;
    for (int i = 0; i < this.kernel.length; i++) {
      this.kernel[i] = new boolean[recording.files().get(i).buffers().count()];
      this.firstBuffers[i] = buffers;
      buffers += this.kernel[i].length;
    }
    this.isGivenUp = wanted == Wanted.NONE || !recording.oneClock();
  }

  /** Makes the notes of one thread of a survey. */
  public SampleNotes notes() {
    return new SampleNotes(this);
  }

  boolean isGivenUp() {
    return isGivenUp;
  }

  /** Notes nothing any more, and forgets what was noted. */
  synchronized void giveUp() {
    isGivenUp = true;
    blocks.clear();
    apart.clear();
    apart.trim();
  }

  /** Asks for memory; false if there is no more. */
  boolean reserve(int more) {
    return words.addAndGet(more) <= MOST_WORDS;
  }

  /** Adds a stack record whose event is not before it in its buffer. */
  synchronized void addApart(
      long time, int thread, int cpu, long key, long writtenAt, long origin) {
    if (isGivenUp) {
      return;
    }
    if (apart.isFull()) {
      giveUp();
      return;
    }
    int row = apart.add();
    times.set(row, time);
    keys.set(row, key);
    written.set(row, writtenAt);
    origins.set(row, origin);
    threads.set(row, thread);
    cpus.set(row, cpu);
  }

  /** Adds what a thread of the survey has noted. */
  synchronized void add(
      List<SampleBlock> more, long moreIdle, long moreReferences, long moreLeftOut) {
    if (!isGivenUp) {
      blocks.addAll(more);
      idle += moreIdle;
      references += moreReferences;
      leftOut += moreLeftOut;
    }
  }

  /** Returns true if idle samples are only counted. */
  boolean areIdleCounted() {
    return wanted == Wanted.BUSY;
  }

  /** Number of idle samples that are not noted. */
  long idle() {
    return idle;
  }

  /** Number of stack records that name an event. */
  public long references() {
    return references;
  }

  /** Stack records that are too short to have a key. */
  public long leftOut() {
    return leftOut;
  }

  /**
   * Puts the samples in order, once; null if they must be found by a walk. The survey is over.
   *
   * @param stacks of the same survey
   * @param cores threads to use
   */
  public synchronized @Nullable SampleJoin join(StackRecords stacks, int cores) {
    if (joined == null && !isGivenUp) {
      SampleJoin join = isPlain(cores) ? SampleJoin.of(this, blocks, stacks, cores) : null;
      if (join == null) {
        giveUp();
      }
      joined = join;
    }
    return joined;
  }

  /** Rows of the stack records apart. */
  int apart() {
    return apart.rows();
  }

  /** Puts definitions in the place of keys. */
  private void define(StackKeys definitions) {
    long[] order = new long[apart.rows()];
    for (int row = 0; row < order.length; row++) {
      order[row] = (long) StackKeys.hash(keys.get(row)) << 32 | row;
    }
    // So that memory is read forwards.
    LongSort.sort(order, order.length, Integer.SIZE);
    for (long one : order) {
      int row = (int) one;
      long defined = definitions.find(keys.get(row), written.get(row));
      keys.set(row, defined);
      undefined += defined == SampleBlock.UNDEFINED ? 1 : 0;
    }
  }

  /** Stack records apart whose key nothing defines. */
  long undefined() {
    return undefined;
  }

  /** Defines and sorts the stack records apart, as {@link StackRecordWindow} does. */
  void sortApart(StackKeys definitions) {
    define(definitions);
    apart.sort((a, b) -> {
      int byTime = Long.compare(times.get(a), times.get(b));
      int byThread = byTime != 0 ? byTime : Integer.compare(threads.get(a), threads.get(b));
      if (byThread == 0 && threads.get(a) == 0) {
        byThread = Integer.compare(cpus.get(a), cpus.get(b));
      }
      int byWritten = byThread != 0 ? byThread : Long.compare(written.get(a), written.get(b));
      return byWritten != 0 ? byWritten : Long.compare(origins.get(a), origins.get(b));
    });
  }

  /**
   * Returns true if buffers with events of the kernel never cover the same time on one CPU, but for
   * the tick at which one ends and the next begins: that is noted in the blocks of the next. A
   * sample with its stack behind it in its buffer then is what the stack is about.
   */
  private boolean isPlain(int cores) {
    Survey survey = recording.survey(cores);
    int total = 0;
    for (boolean[] file : kernel) {
      total += file.length;
    }
    int[] files = new int[total];
    int[] buffers = new int[total];
    int count = 0;
    for (int f = 0; f < kernel.length; f++) {
      for (int b = 0; b < kernel[f].length; b++) {
        if (kernel[f][b]) {
          files[count] = f;
          buffers[count++] = b;
        }
      }
    }
    int[] order =
        RowSort.sorted(
            count,
            (a, b) -> {
              int byCpu =
                  Integer.compare(index(files[a]).cpu(buffers[a]), index(files[b]).cpu(buffers[b]));
              return byCpu != 0
                  ? byCpu
                  : Long.compare(
                      survey.earliest(files[a], buffers[a]), survey.earliest(files[b], buffers[b]));
            });
    long[][] before = new long[kernel.length][];
    for (int f = 0; f < kernel.length; f++) {
      before[f] = new long[kernel[f].length];
      Arrays.fill(before[f], Long.MIN_VALUE);
    }
    for (int i = 1; i < count; i++) {
      int last = order[i - 1];
      int next = order[i];
      if (index(files[last]).cpu(buffers[last]) == index(files[next]).cpu(buffers[next])) {
        long end = survey.latest(files[last], buffers[last]);
        if (survey.earliest(files[next], buffers[next]) < end) {
          return false;
        }
        before[files[next]][buffers[next]] = end;
      }
    }
    for (SampleBlock block : blocks) {
      block.before = before[block.file][block.buffer];
    }
    return true;
  }

  private BufferIndex index(int file) {
    return recording.files().get(file).buffers();
  }
}

package io.ntrail.analysis.recording;

import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/**
 * Finds the events that stack records of the kernel logger belong to: those whose time stamp, and
 * whose thread where their header tells one, a stack record names.
 *
 * <p>A stack record comes after its event, up to seconds later and in any buffer. So the time of
 * the recording is cut into slices with a bounded number of stack records each, and for each slice
 * only those buffers are read whose records, or whose stack records' events, lie in it: about one
 * more pass over the file in all, with a few megabytes at a time.
 */
public final class StackJoin {
  private static final int STACK_GROUP = 0x18;
  private static final int STACK_WALK = 0x1820;
  private static final int STACK_KEY_KERNEL = 0x1825;
  private static final int STACK_KEY_USER = 0x1826;

  /** Stack records of a slice: their times fit into a cache of a few megabytes. */
  private static final int SLICE = 1 << 18;

  /** Stack records that are remembered at once if slices do not part them. */
  private static final int MOST = 1 << 22;

  /**
   * What is known of the buffers of one file, filled while records are visited for other reasons.
   */
  private static final class Buffers {
    final int[] stacks;
    final long[] firstNamed;
    final long[] lastNamed;
    final long[] firstTime;
    final long[] lastTime;

    Buffers(int count) {
      stacks = new int[count];
      firstNamed = filled(count, Long.MAX_VALUE);
      lastNamed = filled(count, Long.MIN_VALUE);
      firstTime = filled(count, Long.MAX_VALUE);
      lastTime = filled(count, Long.MIN_VALUE);
    }

    private static long[] filled(int count, long value) {
      long[] values = new long[count];
      Arrays.fill(values, value);
      return values;
    }
  }

  /**
   * Named times from (inclusive) to (exclusive), and how many stack records may name one at most.
   */
  private record Slice(long from, long to, long stacks) {}

  /** The events of a slice that stack records name. */
  private static final class Named {
    final LongSet times = new LongSet();
    final LongSet timesAndThreads = new LongSet();

    void add(long ticks, int thread) {
      times.add(ticks);
      timesAndThreads.add(mix(ticks, thread));
    }

    boolean contains(RecordCursor record) {
      long ticks = record.ticks();
      if (!times.contains(ticks)) {
        return false;
      }
      int thread = record.threadId();
      return thread == RecordCursor.NO_ID || timesAndThreads.contains(mix(ticks, thread));
    }

    private static long mix(long ticks, int thread) {
      long mixed = (ticks ^ thread * 0x9E37_79B9_7F4A_7C15L) * 0xD6E8_FEB8_6659_FD93L;
      return mixed ^ mixed >>> 32;
    }
  }

  private final Recording recording;
  private final KernelEvents kernel;
  private final List<Buffers> files;

  /** Knows no stack records yet: all records must be visited first. */
  public StackJoin(Recording recording, KernelEvents kernel) {
    this.recording = recording;
    this.kernel = kernel;
    this.files =
        recording.files().stream().map(file -> new Buffers(file.buffers().count())).toList();
  }

  /** Notes a record of a buffer; each buffer is visited by one thread. */
  public void visit(int file, RecordCursor record) {
    Buffers buffers = files.get(file);
    int buffer = record.buffer();
    long ticks = record.ticks();
    if (ticks < buffers.firstTime[buffer]) {
      buffers.firstTime[buffer] = ticks;
    }
    if (ticks > buffers.lastTime[buffer]) {
      buffers.lastTime[buffer] = ticks;
    }
    if (record.kind().isHook() && isReference(record)) {
      long named = record.bytes().i64(record.payloadOffset());
      buffers.stacks[buffer]++;
      buffers.firstNamed[buffer] = Math.min(buffers.firstNamed[buffer], named);
      buffers.lastNamed[buffer] = Math.max(buffers.lastNamed[buffer], named);
    }
  }

  private static boolean isReference(RecordCursor record) {
    int hook = record.hookId();
    return hook >>> 8 == STACK_GROUP
        && (hook == STACK_WALK || hook == STACK_KEY_KERNEL || hook == STACK_KEY_USER)
        && record.payloadLength() >= 16;
  }

  /**
   * Gives every event that has a stack record to {@code found}, in no particular order. All records
   * must have been visited before.
   */
  public <A> A events(
      int cores, Supplier<A> make, BiConsumer<A, RecordCursor> found, BinaryOperator<A> merge) {
    List<Slice> slices = slices();
    return Parallel.run(
        cores, slices.size(), make, (into, i) -> join(slices.get(i), into, found), merge);
  }

  /** Cuts the named times so that about {@value #SLICE} stack records fall into each slice. */
  private List<Slice> slices() {
    int total = files.stream().mapToInt(buffers -> buffers.stacks.length).sum();
    long[] firsts = new long[total];
    int[] counts = new int[total];
    int n = 0;
    for (Buffers buffers : files) {
      for (int b = 0; b < buffers.stacks.length; b++) {
        if (buffers.stacks[b] > 0) {
          firsts[n] = buffers.firstNamed[b];
          counts[n++] = buffers.stacks[b];
        }
      }
    }
    int[] order = IndexSort.ascending(firsts, n);
    List<Slice> slices = new ArrayList<>();
    long from = Long.MIN_VALUE;
    long inSlice = 0;
    for (int i = 0; i < n; i++) {
      long first = firsts[order[i]];
      if (inSlice >= SLICE && first > from) {
        slices.add(new Slice(from, first, inSlice));
        from = first;
        inSlice = 0;
      }
      inSlice += counts[order[i]];
    }
    if (n > 0) {
      slices.add(new Slice(from, Long.MAX_VALUE, inSlice));
    }
    return withMost(slices);
  }

  /** Counts for each slice the stack records of all buffers that may name a time in it. */
  private List<Slice> withMost(List<Slice> slices) {
    long[] starts = slices.stream().mapToLong(Slice::from).toArray();
    long[] changes = new long[starts.length + 1];
    for (Buffers buffers : files) {
      for (int b = 0; b < buffers.stacks.length; b++) {
        if (buffers.stacks[b] > 0) {
          changes[sliceOf(starts, buffers.firstNamed[b])] += buffers.stacks[b];
          changes[sliceOf(starts, buffers.lastNamed[b]) + 1] -= buffers.stacks[b];
        }
      }
    }
    List<Slice> counted = new ArrayList<>();
    long stacks = 0;
    for (int i = 0; i < starts.length; i++) {
      stacks += changes[i];
      counted.add(new Slice(starts[i], slices.get(i).to, stacks));
    }
    return counted;
  }

  private static int sliceOf(long[] starts, long ticks) {
    int at = Arrays.binarySearch(starts, ticks);
    return at >= 0 ? at : -at - 2;
  }

  /**
   * Answers whether events have stack records, one after the other in time order. All records must
   * have been visited before.
   */
  public Walk inOrder() {
    return new Walk();
  }

  /** Goes along with a walk in time order, with the stack records of the slice at hand. */
  public final class Walk {
    private final List<Slice> slices = slices();
    private final long[] starts = slices.stream().mapToLong(Slice::from).toArray();
    private int current = -1;
    private Named named = new Named();
    private boolean incomplete;

    private Walk() {}

    /** Whether a stack record names the event. */
    public boolean hasStack(RecordCursor record) {
      if (starts.length == 0 || !mayHaveStack(record)) {
        return false;
      }
      int wanted = sliceOf(starts, record.ticks());
      if (wanted < 0) {
        return false;
      }
      if (wanted != current) {
        current = wanted;
        named = new Named();
        Slice slice = slices.get(wanted);
        for (int f = 0; f < files.size() && named.times.size() <= MOST; f++) {
          collect(f, slice, named, 0, 1, MOST);
        }
        incomplete |= named.times.size() > MOST;
      }
      return named.contains(record);
    }

    /** Whether there were too many stack records of one time to be remembered. */
    public boolean isIncomplete() {
      return incomplete;
    }
  }

  private <A> void join(Slice slice, A into, BiConsumer<A, RecordCursor> found) {
    // Usually one; more where the recorder (or somebody hostile) named times all over the place.
    int passes = (int) Math.max(1, Math.ceilDiv(slice.stacks, (long) MOST));
    for (int pass = 0; pass < passes; pass++) {
      Named named = new Named();
      for (int f = 0; f < files.size(); f++) {
        collect(f, slice, named, pass, passes, Integer.MAX_VALUE);
      }
      for (int f = 0; f < files.size(); f++) {
        match(f, slice, named, into, found);
      }
    }
  }

  private void collect(int f, Slice slice, Named named, int pass, int passes, int limit) {
    Buffers buffers = files.get(f);
    try (RecordCursor record = cursor(f)) {
      for (int b = 0; b < buffers.stacks.length; b++) {
        if (buffers.lastNamed[b] >= slice.from && buffers.firstNamed[b] < slice.to) {
          record.open(b);
          while (named.times.size() <= limit && record.next()) {
            if (record.kind().isHook() && isReference(record)) {
              int payload = record.payloadOffset();
              long ticks = record.bytes().i64(payload);
              if (ticks >= slice.from
                  && ticks < slice.to
                  && (passes == 1 || Math.floorMod(ticks, passes) == pass)) {
                named.add(ticks, record.bytes().i32(payload + 12));
              }
            }
          }
        }
      }
    }
  }

  private <A> void match(
      int f, Slice slice, Named named, A into, BiConsumer<A, RecordCursor> found) {
    Buffers buffers = files.get(f);
    try (RecordCursor record = cursor(f)) {
      for (int b = 0; b < buffers.stacks.length; b++) {
        if (buffers.lastTime[b] >= slice.from && buffers.firstTime[b] < slice.to) {
          record.open(b);
          while (record.next()) {
            if (mayHaveStack(record) && named.contains(record)) {
              found.accept(into, record);
            }
          }
          recording.visited(record);
        }
      }
    }
  }

  private boolean mayHaveStack(RecordCursor record) {
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      return record.hookId() >>> 8 != STACK_GROUP;
    }
    return kind.isClassic() && kernel.hookId(record.provider(), record.opcode()) >= 0;
  }

  private RecordCursor cursor(int file) {
    EtlFile etl = recording.files().get(file);
    return recording.cursor(etl);
  }
}

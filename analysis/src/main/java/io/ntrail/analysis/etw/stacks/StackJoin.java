package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.ReadingState;
import io.ntrail.analysis.etw.recording.Survey;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BinaryOperator;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds all events that stack records belong to, on several cores and without their frames: the
 * same ones as {@link StackRecords}, which goes along with a walk in time order.
 *
 * <p>A stack record comes after its event, up to seconds later and in any buffer. So the time of
 * the recording is cut into slices with a bounded number of stack records each, and for each slice
 * only those buffers are read whose records, or whose stack records' events, lie in it: about one
 * more pass over the file in all, with a few megabytes at a time.
 */
public final class StackJoin {
  /** Stack records of a slice: what is known of them fits into a few megabytes. */
  private static final int SLICE = 1 << 18;

  /** Stack records that are remembered at once if slices do not part them. */
  private static final int MOST = 1 << 21;

  /** Share of the memory for what stack records name, so that they are not read again. */
  private static final long MOST_KEPT = Runtime.getRuntime().maxMemory() / 16 / Long.BYTES;

  /** Columns about the buffers of one file, filled while records are visited. */
  private static final class Buffers {
    final int[] stacks;
    final long[] firstNamed;
    final long[] lastNamed;

    /** True if it has records of the kernel logger, which stack records may belong to. */
    final boolean[] kernel;

    /** Of each whole stack record the time it names; then how much later it was written, thread. */
    final long[] @Nullable [] named;

    final int[] words;

    /** True if not all stack records are in {@link #named}. */
    final boolean[] again;

    Buffers(int count) {
      stacks = new int[count];
      firstNamed = new long[count];
      lastNamed = new long[count];
      kernel = new boolean[count];
      named = new long[count][];
      words = new int[count];
      again = new boolean[count];
      Arrays.fill(firstNamed, Long.MAX_VALUE);
      Arrays.fill(lastNamed, Long.MIN_VALUE);
    }
  }

  /**
   * Named times from (inclusive) to (exclusive), and how many stack records may name one at most.
   */
  private record Slice(long from, long to, long stacks) {
    boolean contains(long time) {
      return time >= from && (time < to || to == Long.MAX_VALUE);
    }
  }

  private final EtwRecording recording;
  private final StackMatchRules targets;
  private final List<Buffers> files;
  private final AtomicBoolean incomplete = new AtomicBoolean();
  private final AtomicLong kept = new AtomicLong();

  /** Knows no stack records yet: all records must be visited first. */
  public StackJoin(EtwRecording recording, KernelEvents kernel) {
    this.recording = recording;
    this.targets = new StackMatchRules(kernel);
    this.files =
        recording.files().stream().map(file -> new Buffers(file.buffers().count())).toList();
  }

  /** Notes a record of a buffer; each buffer is visited by one thread. */
  public void visit(int file, RecordCursor record) {
    int hook = StackMatchRules.stackHook(record);
    if (hook < 0) {
      if (!record.kind().isEvent()) {
        files.get(file).kernel[record.buffer()] = true;
      }
    } else if (StackMatchRules.isReference(record)) {
      Buffers buffers = files.get(file);
      int buffer = record.buffer();
      long named = named(record);
      buffers.stacks[buffer]++;
      buffers.firstNamed[buffer] = Math.min(buffers.firstNamed[buffer], named);
      buffers.lastNamed[buffer] = Math.max(buffers.lastNamed[buffer], named);
      if (isWhole(record)) {
        keep(buffers, buffer, named, record);
      }
    }
  }

  private void keep(Buffers buffers, int buffer, long named, RecordCursor reference) {
    long later = written(reference) - named;
    int words = buffers.words[buffer];
    long[] ofBuffer = buffers.named[buffer];
    int capacity = ofBuffer == null ? 0 : ofBuffer.length;
    if (words == capacity) {
      int more = Math.max(32, capacity);
      if (kept.get() > MOST_KEPT - more) {
        buffers.again[buffer] = true;
        return;
      }
      kept.addAndGet(more);
      ofBuffer = ofBuffer == null ? new long[more] : Arrays.copyOf(ofBuffer, capacity + more);
      buffers.named[buffer] = ofBuffer;
    }
    if (ofBuffer == null || later != (int) later) {
      buffers.again[buffer] = true;
      return;
    }
    ofBuffer[words] = named;
    ofBuffer[words + 1] = later << 32 | thread(reference) & 0xFFFF_FFFFL;
    buffers.words[buffer] = words + 2;
  }

  private long written(RecordCursor reference) {
    return recording.key(reference.file(), reference.ticks());
  }

  private static int thread(RecordCursor reference) {
    return reference.bytes().i32(reference.payloadOffset() + Stack.THREAD_ID);
  }

  private long named(RecordCursor record) {
    return recording.key(
        record.file(), record.bytes().i64(record.payloadOffset() + Stack.EVENT_TIME_STAMP));
  }

  private static boolean isWhole(RecordCursor reference) {
    return StackMatchRules.stackHook(reference) == KernelEvent.STACKWALK_STACK
        || reference.payloadLength() >= Stack.FRAMES + reference.pointerBytes();
  }

  /**
   * Counts every event that has a stack record, in no particular order. All records must have been
   * visited before, and the recording surveyed.
   *
   * @param make makes what a thread counts into
   * @param row the row of it that a record belongs to
   * @param found called for every event that has a stack, with its row
   */
  public <A> A events(
      int cores,
      Supplier<A> make,
      ToIntBiFunction<A, RecordCursor> row,
      ObjIntConsumer<A> found,
      BinaryOperator<A> merge) {
    List<Slice> slices = slices();
    Survey survey = recording.survey(cores);
    recording.reading().begin(ReadingState.Pass.STACKS, slices.size());
    return ParallelTasks.run(
        cores,
        slices.size(),
        make,
        (into, i) -> {
          join(slices.get(i), survey, into, row, found);
          recording.reading().done(1);
        },
        merge);
  }

  /** Returns true if so many stack records name one time that not all were looked at. */
  public boolean isIncomplete() {
    return incomplete.get();
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
    int[] order = RowSort.ascending(firsts, n);
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

  private static int sliceOf(long[] starts, long time) {
    return Search.floor(starts, starts.length, time);
  }

  private <A> void join(
      Slice slice,
      Survey survey,
      A into,
      ToIntBiFunction<A, RecordCursor> row,
      ObjIntConsumer<A> found) {
    // Usually one; more where the recorder (or a hostile file) named times all over the place.
    int passes = (int) Math.max(1, Math.ceilDiv(slice.stacks, (long) MOST));
    for (int pass = 0; pass < passes; pass++) {
      StackMatches named = new StackMatches();
      for (int f = 0; f < files.size(); f++) {
        collect(f, slice, named, pass, passes);
      }
      named.settle();
      for (int f = 0; f < files.size(); f++) {
        match(f, slice, survey, named, into, row);
      }
      named.forEach(i -> found.accept(into, i));
      if (named.isIncomplete()) {
        incomplete.set(true);
      }
    }
  }

  private void collect(int f, Slice slice, StackMatches named, int pass, int passes) {
    Buffers buffers = files.get(f);
    BufferIndex index = recording.files().get(f).buffers();
    try (RecordCursor record = cursor(f)) {
      for (int b = 0; b < buffers.stacks.length; b++) {
        boolean isMeant =
            buffers.lastNamed[b] >= slice.from && slice.contains(buffers.firstNamed[b])
                || buffers.firstNamed[b] < slice.from && buffers.lastNamed[b] >= slice.from;
        if (!isMeant) {
          continue;
        }
        long[] kept = buffers.named[b];
        if (buffers.again[b]) {
          record.open(b);
          while (record.next()) {
            if (StackMatchRules.isReference(record) && isWhole(record)) {
              long time = named(record);
              if (isMeant(time, slice, pass, passes)) {
                named.add(time, thread(record), record.cpu(), written(record));
              }
            }
          }
        } else if (kept != null) {
          int cpu = index.cpu(b);
          for (int i = 0; i < buffers.words[b]; i += 2) {
            long time = kept[i];
            if (isMeant(time, slice, pass, passes)) {
              named.add(time, (int) kept[i + 1], cpu, time + (kept[i + 1] >> 32));
            }
          }
        }
      }
    }
  }

  private static boolean isMeant(long time, Slice slice, int pass, int passes) {
    return slice.contains(time) && (passes == 1 || Math.floorMod(time, passes) == pass);
  }

  private <A> void match(
      int f,
      Slice slice,
      Survey survey,
      StackMatches named,
      A into,
      ToIntBiFunction<A, RecordCursor> row) {
    EtlFile file = recording.files().get(f);
    BufferIndex index = file.buffers();
    boolean[] kernel = files.get(f).kernel;
    try (RecordCursor record = cursor(f)) {
      for (int b = 0; b < index.count(); b++) {
        if (!kernel[b]
            || survey.earliest(f, b) > survey.latest(f, b)
            || recording.key(file, survey.latest(f, b)) < slice.from
            || recording.key(file, survey.earliest(f, b)) > slice.to) {
          continue;
        }
        record.open(b);
        named.open(index.cpu(b), index.sequence(b));
        while (record.next()) {
          int of = named.find(recording.key(file, record.ticks()));
          if (of >= 0 && targets.mayHaveStack(record)) {
            named.offer(targets, of, record, row.applyAsInt(into, record));
          }
        }
        recording.visited(record);
      }
    }
  }

  private RecordCursor cursor(int file) {
    return recording.cursor(recording.files().get(file));
  }
}

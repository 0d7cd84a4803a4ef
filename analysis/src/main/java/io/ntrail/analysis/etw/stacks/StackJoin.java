package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.ReadingState;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Finds all events that stack records belong to, on several cores and without their frames: the
 * same ones as {@link StackRecords}, which goes along with a walk in time order.
 *
 * <p>A stack record comes after its event, up to seconds later and in any buffer. So the time of
 * the recording is cut into slices with a bounded number of stack records each. Nearly all events
 * were noted in the survey already, as they stand just before their stack record in the same buffer
 * ({@link StackNotes}). For the others those buffers are read once more whose records lie about the
 * named time, of most only the end.
 */
public final class StackJoin {
  /** Stack records of a slice: what is known of them fits into a few megabytes. */
  private static final int SLICE = 1 << 16;

  /** Part of the entries that may be looked for at the ends of buffers first. */
  private static final int MANY = 8;

  /** Stack records that are remembered at once if slices do not part them. */
  private static final int MOST = 1 << 21;

  /**
   * Named times from (inclusive) to (exclusive), and how many stack records may name one at most.
   */
  private record Slice(long from, long to, long stacks) {
    boolean contains(long time) {
      return time >= from && (time < to || to == Long.MAX_VALUE);
    }
  }

  /** Takes the events that have a stack, into what a thread counts. */
  public interface Found<A> {
    /** Takes an event. */
    void accept(A into, Event event);
  }

  /**
   * An event that has a stack.
   *
   * @param hook its hook id
   * @param version its version
   * @param amount what the caller of {@link StackJoin} wanted to know of it
   */
  public record Event(int hook, int version, int amount) {}

  private final EtwRecording recording;
  private final StackMatchRules targets;
  private final List<NotedBuffers> files;
  private final ToIntFunction<RecordCursor> amount;
  private final AtomicBoolean incomplete = new AtomicBoolean();
  private final AtomicLong kept = new AtomicLong();

  /**
   * Knows no stack records yet: all records must be noted first.
   *
   * @param amount what is to be known of an event that has a stack, 0 to 255; asked by all threads
   */
  public StackJoin(
      EtwRecording recording, KernelEvents kernel, ToIntFunction<RecordCursor> amount) {
    this.recording = recording;
    this.targets = new StackMatchRules(kernel);
    this.amount = amount;
    this.files =
        recording.files().stream().map(file -> new NotedBuffers(file.buffers().count())).toList();
  }

  /** Makes the notes of one thread of a survey for this join. */
  public StackNotes notes() {
    return new StackNotes(recording, targets, files, amount, kept);
  }

  /**
   * Counts every event that has a stack record, in no particular order. All records must have been
   * visited before, and the recording surveyed.
   *
   * @param make makes what a thread counts into
   * @param found called for every event that has a stack
   */
  public <A> A events(int cores, Supplier<A> make, Found<A> found, BinaryOperator<A> merge) {
    List<Slice> slices = slices();
    KernelBuffers kernel = new KernelBuffers(recording, recording.survey(cores), files);
    recording.reading().begin(ReadingState.Pass.STACKS, slices.size());
    return ParallelTasks.run(
        cores,
        slices.size(),
        make,
        (into, i) -> {
          join(slices.get(i), kernel, into, found);
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
    for (NotedBuffers buffers : files) {
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
    for (NotedBuffers buffers : files) {
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

  private <A> void join(Slice slice, KernelBuffers kernel, A into, Found<A> found) {
    // Usually one; more where the recorder (or a hostile file) named times all over the place.
    int passes = (int) Math.max(1, Math.ceilDiv(slice.stacks, (long) MOST));
    for (int pass = 0; pass < passes; pass++) {
      StackMatches named = new StackMatches();
      for (int f = 0; f < files.size(); f++) {
        collect(f, slice, kernel, named, pass, passes);
      }
      named.settle();
      findRest(kernel, named);
      named.forEach(event ->
          found.accept(
              into,
              new Event(
                  StackNotes.hook(event), StackNotes.version(event), StackNotes.amount(event))));
      if (named.isIncomplete()) {
        incomplete.set(true);
      }
    }
  }

  private void collect(
      int f, Slice slice, KernelBuffers kernel, StackMatches named, int pass, int passes) {
    NotedBuffers buffers = files.get(f);
    try (RecordCursor record = cursor(f)) {
      for (int b = 0; b < buffers.count(); b++) {
        boolean isMeant =
            buffers.lastNamed[b] >= slice.from && slice.contains(buffers.firstNamed[b])
                || buffers.firstNamed[b] < slice.from && buffers.lastNamed[b] >= slice.from;
        if (!isMeant) {
          continue;
        }
        if (buffers.again[b]) {
          record.open(b);
          while (record.next()) {
            if (StackMatchRules.isReference(record) && StackNotes.isWhole(record)) {
              long time = StackNotes.named(recording, record);
              if (isMeant(time, slice, pass, passes)) {
                long written = StackNotes.written(recording, record);
                named.add(time, StackNotes.thread(record), record.cpu(), written);
              }
            }
          }
          continue;
        }
        long[] noted = buffers.named[b];
        if (noted != null) {
          int number = kernel.number(f, b);
          boolean isClear = kernel.isClear(number);
          int cpu = recording.files().get(f).buffers().cpu(b);
          for (int i = NotedBuffers.BASE; i < noted.length; i += NotedBuffers.WORDS) {
            long time = noted[0] + (noted[i] >> 32);
            if (isMeant(time, slice, pass, passes)) {
              int thread = (int) noted[i];
              long event = noted[i + 1];
              if (event < 0) {
                named.add(time, thread, cpu, time + (int) event);
              } else if (isClear) {
                named.add(time, thread, cpu, number, event);
              } else {
                named.add(time, thread, cpu, time + NotedEvent.later(event));
              }
            }
          }
        }
      }
    }
  }

  private static boolean isMeant(long time, Slice slice, int pass, int passes) {
    return slice.contains(time) && (passes == 1 || Math.floorMod(time, passes) == pass);
  }

  /** Finds the records of entries whose record was not noted with them. */
  private void findRest(KernelBuffers kernel, StackMatches named) {
    int open = named.open();
    if (open > 0 && open <= named.size() / MANY) {
      long[] firsts = new long[kernel.count()];
      Arrays.fill(firsts, Long.MAX_VALUE);
      for (int i = 0; i < named.size(); i++) {
        int buffer = named.isBest(i) ? -1 : kernel.clear(named.cpu(i), named.time(i));
        if (buffer >= 0) {
          firsts[buffer] = Math.min(firsts[buffer], named.time(i));
        }
      }
      for (int f = 0; f < files.size(); f++) {
        matchEnds(f, firsts, kernel, named);
      }
    }
    long[] times = named.openTimes();
    for (int f = 0; f < files.size() && times.length > 0; f++) {
      matchAll(f, times, kernel, named);
    }
  }

  /**
   * Offers records of clear buffers for stack records of the same CPU, most of which stand at the
   * start of the next buffer.
   *
   * @param firsts for each buffer the first time that is looked for
   */
  private void matchEnds(int f, long[] firsts, KernelBuffers kernel, StackMatches named) {
    NotedBuffers buffers = files.get(f);
    try (RecordCursor record = cursor(f)) {
      for (int b = 0; b < buffers.count(); b++) {
        int number = kernel.number(f, b);
        if (firsts[number] == Long.MAX_VALUE) {
          continue;
        }
        boolean isInTail = false;
        if (buffers.tails[b] > 0) {
          record.open(b, buffers.tails[b]);
          isInTail = record.next() && key(record) < firsts[number];
        }
        if (!isInTail) {
          record.open(b);
        }
        offer(record, number, named);
      }
    }
  }

  /** Offers the records of all buffers that lie about one of the times. */
  private void matchAll(int f, long[] times, KernelBuffers kernel, StackMatches named) {
    NotedBuffers buffers = files.get(f);
    try (RecordCursor record = cursor(f)) {
      for (int b = 0; b < buffers.count(); b++) {
        int number = kernel.number(f, b);
        if (buffers.kernel[b] && kernel.holdsAny(number, times)) {
          record.open(b);
          offer(record, number, named);
          recording.visited(record);
        }
      }
    }
  }

  private void offer(RecordCursor record, int number, StackMatches named) {
    BufferIndex index = record.file().buffers();
    int buffer = record.buffer();
    named.open(number, index.cpu(buffer), index.sequence(buffer));
    while (record.next()) {
      int of = named.find(key(record));
      if (of >= 0 && targets.mayHaveStack(record)) {
        named.offer(targets, of, record, event -> StackNotes.subject(targets, event, amount));
      }
    }
  }

  private long key(RecordCursor record) {
    return recording.key(record.file(), record.ticks());
  }

  private RecordCursor cursor(int file) {
    return recording.cursor(recording.files().get(file));
  }
}

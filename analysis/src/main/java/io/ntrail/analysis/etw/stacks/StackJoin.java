package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.ReadingState;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.formats.collections.IntList;
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
import org.jspecify.annotations.Nullable;

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

  /** Words of notes that are gone over in one call, since compilers count calls. */
  private static final int STRETCH = 64 * NotedBuffers.WORDS;

  /** No time is looked for at the end of a buffer, or the last of all times. */
  private static final long NOT_WANTED = Long.MAX_VALUE;

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

  /** Takes events that have a stack, into what a thread counts. */
  public interface Found<A> {
    /** Takes so many events that are alike. */
    void accept(A into, Event event, int count);
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
   * @param found called for all events that have a stack
   */
  public <A> A events(int cores, Supplier<A> make, Found<A> found, BinaryOperator<A> merge) {
    List<Slice> slices = slices();
    KernelBuffers kernel = new KernelBuffers(recording, recording.survey(cores), files);
    NamedStretches stretches = new NamedStretches(files);
    recording.reading().begin(ReadingState.Pass.STACKS, slices.size());
    return ParallelTasks.run(
            cores,
            slices.size(),
            () -> new Joiner<>(stretches, kernel, make.get(), found),
            (joiner, i) -> {
              joiner.join(slices.get(i));
              recording.reading().done(1);
            },
            (a, b) -> {
              a.into = merge.apply(a.into, b.into);
              return a;
            })
        .into;
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

  /**
   * One thread that joins slices. What it knows of one takes the memory of the one before, as
   * memory that is written for the first time costs more than the join.
   */
  private final class Joiner<A> {
    private final NamedStretches stretches;
    private final KernelBuffers kernel;
    private final Found<A> found;
    private final StackMatches named = new StackMatches();
    private final LoneTimes loneTimes = new LoneTimes();
    private final SubjectCounts counts = new SubjectCounts(this::accept);
    private A into;

    /** The slice at hand, of which every so many times are meant in one pass. */
    private Slice slice = new Slice(0, 0, 0);

    private int pass;
    private int passes;

    /** Numbers of the buffers that may name a time of the slice, ascending. */
    private int[] buffers = {};

    /** Stack records of the pass whose event was noted, and that alone name their time. */
    private int lone;

    /** By buffer: the first time that is looked for at its end. */
    private final long[] wanted;

    Joiner(NamedStretches stretches, KernelBuffers kernel, A into, Found<A> found) {
      this.stretches = stretches;
      this.kernel = kernel;
      this.into = into;
      this.found = found;
      this.wanted = new long[kernel.count()];
      Arrays.fill(wanted, NOT_WANTED);
    }

    void join(Slice next) {
      slice = next;
      buffers = stretches.about(slice.from, slice.to);
      // Usually one; more where the recorder (or a hostile file) named times all over the place.
      passes = (int) Math.max(1, Math.ceilDiv(slice.stacks, (long) MOST));
      for (pass = 0; pass < passes; pass++) {
        run();
      }
    }

    private void run() {
      named.clear();
      lone = 0;
      LoneTimes times = passes == 1 ? times() : null;
      for (int number : buffers) {
        collect(number, times);
      }
      named.settle();
      findRest();
      named.forEach(counts::add);
      counts.finish();
      if (named.isIncomplete()) {
        incomplete.set(true);
      }
    }

    private void accept(long subject, int count) {
      found.accept(
          into,
          new Event(
              StackNotes.hook(subject), StackNotes.version(subject), StackNotes.amount(subject)),
          count);
    }

    private boolean isMeant(long time) {
      return slice.contains(time) && (passes == 1 || Math.floorMod(time, passes) == pass);
    }

    /** Returns which times one stack record alone names; null if not all are noted. */
    private @Nullable LoneTimes times() {
      long first = Long.MAX_VALUE;
      long last = Long.MIN_VALUE;
      for (int number : buffers) {
        int f = kernel.file(number);
        int b = number - kernel.number(f, 0);
        NotedBuffers noted = files.get(f);
        if (noted.again[b]) {
          return null;
        }
        first = Math.min(first, noted.firstNamed[b]);
        last = Math.max(last, noted.lastNamed[b]);
      }
      LoneTimes times = loneTimes;
      times.clear(Math.max(first, slice.from), Math.min(last, slice.to), slice.stacks);
      for (int number : buffers) {
        int f = kernel.file(number);
        long[] noted = files.get(f).named[number - kernel.number(f, 0)];
        boolean isClear = kernel.isClear(number);
        for (int from = NotedBuffers.BASE; noted != null && from < noted.length; from += STRETCH) {
          name(times, noted, from, isClear);
        }
      }
      return times;
    }

    private void name(LoneTimes times, long[] noted, int from, boolean isClear) {
      int to = Math.min(noted.length, from + STRETCH);
      for (int i = from; i < to; i += NotedBuffers.WORDS) {
        long time = noted[0] + (noted[i] >> 32);
        if (noted[i + 1] >= 0 && isClear) {
          times.name(time);
        } else {
          times.nameAgain(time);
        }
      }
    }

    private void collect(int number, @Nullable LoneTimes times) {
      int f = kernel.file(number);
      int b = number - kernel.number(f, 0);
      long[] noted = files.get(f).named[b];
      if (files.get(f).again[b]) {
        try (RecordCursor record = cursor(f)) {
          record.open(b);
          collectAgain(record);
        }
      } else if (noted != null) {
        int cpu = recording.files().get(f).buffers().cpu(b);
        if (times == null || !kernel.isClear(number)) {
          collect(noted, cpu, number);
        } else {
          for (int from = NotedBuffers.BASE; from < noted.length; from += STRETCH) {
            collectRest(times, noted, from, cpu, number);
          }
        }
      }
    }

    private void collectAgain(RecordCursor record) {
      while (record.next()) {
        if (StackMatchRules.isReference(record) && StackNotes.isWhole(record)) {
          long time = StackNotes.named(recording, record);
          if (isMeant(time)) {
            long written = StackNotes.written(recording, record);
            named.add(time, StackNotes.thread(record), record.cpu(), written);
          }
        }
      }
    }

    private void collect(long[] noted, int cpu, int number) {
      boolean isClear = kernel.isClear(number);
      for (int i = NotedBuffers.BASE; i < noted.length; i += NotedBuffers.WORDS) {
        add(noted[0] + (noted[i] >> 32), (int) noted[i], noted[i + 1], cpu, number, isClear);
      }
    }

    /**
     * Collects some of what a clear buffer notes, but for what alone names its time: that is found.
     */
    private void collectRest(LoneTimes times, long[] noted, int from, int cpu, int number) {
      int to = Math.min(noted.length, from + STRETCH);
      for (int i = from; i < to; i += NotedBuffers.WORDS) {
        long time = noted[0] + (noted[i] >> 32);
        if (!times.isLone(time)) {
          add(time, (int) noted[i], noted[i + 1], cpu, number, true);
        } else if (isMeant(time)) {
          lone++;
          counts.add(StackNotes.subject(noted[i + 1]));
        }
      }
    }

    private void add(long time, int thread, long event, int cpu, int number, boolean isClear) {
      if (!isMeant(time)) {
        return;
      }
      if (event < 0) {
        named.add(time, thread, cpu, time + (int) event);
      } else if (isClear) {
        named.add(time, thread, cpu, number, event);
      } else {
        named.add(time, thread, cpu, time + NotedEvent.later(event));
      }
    }

    /** Finds the records of entries whose record was not noted with them. */
    private void findRest() {
      int open = named.open();
      if (open > 0 && open <= (named.size() + lone) / MANY) {
        matchEnds();
      }
      long[] times = named.openTimes();
      for (int f = 0; f < files.size() && times.length > 0; f++) {
        matchAll(f, times, kernel, named);
      }
    }

    /**
     * Offers records of clear buffers for stack records of the same CPU, most of which stand at the
     * start of the next buffer.
     */
    private void matchEnds() {
      IntList meant = new IntList();
      for (int i = 0; i < named.size(); i++) {
        int number = named.isBest(i) ? -1 : kernel.clear(named.cpu(i), named.time(i));
        if (number >= 0) {
          if (wanted[number] == NOT_WANTED) {
            meant.add(number);
          }
          wanted[number] = Math.min(wanted[number], named.time(i));
        }
      }
      int[] numbers = meant.toArray();
      Arrays.sort(numbers);
      for (int i = 0; i < numbers.length; ) {
        int f = kernel.file(numbers[i]);
        int first = kernel.number(f, 0);
        try (RecordCursor record = cursor(f)) {
          for (; i < numbers.length && kernel.file(numbers[i]) == f; i++) {
            matchEnd(record, f, numbers[i] - first, wanted[numbers[i]], named, numbers[i]);
            wanted[numbers[i]] = NOT_WANTED;
          }
        }
      }
    }
  }

  /** Offers the records of a buffer, from its last ones on if those begin before a time. */
  private void matchEnd(
      RecordCursor record, int f, int b, long time, StackMatches named, int number) {
    int tail = files.get(f).tails[b];
    boolean isInTail = false;
    if (tail > 0) {
      record.open(b, tail);
      isInTail = record.next() && key(record) < time;
    }
    if (!isInTail) {
      record.open(b);
    }
    offer(record, number, named);
  }

  /** Offers the records of all buffers that lie about one of the times. */
  private void matchAll(int f, long[] times, KernelBuffers kernel, StackMatches named) {
    NotedBuffers buffers = files.get(f);
    try (RecordCursor record = cursor(f)) {
      int first = kernel.number(f, 0);
      int end = first + buffers.count();
      int number = kernel.holdsAny(first, end, times);
      while (number < end) {
        record.open(number - first);
        offer(record, number, named);
        recording.visited(record);
        number = kernel.holdsAny(number + 1, end, times);
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

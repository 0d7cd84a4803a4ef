package io.ntrail.analysis.recording;

import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of a recording in time order; those of one time stamp by CPU, sequence number of the
 * buffer, file and place in the file.
 *
 * <p>Every buffer is a run. Runs wait in order of their first time; the heap opens one when that
 * time is reached, so that about one buffer a CPU and session is open. A buffer whose records are
 * not in order is sorted when it is opened. Decompressed buffers beyond {@value #MEMORY_LIMIT}
 * bytes are given back and inflated again when their turn comes: a file whose buffers all overlap
 * costs time, not memory.
 *
 * <p>The earliest time of a run is known exactly after {@link Recording#survey}; without it, that
 * of its first record is taken, and {@link #lateRecords()} says whether that was wrong.
 */
public final class OrderedCursor implements AutoCloseable {
  private static final long MEMORY_LIMIT = 128L << 20;

  /** One buffer that is being read. */
  private static final class Run {
    final int file;
    final EtlFile etl;
    @Nullable RecordCursor cursor;
    final int buffer;
    final int cpu;
    final long sequence;
    final int memory;
    // A buffer out of order: its records by time. Else in place.
    long @Nullable [] times;
    int @Nullable [] offsets;
    int position;
    // Where a run that was given back goes on.
    int offset;
    long ticks;

    Run(int file, EtlFile etl, int buffer) {
      this.file = file;
      this.etl = etl;
      this.buffer = buffer;
      BufferIndex index = etl.buffers();
      this.cpu = index.cpu(buffer);
      this.sequence = index.sequence(buffer);
      this.memory = index.compressed(buffer) ? index.inflatedBytes(buffer) : 0;
    }
  }

  private final Recording recording;
  private final @Nullable Survey survey;
  private final boolean oneClock;
  private final long from;
  private final long to;

  private final long[] waitingKeys;
  private final int[] waitingFiles;
  private final int[] waitingBuffers;
  private int waiting;

  private Run[] heap = new Run[16];
  private long[] keys = new long[16];
  private int size;

  private final List<ArrayDeque<RecordCursor>> spare = new ArrayList<>();
  private final List<RecordCursor> all = new ArrayList<>();
  private long memory;
  private long late;
  private long taken = Long.MIN_VALUE;
  private boolean started;

  /**
   * The run on top may go on without a look at the heap while its records are before this: the next
   * run's record, the next buffer to open, the end of the range.
   */
  private long limit = Long.MIN_VALUE;

  private @Nullable RecordCursor top;

  OrderedCursor(Recording recording, @Nullable Survey survey, long from, long to) {
    this.recording = recording;
    this.survey = survey;
    this.oneClock = recording.oneClock();
    this.from = from;
    this.to = to;
    List<EtlFile> files = recording.files();
    int total = 0;
    for (EtlFile file : files) {
      total += file.buffers().count();
      spare.add(new ArrayDeque<>());
    }
    long[] found = new long[total];
    int[] foundFiles = new int[total];
    int[] foundBuffers = new int[total];
    int count = 0;
    for (int f = 0; f < files.size(); f++) {
      EtlFile file = files.get(f);
      for (int b = 0; b < file.buffers().count(); b++) {
        long first = survey == null ? file.buffers().firstTicks(b) : survey.earliest(f, b);
        boolean before = survey != null && recording.key(file, survey.latest(f, b)) < from;
        if (!before) {
          found[count] = recording.key(file, first);
          foundFiles[count] = f;
          foundBuffers[count] = b;
          count++;
        }
      }
    }
    int[] order = IndexSort.ascending(found, count);
    waitingKeys = new long[count];
    waitingFiles = new int[count];
    waitingBuffers = new int[count];
    for (int i = 0; i < count; i++) {
      waitingKeys[i] = found[order[i]];
      waitingFiles[i] = foundFiles[order[i]];
      waitingBuffers[i] = foundBuffers[order[i]];
    }
  }

  /** Goes to the next record; false after the last one. */
  public boolean next() {
    RecordCursor cursor = top;
    if (cursor != null && cursor.next()) {
      long key = oneClock ? cursor.ticks() : recording.key(heap[0].etl, cursor.ticks());
      if (key < limit) {
        keys[0] = key;
        return true;
      }
      taken = keys[0];
      siftDown(heap[0], key);
      return settle();
    }
    if (cursor != null) {
      taken = keys[0];
      removeTop(cursor);
      return settle();
    }
    if (!started) {
      started = true;
    } else if (size > 0) {
      taken = keys[0];
      advance();
    }
    return settle();
  }

  /** Opens the buffers whose time has come, until the top of the heap is the next record. */
  private boolean settle() {
    while (true) {
      while (waiting < waitingKeys.length && (size == 0 || waitingKeys[waiting] <= keys[0])) {
        openNext();
      }
      if (size == 0 || (keys[0] >= to && to != Long.MAX_VALUE)) {
        top = null;
        return false;
      }
      if (keys[0] >= from) {
        prepareTop();
        return true;
      }
      advance();
    }
  }

  private void prepareTop() {
    Run run = heap[0];
    RecordCursor cursor = run.cursor;
    if (cursor == null) {
      cursor = resume(run);
    }
    top = run.times == null ? cursor : null;
    long next = to;
    if (waiting < waitingKeys.length) {
      next = Math.min(next, waitingKeys[waiting]);
    }
    if (size > 1) {
      next = Math.min(next, keys[1]);
    }
    if (size > 2) {
      next = Math.min(next, keys[2]);
    }
    limit = next;
  }

  /** The current record. */
  public RecordCursor record() {
    RecordCursor cursor = heap[0].cursor;
    return cursor == null ? resume(heap[0]) : cursor;
  }

  /** Number of the file that the current record is in. */
  public int fileNumber() {
    return heap[0].file;
  }

  /** Time of the current record in nanoseconds since the first file's header record. */
  public long nanos() {
    return oneClock
        ? recording.files().getFirst().clock().nanos(keys[0])
        : recording.nanos(heap[0].etl, record().ticks());
  }

  /**
   * Records that came too late for their place, because a buffer that began with a later record
   * held them; always 0 after {@link Recording#survey}.
   */
  public long lateRecords() {
    return late;
  }

  private void advance() {
    Run run = heap[0];
    RecordCursor cursor = run.cursor;
    if (cursor == null) {
      cursor = resume(run);
    }
    if (run.times == null) {
      if (cursor.next()) {
        long ticks = cursor.ticks();
        siftDown(run, oneClock ? ticks : recording.key(run.etl, ticks));
        return;
      }
    } else if (nextSorted(run, cursor)) {
      siftDown(run, recording.key(run.etl, cursor.ticks()));
      return;
    }
    removeTop(cursor);
  }

  private void removeTop(RecordCursor cursor) {
    giveBack(heap[0], cursor);
    size--;
    Run last = heap[size];
    if (size > 0) {
      siftDown(last, keys[size]);
    }
  }

  private static boolean nextSorted(Run run, RecordCursor cursor) {
    long[] times = run.times;
    int[] offsets = run.offsets;
    if (times == null || offsets == null || run.position >= times.length) {
      return false;
    }
    cursor.seek(offsets[run.position], times[run.position]);
    run.position++;
    return true;
  }

  private void openNext() {
    int f = waitingFiles[waiting];
    int buffer = waitingBuffers[waiting];
    waiting++;
    Run run = new Run(f, recording.files().get(f), buffer);
    RecordCursor cursor = open(run);
    boolean sorted = survey != null ? survey.sorted(f, buffer) : cursor.isSorted();
    boolean any;
    if (sorted) {
      cursor.rewind();
      any = cursor.next();
    } else {
      sort(run, cursor);
      any = nextSorted(run, cursor);
    }
    if (!any) {
      giveBack(run, cursor);
      return;
    }
    long key = recording.key(run.etl, cursor.ticks());
    if (key < taken && survey == null) {
      countLate(run, cursor);
    }
    push(run, key);
  }

  /** Without a survey a buffer is opened at its first record's time: what is earlier, is late. */
  private void countLate(Run run, RecordCursor cursor) {
    long[] times = run.times;
    if (times != null) {
      for (int i = 0; i < times.length && recording.key(run.etl, times[i]) < taken; i++) {
        late++;
      }
      return;
    }
    int first = cursor.offset();
    long ticks = cursor.ticks();
    do {
      late++;
    } while (cursor.next() && recording.key(run.etl, cursor.ticks()) < taken);
    cursor.seek(first, ticks);
  }

  private RecordCursor open(Run run) {
    if (run.memory > 0) {
      memory += run.memory;
      for (int i = size - 1; i > 0 && memory > MEMORY_LIMIT; i--) {
        suspend(heap[i]);
      }
    }
    RecordCursor cursor = spare.get(run.file).poll();
    if (cursor == null) {
      cursor = recording.cursor(run.etl);
      all.add(cursor);
    }
    cursor.open(run.buffer);
    run.cursor = cursor;
    return cursor;
  }

  private void suspend(Run run) {
    RecordCursor cursor = run.cursor;
    if (cursor == null || run.memory == 0) {
      return;
    }
    run.offset = cursor.offset();
    run.ticks = cursor.ticks();
    run.cursor = null;
    memory -= run.memory;
    cursor.release();
    spare.get(run.file).add(cursor);
  }

  private RecordCursor resume(Run run) {
    RecordCursor cursor = open(run);
    cursor.seek(run.offset, run.ticks);
    return cursor;
  }

  private void giveBack(Run run, RecordCursor cursor) {
    memory -= run.memory;
    run.cursor = null;
    spare.get(run.file).add(cursor);
  }

  private static void sort(Run run, RecordCursor cursor) {
    long[] times = new long[256];
    int[] offsets = new int[256];
    int count = 0;
    cursor.rewind();
    while (cursor.next()) {
      if (count == times.length) {
        times = Arrays.copyOf(times, 2 * count);
        offsets = Arrays.copyOf(offsets, 2 * count);
      }
      times[count] = cursor.ticks();
      offsets[count++] = cursor.offset();
    }
    int[] order = IndexSort.ascending(times, count);
    long[] sortedTimes = new long[count];
    int[] sortedOffsets = new int[count];
    for (int i = 0; i < count; i++) {
      sortedTimes[i] = times[order[i]];
      sortedOffsets[i] = offsets[order[i]];
    }
    run.times = sortedTimes;
    run.offsets = sortedOffsets;
  }

  private void push(Run run, long key) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
      keys = Arrays.copyOf(keys, 2 * size);
    }
    int at = size++;
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (!before(key, run, keys[parent], heap[parent])) {
        break;
      }
      heap[at] = heap[parent];
      keys[at] = keys[parent];
      at = parent;
    }
    heap[at] = run;
    keys[at] = key;
  }

  private void siftDown(Run run, long key) {
    int at = 0;
    int half = size >>> 1;
    while (at < half) {
      int child = 2 * at + 1;
      int right = child + 1;
      if (right < size && before(keys[right], heap[right], keys[child], heap[child])) {
        child = right;
      }
      if (!before(keys[child], heap[child], key, run)) {
        break;
      }
      heap[at] = heap[child];
      keys[at] = keys[child];
      at = child;
    }
    heap[at] = run;
    keys[at] = key;
  }

  private static boolean before(long keyA, Run a, long keyB, Run b) {
    return keyA != keyB ? keyA < keyB : beforeAtSameTime(a, b);
  }

  private static boolean beforeAtSameTime(Run a, Run b) {
    if (a.cpu != b.cpu) {
      return a.cpu < b.cpu;
    }
    if (a.sequence != b.sequence) {
      return a.sequence < b.sequence;
    }
    return a.file != b.file ? a.file < b.file : a.buffer < b.buffer;
  }

  @Override
  public void close() {
    all.forEach(RecordCursor::close);
  }
}

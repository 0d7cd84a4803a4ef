package io.ntrail.analysis.recording;

import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;
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
 * time is reached, so that about one buffer a CPU and session is open. Opening a buffer lists its
 * records as columns, and sorts them if they are not in order; the merge looks at the columns only,
 * never at the records. What open buffers take beyond {@value #MEMORY_LIMIT} bytes is given back
 * and made again when their turn comes: a file whose buffers all overlap costs time, not memory.
 *
 * <p>The earliest time of a run is known exactly after {@link Recording#survey}; without it, that
 * of its first record is taken, and {@link #lateRecords()} says whether that was wrong.
 */
public final class OrderedCursor implements AutoCloseable {
  /** Columns of open buffers, on the heap: enough for thousands of buffers. */
  private static final long TABLE_LIMIT = 96L << 20;

  /** Decompressed buffers, in native memory. */
  private static final long INFLATED_LIMIT = 768L << 20;

  /** What reading one buffer takes: used again for one buffer after the other. */
  private record Opened(RecordCursor cursor, RecordTable table) {}

  /** One buffer that is being read. */
  private static final class Run {
    final int file;
    final EtlFile etl;
    final int buffer;
    final int cpu;
    final long sequence;
    final int inflated;
    @Nullable Opened opened;
    long tableMemory;
    int position;

    Run(int file, EtlFile etl, int buffer) {
      this.file = file;
      this.etl = etl;
      this.buffer = buffer;
      BufferIndex index = etl.buffers();
      this.cpu = index.cpu(buffer);
      this.sequence = index.sequence(buffer);
      this.inflated = index.compressed(buffer) ? index.inflatedBytes(buffer) : 0;
    }
  }

  private static final long[] NO_TICKS = {};

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

  private final List<ArrayDeque<Opened>> spare = new ArrayList<>();
  private final List<Opened> all = new ArrayList<>();
  private final ArrayDeque<Run> openRuns = new ArrayDeque<>();
  private long tableMemory;
  private long inflatedMemory;
  private long late;

  /**
   * The run on top goes on without a look at the heap while its records are before this: the next
   * run's record, the next buffer to open, the end of the range.
   */
  private long limit = Long.MIN_VALUE;

  private long[] topTicks = NO_TICKS;
  private int topPosition;
  private int topCount;
  private boolean started;

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
    int position = topPosition + 1;
    if (oneClock && position < topCount && topTicks[position] < limit) {
      topPosition = position;
      return true;
    }
    return nextOfHeap();
  }

  private boolean nextOfHeap() {
    if (!started) {
      started = true;
    } else if (size > 0) {
      heap[0].position = oneClock ? topPosition : heap[0].position;
      advance();
    }
    while (true) {
      while (waiting < waitingKeys.length && (size == 0 || waitingKeys[waiting] <= keys[0])) {
        openNext();
      }
      if (size == 0 || keys[0] >= to) {
        topCount = 0;
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
    RecordTable table = opened(run).table;
    topTicks = table.ticks();
    topCount = table.count();
    topPosition = run.position;
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
    Opened opened = opened(heap[0]);
    opened.cursor.moveTo(opened.table, topPosition);
    return opened.cursor;
  }

  /** Number of the file that the current record is in. */
  public int fileNumber() {
    return heap[0].file;
  }

  /** Time of the current record in nanoseconds since the first file's header record. */
  public long nanos() {
    return recording.nanos(heap[0].etl, topTicks[topPosition]);
  }

  /**
   * Records that came too late for their place, because a buffer that began with a later record
   * held them; always 0 after {@link Recording#survey}.
   */
  public long lateRecords() {
    return late;
  }

  /** Steps the run on top, and gives it its new place in the heap. */
  private void advance() {
    Run run = heap[0];
    RecordTable table = opened(run).table;
    run.position++;
    if (run.position < table.count()) {
      siftDown(run, recording.key(run.etl, table.ticks(run.position)));
      return;
    }
    close(run);
    size--;
    if (size > 0) {
      siftDown(heap[size], keys[size]);
    }
  }

  private void openNext() {
    Run run =
        new Run(
            waitingFiles[waiting],
            recording.files().get(waitingFiles[waiting]),
            waitingBuffers[waiting]);
    waiting++;
    RecordTable table = opened(run).table;
    if (table.count() == 0) {
      close(run);
      return;
    }
    if (survey == null && size > 0) {
      countLate(run, table, keys[0]);
    }
    run.position = firstInRange(run, table);
    push(run, recording.key(run.etl, table.ticks(run.position)));
  }

  /** The first record that is not before the range, or the last one. */
  private int firstInRange(Run run, RecordTable table) {
    int low = 0;
    int high = table.count() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (recording.key(run.etl, table.ticks(middle)) < from) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Without a survey a buffer is opened at its first record's time: what is earlier, is late. */
  private void countLate(Run run, RecordTable table, long reached) {
    long first = recording.key(run.etl, run.etl.buffers().firstTicks(run.buffer));
    for (int i = 0; i < table.count(); i++) {
      long key = recording.key(run.etl, table.ticks(i));
      if (key >= first || key >= reached) {
        break;
      }
      late++;
    }
  }

  /** What is needed to read a run: made, or made again after it was given back. */
  private Opened opened(Run run) {
    Opened opened = run.opened;
    return opened == null ? open(run) : opened;
  }

  private Opened open(Run run) {
    Opened opened = spare.get(run.file).poll();
    if (opened == null) {
      opened = new Opened(recording.cursor(run.etl), new RecordTable());
      all.add(opened);
    }
    opened.cursor.open(run.buffer);
    RecordTable table = opened.table;
    opened.cursor.index(table);
    if (!table.sorted()) {
      table.permute(IndexSort.ascending(table.ticks(), table.count()));
    }
    run.opened = opened;
    run.tableMemory = table.memory();
    tableMemory += run.tableMemory;
    inflatedMemory += run.inflated;
    openRuns.add(run);
    while ((tableMemory > TABLE_LIMIT || inflatedMemory > INFLATED_LIMIT) && openRuns.size() > 2) {
      suspendOldest(run);
    }
    return opened;
  }

  /** Gives back the run that was opened first, but not one that is about to be read. */
  private void suspendOldest(Run needed) {
    Run run = openRuns.remove();
    Opened opened = run.opened;
    if (opened == null) {
      return;
    }
    if (run == needed || (size > 0 && run == heap[0])) {
      openRuns.add(run);
      return;
    }
    forget(run);
    opened.cursor.close();
    all.remove(opened);
  }

  private void close(Run run) {
    Opened opened = run.opened;
    if (opened != null) {
      forget(run);
      openRuns.remove(run);
      spare.get(run.file).add(opened);
    }
  }

  private void forget(Run run) {
    tableMemory -= run.tableMemory;
    inflatedMemory -= run.inflated;
    run.opened = null;
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
    all.forEach(opened -> opened.cursor.close());
  }
}

package io.ntrail.analysis.etw.recording;

import io.ntrail.analysis.model.EventCursor;
import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of a recording in time order; those of one time stamp by CPU, sequence number of the
 * buffer, file and place in the file.
 *
 * <p>Every buffer is a run. Runs wait in order of their first time and are opened when it is
 * reached, so that about one buffer a CPU and session is open. Opening a buffer lists its records
 * as columns and sorts them if they are not in order. The open runs are merged a stretch of time at
 * a time: what they have before a horizon is gathered and sorted as one batch ({@link TimeSort}),
 * which costs a third of a heap's step for every record.
 *
 * <p>What open buffers take beyond a limit is given back and made again when their turn comes: a
 * file whose buffers all overlap costs time, not memory.
 *
 * <p>The earliest time of a run is known exactly after {@link EtwRecording#survey}; without it,
 * that of its first record is taken, and {@link #lateRecords()} says whether that was wrong.
 */
public final class OrderedCursor implements EventCursor {
  /** Columns of open buffers, on the heap: enough for thousands of buffers. */
  private static final long TABLE_LIMIT = 96L << 20;

  /** Decompressed buffers, in native memory. */
  private static final long INFLATED_LIMIT = 768L << 20;

  /** Records that one run adds to a batch at most. */
  private static final int RUN_SHARE = 256;

  /** Records of a batch, but for those that share one time stamp. */
  private static final int BATCH = 1 << 18;

  /** Objects that read one buffer, used again for one buffer after the other. */
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
    long[] keys = NO_KEYS;
    int count;

    /** The first record that is in no batch yet, and the one that was when the batch began. */
    int position;

    int begun;
    long nextKey;

    Run(int file, EtlFile etl, int buffer) {
      this.file = file;
      this.etl = etl;
      this.buffer = buffer;
      BufferIndex index = etl.buffers();
      this.cpu = index.cpu(buffer);
      this.sequence = index.sequence(buffer);
      this.inflated = index.compressed(buffer) ? index.inflatedBytes(buffer) : 0;
    }

    /**
     * The order of records of one time stamp. Written out: comparators that the library puts
     * together are made at run time, which every start would wait for.
     */
    static int byTies(Run a, Run b) {
      int order = Integer.compare(a.cpu, b.cpu);
      order = order != 0 ? order : Long.compare(a.sequence, b.sequence);
      order = order != 0 ? order : Integer.compare(a.file, b.file);
      return order != 0 ? order : Integer.compare(a.buffer, b.buffer);
    }
  }

  private static final long[] NO_KEYS = {};

  private final EtwRecording recording;
  private final ReadingState reading;
  private final boolean leads;
  private final @Nullable Survey survey;
  private final boolean oneClock;
  private final long from;
  private final long to;

  private final long[] waitingKeys;
  private final int[] waitingFiles;
  private final int[] waitingBuffers;
  private int waiting;

  /** Runs with records left, in the order of {@link Run#byTies}. */
  private final List<Run> runs = new ArrayList<>();

  private final List<ArrayDeque<Opened>> spare = new ArrayList<>();
  private final List<Opened> all = new ArrayList<>();
  private final ArrayDeque<Run> openRuns = new ArrayDeque<>();
  private long tableMemory;
  private long inflatedMemory;

  private final TimeSort batch = new TimeSort();
  private Run[] batchRuns = new Run[16];
  private int at = -1;
  private int batchSize;
  private long reached = Long.MIN_VALUE;
  private long late;

  /**
   * Creates a cursor over the records from one key to another.
   *
   * @param leads whether it is the one that its pass is about
   */
  OrderedCursor(
      EtwRecording recording, @Nullable Survey survey, long from, long to, boolean leads) {
    this.recording = recording;
    this.reading = recording.reading();
    this.leads = leads;
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
        // What a stopped survey has left out has no records for it.
        boolean isOutside =
            survey != null
                && (survey.earliest(f, b) > survey.latest(f, b)
                    || recording.key(file, survey.latest(f, b)) < from
                    || !before(recording.key(file, first), to));
        if (!isOutside) {
          found[count] = recording.key(file, first);
          foundFiles[count] = f;
          foundBuffers[count] = b;
          count++;
        }
      }
    }
    int[] order = RowSort.ascending(found, count);
    waitingKeys = new long[count];
    waitingFiles = new int[count];
    waitingBuffers = new int[count];
    for (int i = 0; i < count; i++) {
      waitingKeys[i] = found[order[i]];
      waitingFiles[i] = foundFiles[order[i]];
      waitingBuffers[i] = foundBuffers[order[i]];
    }
    if (leads) {
      reading.begin(ReadingState.Pass.IN_ORDER, count);
    }
  }

  /** Goes to the next record; false after the last one. */
  @Override
  public boolean next() {
    if (++at < batchSize) {
      return true;
    }
    return nextBatch();
  }

  /** The current record. */
  public RecordCursor record() {
    Run run = batchRuns[batch.run(at)];
    Opened opened = run.opened;
    if (opened == null) {
      opened = open(run);
    }
    int i = run.begun + batch.place(at);
    RecordTable table = opened.table;
    opened.cursor.moveTo(table.place(i), oneClock ? batch.key(at) : table.ticks(i));
    return opened.cursor;
  }

  @Override
  public int processId() {
    return record().processId();
  }

  @Override
  public int threadId() {
    return record().threadId();
  }

  @Override
  public int cpu() {
    return record().cpu();
  }

  /** Returns the key that orders the current record ({@link EtwRecording#key}). */
  public long key() {
    return batch.key(at);
  }

  /** Returns the number of records with the time of the current one, from it on and with it. */
  public int sameTime() {
    int last = at + 1;
    while (last < batchSize && batch.key(last) == batch.key(at)) {
      last++;
    }
    return last - at;
  }

  /** Returns true if the record after the current one has the same time. */
  public boolean isNextAtSameTime() {
    return at + 1 < batchSize && batch.key(at + 1) == batch.key(at);
  }

  /**
   * One of the {@link #sameTime} records from the current one on. Flyweights are shared: {@link
   * #record} must be called again afterwards.
   */
  public RecordCursor peek(int ahead) {
    at += ahead;
    RecordCursor record = record();
    at -= ahead;
    return record;
  }

  /** Number of the file that the current record is in. */
  public int fileNumber() {
    return batchRuns[batch.run(at)].file;
  }

  /** Time of the current record in nanoseconds since the first file's header record. */
  @Override
  public long nanos() {
    return recording.nanosOf(batch.key(at));
  }

  /**
   * Records that came too late for their place, because a buffer that began with a later record
   * held them; always 0 after {@link EtwRecording#survey}.
   */
  public long lateRecords() {
    return late;
  }

  private boolean nextBatch() {
    at = 0;
    batchSize = 0;
    dropFinished();
    long earliest = earliest();
    while (waiting < waitingKeys.length && waitingKeys[waiting] <= earliest) {
      earliest = Math.min(earliest, openNext());
    }
    if (reading.isStopping() && !runs.isEmpty()) {
      reading.leaveOut(earliest);
      reading.stopped();
    }
    if (runs.isEmpty() || !before(earliest, Math.min(to, reading.end()))) {
      return false;
    }
    gather(earliest);
    return true;
  }

  private void dropFinished() {
    boolean finished = false;
    for (Run run : runs) {
      finished |= run.position >= run.count;
    }
    if (finished) {
      for (Run run : runs) {
        if (run.position >= run.count) {
          close(run);
        }
      }
      runs.removeIf(run -> run.position >= run.count);
    }
  }

  private long earliest() {
    long earliest = Long.MAX_VALUE;
    for (Run run : runs) {
      earliest = Math.min(earliest, run.nextKey);
    }
    return earliest;
  }

  /** The last possible time is before the end of a range without end. */
  private static boolean before(long key, long end) {
    return key < end || end == Long.MAX_VALUE;
  }

  /** Makes the next batch: no run has more than its share in it, unless that is of one time. */
  private void gather(long earliest) {
    int share = Integer.highestOneBit(Math.clamp(BATCH / runs.size(), 1, RUN_SHARE));
    long last = limit(earliest);
    boolean isCrowded = false;
    for (Run run : runs) {
      if (run.nextKey <= last) {
        reopen(run);
        int next = run.position + share;
        if (next < run.count) {
          long beyond = run.keys[next];
          isCrowded |= beyond == earliest;
          last = isCrowded ? earliest : Math.min(last, beyond - 1);
        }
      }
    }
    batch.clear(earliest, isCrowded ? 0 : share);
    int slots = 0;
    for (Run run : runs) {
      if (run.nextKey <= last) {
        reopen(run);
        if (slots == batchRuns.length) {
          batchRuns = Arrays.copyOf(batchRuns, Growth.length(slots, slots + 1));
        }
        batchRuns[slots++] = run;
        run.begun = run.position;
        run.position = batch.addUpTo(last, run.keys, run.position, run.count);
        run.nextKey = run.position < run.count ? run.keys[run.position] : Long.MAX_VALUE;
      }
    }
    batch.sort();
    batchSize = batch.size();
    reached = Math.max(reached, batch.latest());
  }

  /** The latest time that the next batch may have, whatever the runs hold. */
  private long limit(long earliest) {
    long end = Math.min(to, reading.end());
    long limit = end == Long.MAX_VALUE ? end : end - 1;
    if (waiting < waitingKeys.length) {
      limit = Math.min(limit, waitingKeys[waiting] - 1);
    }
    long span = earliest + TimeSort.LONGEST - 1;
    return span < earliest ? limit : Math.min(limit, span);
  }

  private void reopen(Run run) {
    if (run.opened == null) {
      open(run);
    }
  }

  /** Opens the next waiting buffer; returns its earliest time in the range. */
  private long openNext() {
    Run run =
        new Run(
            waitingFiles[waiting],
            recording.files().get(waitingFiles[waiting]),
            waitingBuffers[waiting]);
    waiting++;
    open(run);
    if (leads) {
      reading.done(1);
    }
    run.position = firstInRange(run);
    if (run.position >= run.count) {
      close(run);
      return Long.MAX_VALUE;
    }
    run.nextKey = run.keys[run.position];
    if (survey == null) {
      countLate(run);
    }
    int place = Collections.binarySearch(runs, run, Run::byTies);
    runs.add(place < 0 ? -place - 1 : place, run);
    return run.nextKey;
  }

  /**
   * Counts late records: without a survey a buffer is opened at the time of its first record, and
   * earlier records are late.
   */
  private void countLate(Run run) {
    for (int i = run.position; i < run.count && run.keys[i] < reached; i++) {
      late++;
    }
  }

  /** The first record that is not before the range. */
  private int firstInRange(Run run) {
    return Search.ceiling(run.keys, run.count, from);
  }

  /** Reads a run's buffer, for the first time or again after it was given back. */
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
      table.permute(RowSort.ascending(table.ticks(), table.count()));
    }
    run.count = table.count();
    run.keys = table.ticks();
    if (!oneClock) {
      run.keys = new long[run.count];
      for (int i = 0; i < run.count; i++) {
        run.keys[i] = recording.key(run.etl, table.ticks(i));
      }
    }
    run.opened = opened;
    run.tableMemory = table.memory();
    tableMemory += run.tableMemory;
    inflatedMemory += run.inflated;
    openRuns.add(run);
    int tries = openRuns.size();
    while ((tableMemory > TABLE_LIMIT || inflatedMemory > INFLATED_LIMIT) && --tries > 0) {
      suspend(openRuns.remove(), run);
    }
    return opened;
  }

  private void suspend(Run run, Run needed) {
    Opened opened = run.opened;
    if (opened == null) {
      return;
    }
    if (run == needed) {
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
    run.keys = NO_KEYS;
  }

  @Override
  public void close() {
    all.forEach(opened -> opened.cursor.close());
  }
}

package io.ntrail.analysis.etw.recording;

import io.ntrail.analysis.model.EventCursor;
import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
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
 * reached, or for the batch that it is in, so that few more than one buffer a CPU and session are
 * open. Opening a buffer lists its records as columns and sorts them if they are not in order. The
 * open runs are merged a stretch of time at a time: what they have up to the time at which one has
 * given its share is gathered and sorted as one batch ({@link TimeSort}), which costs a third of a
 * heap's step for every record.
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

  /** Buffers that were decompressed or read, in native memory. */
  private static final long BUFFER_LIMIT = 768L << 20;

  /** Records that one run adds to a batch at most. */
  private static final int RUN_SHARE = 256;

  /** Records of a batch, but for those that share one time stamp. */
  private static final int BATCH = 1 << 18;

  /**
   * Runs that are opened before their time, beyond as many as are open: a batch costs something for
   * each run, so that it is not to end wherever a buffer begins.
   */
  private static final int AHEAD = 16;

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

  /** Runs with records left, in the order of {@link BufferRun#byTies}. */
  private final List<BufferRun> runs = new ArrayList<>();

  private final List<ArrayDeque<BufferRun.Opened>> spare = new ArrayList<>();
  private final List<BufferRun.Opened> all = new ArrayList<>();
  private final ArrayDeque<BufferRun> openRuns = new ArrayDeque<>();
  private long tableMemory;
  private long bufferMemory;

  private final TimeSort batch = new TimeSort();
  private BufferRun[] batchRuns = new BufferRun[16];

  /** Places of the batch's records by {@link TimeSort#index}: near, where the tables are far. */
  private long[] batchPlaces = new long[1024];

  private boolean arePlacesCopied;
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
    BufferRun run = batchRuns[batch.run(at)];
    RecordCursor cursor = run.cursor;
    if (cursor == null) {
      cursor = open(run).cursor();
    }
    if (arePlacesCopied) {
      cursor.moveTo(batchPlaces[batch.index(at)], batch.key(at));
    } else {
      cursor.moveTo(opened(run).table(), run.begun + batch.place(at));
    }
    return cursor;
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

  /** Returns true if it begins with the first record of the recording, whatever its time. */
  public boolean isOfAll() {
    return from == Long.MIN_VALUE;
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
      BufferRun run = openNext();
      if (run != null) {
        earliest = Math.min(earliest, run.nextKey);
      }
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
    for (BufferRun run : runs) {
      finished |= run.position >= run.count;
    }
    if (finished) {
      for (BufferRun run : runs) {
        if (run.position >= run.count) {
          close(run);
        }
      }
      runs.removeIf(run -> run.position >= run.count);
    }
  }

  private long earliest() {
    long earliest = Long.MAX_VALUE;
    for (BufferRun run : runs) {
      earliest = Math.min(earliest, run.nextKey);
    }
    return earliest;
  }

  /** The last possible time is before the end of a range without end. */
  private static boolean before(long key, long end) {
    return key < end || end == Long.MAX_VALUE;
  }

  /** Makes the next batch: no run has more than its share in it, unless that is of one time. */
  private void gather(long earliestOpen) {
    int share = Integer.highestOneBit(Math.clamp(BATCH / runs.size(), 1, RUN_SHARE));
    long earliest = earliestOpen;
    long last = limit(earliest);
    for (BufferRun run : runs) {
      last = Math.min(last, shareEnd(run, share, earliest, last));
    }
    int most = 2 * runs.size() + AHEAD;
    while (waiting < waitingKeys.length && waitingKeys[waiting] <= last) {
      if (runs.size() >= most || tableMemory > TABLE_LIMIT / 2 || bufferMemory > BUFFER_LIMIT / 2) {
        last = waitingKeys[waiting] - 1;
      } else {
        BufferRun run = openNext();
        if (run != null) {
          earliest = Math.min(earliest, run.nextKey);
          last = Math.min(last, shareEnd(run, share, earliest, last));
        }
      }
    }
    last = Math.max(earliest, Math.min(last, limit(earliest)));
    boolean isCrowded = isCrowded(earliest, last, share);
    arePlacesCopied = oneClock && !isCrowded;
    batch.clear(earliest, isCrowded ? 0 : share);
    int slots = 0;
    for (BufferRun run : runs) {
      if (run.nextKey <= last) {
        opened(run);
        if (slots == batchRuns.length) {
          batchRuns = Arrays.copyOf(batchRuns, Growth.length(slots, slots + 1));
        }
        batchRuns[slots] = run;
        run.begun = run.position;
        run.position = batch.addUpTo(last, run.keys, run.position, run.count);
        if (arePlacesCopied) {
          copyPlaces(run, slots * share);
        }
        slots++;
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
    long span = earliest + TimeSort.LONGEST - 1;
    return span < earliest ? limit : Math.min(limit, span);
  }

  /** The last time up to which a run has no more than its share, unless {@code last} is earlier. */
  private long shareEnd(BufferRun run, int share, long earliest, long last) {
    if (run.nextKey > last) {
      return last;
    }
    opened(run);
    int next = run.position + share;
    if (next >= run.count) {
      return last;
    }
    // If it has more than that at the earliest time, that alone is the batch.
    long beyond = run.keys[next];
    return beyond == earliest ? earliest : beyond - 1;
  }

  /** Returns true if a run has more than its share up to a time, which then is the only one. */
  private boolean isCrowded(long earliest, long last, int share) {
    if (earliest != last) {
      return false;
    }
    for (BufferRun run : runs) {
      int next = run.position + share;
      if (run.nextKey == last) {
        opened(run);
        if (next < run.count && run.keys[next] == last) {
          return true;
        }
      }
    }
    return false;
  }

  private void copyPlaces(BufferRun run, int to) {
    int more = run.position - run.begun;
    if (to + more > batchPlaces.length) {
      batchPlaces = Arrays.copyOf(batchPlaces, Growth.length(batchPlaces.length, to + more));
    }
    opened(run).table().copyPlaces(run.begun, more, batchPlaces, to);
  }

  private BufferRun.Opened opened(BufferRun run) {
    BufferRun.Opened opened = run.opened;
    return opened == null ? open(run) : opened;
  }

  /** Opens the next waiting buffer; returns null if it has no records in the range. */
  private @Nullable BufferRun openNext() {
    BufferRun run =
        new BufferRun(
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
      return null;
    }
    run.nextKey = run.keys[run.position];
    if (survey == null) {
      countLate(run);
    }
    int place = Collections.binarySearch(runs, run, BufferRun::byTies);
    runs.add(place < 0 ? -place - 1 : place, run);
    return run;
  }

  /**
   * Counts late records: without a survey a buffer is opened at the time of its first record, and
   * earlier records are late.
   */
  private void countLate(BufferRun run) {
    for (int i = run.position; i < run.count && run.keys[i] < reached; i++) {
      late++;
    }
  }

  /** The first record that is not before the range. */
  private int firstInRange(BufferRun run) {
    return Search.ceiling(run.keys, run.count, from);
  }

  /** Reads a run's buffer, for the first time or again after it was given back. */
  private BufferRun.Opened open(BufferRun run) {
    BufferRun.Opened opened = spare.get(run.file).poll();
    if (opened == null) {
      opened = BufferRun.Opened.of(recording, run.etl);
      all.add(opened);
    }
    opened.cursor().open(run.buffer);
    RecordTable table = opened.table();
    opened.cursor().index(table);
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
    run.cursor = opened.cursor();
    run.tableMemory = table.memory();
    tableMemory += run.tableMemory;
    run.bufferMemory = opened.cursor().memory();
    bufferMemory += run.bufferMemory;
    openRuns.add(run);
    int tries = openRuns.size();
    while ((tableMemory > TABLE_LIMIT || bufferMemory > BUFFER_LIMIT) && --tries > 0) {
      suspend(openRuns.remove(), run);
    }
    return opened;
  }

  private void suspend(BufferRun run, BufferRun needed) {
    BufferRun.Opened opened = run.opened;
    if (opened == null) {
      return;
    }
    if (run == needed) {
      openRuns.add(run);
      return;
    }
    forget(run);
    opened.cursor().close();
    all.remove(opened);
  }

  private void close(BufferRun run) {
    BufferRun.Opened opened = run.opened;
    if (opened != null) {
      forget(run);
      openRuns.remove(run);
      spare.get(run.file).add(opened);
    }
  }

  private void forget(BufferRun run) {
    tableMemory -= run.tableMemory;
    bufferMemory -= run.bufferMemory;
    run.forget();
  }

  @Override
  public void close() {
    all.forEach(opened -> opened.cursor().close());
  }
}

package io.ntrail.live.session;

import io.ntrail.formats.ntr.EventTally;
import io.ntrail.formats.ntr.NtrRing;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.RecorderCounter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Destination of records: a writer that may end by its size or by a failed write. The recorders of
 * several processes may have one in common; a writer holds its lock.
 */
final class RecorderOutput {
  private static final long STATISTICS_NANOS = 1_000_000_000;

  /** Operation that writes. */
  @FunctionalInterface
  interface Writing {
    void run() throws IOException;
  }

  final NtrWriter writer;
  final @Nullable NtrRing ring;
  final ReentrantLock lock = new ReentrantLock(true);
  private final RecorderDiagnostics remarks;
  private final long maxBytes;
  private final List<Recorder> recorders = new ArrayList<>();
  private RecorderState state = RecorderState.RECORDING;
  private long failedWrites;
  private long threads;
  private long totals;
  private @Nullable RecorderStatistics ended;
  private Map<RecorderCounter, Long> statisticsWritten = Map.of();
  private long lastStatistics = System.nanoTime();
  private volatile @Nullable RecorderStatistics total;
  private @Nullable IOException notCompleted;

  RecorderOutput(
      NtrWriter writer, @Nullable NtrRing ring, long maxBytes, RecorderDiagnostics remarks) {
    this.writer = writer;
    this.ring = ring;
    this.maxBytes = maxBytes;
    this.remarks = remarks;
  }

  /** Adds a recorder. */
  void join(Recorder recorder) {
    recorders.add(recorder);
  }

  /** Removes a recorder that has finished; its counts stay in the total. */
  void leave(Recorder recorder) {
    recorders.remove(recorder);
    RecorderStatistics last = recorder.own().withoutRoom();
    ended = ended == null ? last : ended.plus(last);
  }

  /** Returns a number for another thread in the file. */
  long nextThread() {
    threads++;
    return threads;
  }

  /** Returns a number for other totals of calls in the file. */
  long nextTotals() {
    totals++;
    return totals;
  }

  /** Returns how many totals of calls are in the file. */
  long totals() {
    return totals;
  }

  /** Adds up the counts of all recorders; the lock must be held. */
  RecorderStatistics count() {
    RecorderStatistics sum = ended;
    for (Recorder recorder : recorders) {
      sum = sum == null ? recorder.own() : sum.plus(recorder.own());
    }
    if (sum == null) {
      throw new IllegalStateException("nobody records");
    }
    EventTally gone = ring == null ? EventTally.NONE : ring.dropped();
    RecorderStatistics all = sum.ofFile(gone, bytes(), failedWrites, state);
    total = all;
    return all;
  }

  /** Returns the counts of all recorders, as of the last update by any of them. */
  RecorderStatistics total() {
    RecorderStatistics all = total;
    if (all == null) {
      throw new IllegalStateException("nobody counted");
    }
    return all;
  }

  /** Writes the statistics, periodically or at the end. */
  void writeStatistics(boolean last) throws IOException {
    long nanos = System.nanoTime();
    if (last || nanos - lastStatistics >= STATISTICS_NANOS) {
      lastStatistics = nanos;
      Map<RecorderCounter, Long> counters = count().counters();
      if (last || !counters.equals(statisticsWritten)) {
        writer.statistics(counters);
        // Its own bytes are among those written: they alone are not progress.
        statisticsWritten = count().counters();
      }
    }
  }

  RecorderState state() {
    return state;
  }

  /** Returns whether events are taken. */
  boolean isRecording() {
    return state == RecorderState.RECORDING;
  }

  long failedWrites() {
    return failedWrites;
  }

  /** Returns the size of the file. */
  long bytes() {
    return ring == null ? writer.position() : ring.bytes();
  }

  /** Writes, unless a write has failed; a failure ends recording and is not thrown. */
  void attempt(Writing writing) {
    if (writer.failed()) {
      return;
    }
    try {
      writing.run();
    } catch (IOException e) {
      fail(e);
    }
  }

  /** Stops recording if the size limit is reached; a ring drops what is oldest. */
  void checkSize() throws IOException {
    if (ring != null) {
      ring.turn();
    }
    if (isRecording() && maxBytes > 0 && writer.position() >= maxBytes) {
      state = RecorderState.SIZE_REACHED;
      recorders.forEach(Recorder::stop);
      remarks.say("recording stopped: file size limit of %d bytes reached", writer.position());
      writer.flush();
    }
  }

  /** Marks the file as complete, if nothing ended recording before. */
  void finished() {
    if (ring != null) {
      attempt(ring::trim);
      if (ring.isTooLong()) {
        remarks.say(
            "the ring of %d bytes is too short for what is to be known of functions and threads",
            ring.most());
      }
    }
    if (isRecording()) {
      state = RecorderState.FINISHED;
    }
  }

  /**
   * Completes the file, for which the parts of a ring are made one; {@link #close} tells if that
   * failed.
   */
  void complete() {
    try {
      if (ring == null) {
        writer.close();
      } else {
        ring.close();
      }
    } catch (IOException e) {
      notCompleted = e;
    }
  }

  /**
   * Ends the file.
   *
   * @throws IOException if it could not be completed
   */
  void close() throws IOException {
    complete();
    if (notCompleted != null) {
      throw notCompleted;
    }
  }

  private void fail(IOException e) {
    state = RecorderState.FAILED;
    failedWrites++;
    writer.giveUp();
    recorders.forEach(Recorder::stop);
    remarks.say("the file could not be written: %s", String.valueOf(e.getMessage()));
    recorders.forEach(Recorder::takeBack);
  }
}

package io.ntrail.analysis.etw.ipt;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.Survey;
import io.ntrail.analysis.etw.stacks.StackMatchRules;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the event that each piece follows: the last record before it, of its CPU, that has the time
 * stamp that the piece names and is not of another thread. A record belongs to the first piece
 * behind it only, since the logger writes a piece right behind its event.
 *
 * <p>One more pass over those buffers that have a time that a piece names.
 */
final class PieceEvents {
  private static final int NONE = -1;

  private final EtwRecording recording;
  private final PieceTable pieces;
  private final StackMatchRules rules;

  /** Rank of each buffer of a file by CPU and sequence number. */
  private final List<int[]> ranks;

  /** Pieces by named time, file, CPU and place. */
  private final int[] order;

  private final long[] named;
  private final long[] places;

  /** Best matches that one thread found, by the number of the piece in the order. */
  private static final class Found {
    /** Place of the record. */
    final long[] best;

    /** Version and hook id of the record. */
    final int[] events;

    Found(int count) {
      best = new long[count];
      events = new int[count];
      Arrays.fill(best, NONE);
      Arrays.fill(events, NONE);
    }

    void offer(int i, long place, int event) {
      if (place > best[i]) {
        best[i] = place;
        events[i] = event;
      }
    }

    Found merge(Found other) {
      for (int i = 0; i < best.length; i++) {
        offer(i, other.best[i], other.events[i]);
      }
      return this;
    }
  }

  private PieceEvents(EtwRecording recording, PieceTable pieces, KernelEvents kernel) {
    this.recording = recording;
    this.pieces = pieces;
    this.rules = new StackMatchRules(kernel);
    this.ranks = recording.files().stream().map(file -> ranks(file.buffers())).toList();
    this.order = RowSort.sorted(pieces.rows(), this::compare);
    this.named = new long[order.length];
    this.places = new long[order.length];
    for (int i = 0; i < order.length; i++) {
      named[i] = pieces.named(order[i]);
      places[i] = place(order[i]);
    }
  }

  /**
   * Returns the event of each piece: its version in the upper, its hook id in the lower half; -1 if
   * there is none. The recording must have been surveyed.
   */
  static int[] of(EtwRecording recording, int cores, PieceTable pieces, KernelEvents kernel) {
    int[] events = new int[pieces.rows()];
    Arrays.fill(events, NONE);
    if (events.length == 0) {
      return events;
    }
    PieceEvents join = new PieceEvents(recording, pieces, kernel);
    Survey survey = recording.survey(cores);
    Found found =
        recording.scan(
            cores,
            () -> new Found(events.length),
            (into, record) -> join.scan(survey, into, record, kernel),
            Found::merge);
    for (int i = 0; i < events.length; i++) {
      events[join.order[i]] = found.events[i];
    }
    return events;
  }

  private static int[] ranks(BufferIndex buffers) {
    int[] sorted =
        RowSort.sorted(
            buffers.count(),
            (a, b) ->
                buffers.cpu(a) != buffers.cpu(b)
                    ? Integer.compare(buffers.cpu(a), buffers.cpu(b))
                    : Long.compare(buffers.sequence(a), buffers.sequence(b)));
    int[] ranks = new int[sorted.length];
    for (int i = 0; i < sorted.length; i++) {
      ranks[sorted[i]] = i;
    }
    return ranks;
  }

  private long place(int row) {
    int rank = ranks.get(pieces.file(row))[pieces.buffer(row)];
    return (long) rank << 32 | pieces.offset(row);
  }

  private int compare(int a, int b) {
    int byTime = Long.compare(pieces.named(a), pieces.named(b));
    int byFile = byTime != 0 ? byTime : Integer.compare(pieces.file(a), pieces.file(b));
    int byCpu = byFile != 0 ? byFile : Integer.compare(pieces.cpu(a), pieces.cpu(b));
    return byCpu != 0 ? byCpu : Long.compare(place(a), place(b));
  }

  private void scan(Survey survey, Found into, RecordCursor record, KernelEvents kernel) {
    EtlFile etl = record.file();
    int file = recording.files().indexOf(etl);
    int buffer = record.buffer();
    long earliest = survey.earliest(file, buffer);
    long latest = survey.latest(file, buffer);
    if (earliest > latest) {
      return;
    }
    int first = Search.ceiling(named, named.length, recording.key(etl, earliest));
    if (first == named.length || named[first] > recording.key(etl, latest)) {
      return;
    }
    int rank = ranks.get(file)[buffer];
    while (record.next()) {
      long key = recording.key(etl, record.ticks());
      int at = Search.ceiling(named, named.length, key);
      if (at < named.length
          && named[at] == key
          && rules.mayHaveStack(record)
          && !IptEvents.is(record)) {
        long place = (long) rank << 32 | record.offset();
        int piece = firstBehind(at, key, file, record.cpu(), place);
        if (piece >= 0 && mayBeOf(record, pieces.thread(order[piece]))) {
          into.offer(piece, place, event(record, kernel));
        }
      }
    }
  }

  private boolean mayBeOf(RecordCursor record, int thread) {
    return thread == RecordCursor.NO_ID || rules.isOf(record, thread) != StackMatchRules.NO;
  }

  private static int event(RecordCursor record, KernelEvents kernel) {
    int hook =
        record.kind().isHook()
            ? record.hookId()
            : kernel.hookId(record.provider(), record.opcode());
    return (record.version() & 0x7FFF) << 16 | hook & 0xFFFF;
  }

  /** Returns the first piece of a time, file and CPU behind a place; -1 if there is none. */
  private int firstBehind(int from, long key, int file, int cpu, long place) {
    int low = from;
    int high = named.length;
    while (low < high) {
      int middle = low + high >>> 1;
      if (isBehind(middle, key, file, cpu, place)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    boolean fits =
        low < named.length
            && named[low] == key
            && pieces.file(order[low]) == file
            && pieces.cpu(order[low]) == cpu;
    return fits ? low : NONE;
  }

  private boolean isBehind(int i, long key, int file, int cpu, long place) {
    int row = order[i];
    if (named[i] != key) {
      return named[i] > key;
    }
    if (pieces.file(row) != file) {
      return pieces.file(row) > file;
    }
    return pieces.cpu(row) != cpu ? pieces.cpu(row) > cpu : places[i] > place;
  }
}

package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.RecordCursor;
import java.util.function.IntConsumer;
import java.util.function.ToIntFunction;

/**
 * Finds the events that get a stack from an event after them, and those that bring the second half
 * of another's, without their frames: the same ones as {@link DeferredStacks}, which goes along
 * with a walk in time order.
 *
 * <p>Events of the providers that do so are noted in a survey, about 50 bytes each, and put in
 * order afterwards; where they are too many, the recording is read once more in time order.
 */
public final class DeferredStackJoin {
  /** Events that are noted, all survey threads together. */
  private static final int MOST = 1 << 20;

  /** An event of the CLR that is not a stack. */
  private static final int CLR = 1;

  /** A stack event of the CLR. */
  private static final int CLR_STACK = 2;

  /** The stack event has frames. */
  private static final int FRAMES = 4;

  /** The event brings a stack, or half of one. */
  private static final int OWN = 8;

  /** The event has a stack already, if only an empty one. */
  private static final int COUNTED = 16;

  private final EtwRecording recording;
  private final Columns events = new Columns(16, MOST);
  private final LongColumn keys = events.longs();
  private final LongColumn matches = events.longs();
  private final IntColumn files = events.ints();
  private final IntColumn buffers = events.ints();
  private final IntColumn offsets = events.ints();
  private final IntColumn threads = events.ints();
  private final IntColumn rows = events.ints();
  private final ByteColumn flags = events.bytes();
  private boolean any;
  private boolean tooMany;

  /** Creates one that has noted nothing. */
  public DeferredStackJoin(EtwRecording recording) {
    this.recording = recording;
  }

  /**
   * Notes a record.
   *
   * @param row of the caller's counts that the record belongs to
   */
  public void visit(int file, RecordCursor record, int row) {
    int kind = flags(record);
    if (kind == 0) {
      return;
    }
    long match = matchId(record);
    any |= match != 0 || (kind & CLR_STACK) != 0;
    if (events.isFull()) {
      tooMany = true;
      return;
    }
    int event = events.add();
    keys.set(event, recording.key(record.file(), record.ticks()));
    matches.set(event, match);
    files.set(event, file);
    buffers.set(event, record.buffer());
    offsets.set(event, record.offset());
    threads.set(event, record.threadId());
    rows.set(event, row);
    flags.set(event, (byte) kind);
  }

  private static long matchId(RecordCursor record) {
    return record.hasExtendedItems() ? ProviderStacks.matchIdOf(record) : 0;
  }

  /** Returns what an event means for the stacks of others; 0 if nothing. */
  private static int flags(RecordCursor record) {
    if (!record.kind().isEvent()) {
      return 0;
    }
    boolean clr = ProviderStacks.isClr(record);
    boolean items = record.hasExtendedItems();
    if (!clr && (!items || ProviderStacks.matchIdOf(record) == 0)) {
      return 0;
    }
    int result = items && record.hasStackItem() ? COUNTED : 0;
    if (items && ProviderStacks.brings(record)) {
      result |= OWN;
    }
    if (!clr) {
      return result;
    }
    return ProviderStacks.isClrStack(record)
        ? result | CLR_STACK | (ProviderStacks.clrFrames(record) > 0 ? FRAMES : 0)
        : result | CLR;
  }

  /**
   * Adds what another thread of the survey has noted.
   *
   * @param newRows for each row of that thread's counts the row of this one's
   */
  public void merge(DeferredStackJoin other, int[] newRows) {
    any |= other.any;
    tooMany |= other.tooMany;
    for (int i = 0; i < other.events.rows(); i++) {
      if (events.isFull()) {
        tooMany = true;
        return;
      }
      int event = events.add();
      keys.set(event, other.keys.get(i));
      matches.set(event, other.matches.get(i));
      files.set(event, other.files.get(i));
      buffers.set(event, other.buffers.get(i));
      offsets.set(event, other.offsets.get(i));
      threads.set(event, other.threads.get(i));
      rows.set(event, newRows[other.rows.get(i)]);
      flags.set(event, other.flags.get(i));
    }
  }

  /** Counts of events with a stack that are put right. */
  private static final class Corrections {
    private final PendingStacks pending = new PendingStacks(_ -> {});
    private final IntConsumer gained;
    private final IntConsumer lost;

    Corrections(IntConsumer gained, IntConsumer lost) {
      this.gained = gained;
      this.lost = lost;
    }

    void visit(int thread, long match, int kind, int row) {
      // The number of an event is its row, and whether it is counted already.
      long number = (long) row << 1 | ((kind & COUNTED) != 0 ? 1 : 0);
      if (match != 0 && pending.half(thread, match, number) != PendingStacks.NONE) {
        lost.accept(row);
      }
      if ((kind & CLR_STACK) != 0) {
        long event = pending.clrStack(thread);
        if (event != PendingStacks.NONE && (kind & FRAMES) != 0 && (event & 1) == 0) {
          gained.accept((int) (event >> 1));
        }
      } else if ((kind & CLR) != 0) {
        pending.clrEvent(thread, (kind & OWN) != 0, number);
      }
    }
  }

  /**
   * Tells what is to be put right where each event was counted that brings a stack itself.
   *
   * @param row of the caller's counts that a record belongs to
   * @param gained called with the row of each event that has a stack in an event after it
   * @param lost called with the row of each event whose stack is the second half of another's
   */
  public void join(ToIntFunction<RecordCursor> row, IntConsumer gained, IntConsumer lost) {
    if (!any) {
      return;
    }
    Corrections corrections = new Corrections(gained, lost);
    if (tooMany) {
      walk(row, corrections);
      return;
    }
    // Most events of the CLR are of threads without stacks.
    LongIntMap ofInterest = new LongIntMap();
    int last = RecordCursor.NO_ID;
    for (int i = 0; i < events.rows(); i++) {
      if (threads.get(i) != last && (matches.get(i) != 0 || (flags.get(i) & CLR_STACK) != 0)) {
        last = threads.get(i);
        ofInterest.put(last, 1);
      }
    }
    int[] chosen = new int[events.rows()];
    int count = 0;
    boolean wanted = false;
    for (int i = 0; i < events.rows(); i++) {
      if (i == 0 || threads.get(i) != last) {
        last = threads.get(i);
        wanted = ofInterest.get(last) > 0;
      }
      if (wanted) {
        chosen[count++] = i;
      }
    }
    RowSort.sort(chosen, count, keys, this::compare);
    for (int i = 0; i < count; i++) {
      int event = chosen[i];
      corrections.visit(threads.get(event), matches.get(event), flags.get(event), rows.get(event));
    }
  }

  /** Compares events of one time in the order of {@link OrderedCursor}. */
  private int compare(int a, int b) {
    int byBuffer = 0;
    if (files.get(a) != files.get(b) || buffers.get(a) != buffers.get(b)) {
      BufferIndex ofA = recording.files().get(files.get(a)).buffers();
      BufferIndex ofB = recording.files().get(files.get(b)).buffers();
      byBuffer = Integer.compare(ofA.cpu(buffers.get(a)), ofB.cpu(buffers.get(b)));
      if (byBuffer == 0) {
        byBuffer = Long.compare(ofA.sequence(buffers.get(a)), ofB.sequence(buffers.get(b)));
      }
      if (byBuffer == 0) {
        byBuffer = Integer.compare(files.get(a), files.get(b));
      }
      if (byBuffer == 0) {
        byBuffer = Integer.compare(buffers.get(a), buffers.get(b));
      }
    }
    return byBuffer != 0 ? byBuffer : Integer.compare(offsets.get(a), offsets.get(b));
  }

  private void walk(ToIntFunction<RecordCursor> row, Corrections corrections) {
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        RecordCursor record = cursor.record();
        int kind = flags(record);
        if (kind != 0) {
          corrections.visit(record.threadId(), matchId(record), kind, row.applyAsInt(record));
        }
      }
    }
  }
}

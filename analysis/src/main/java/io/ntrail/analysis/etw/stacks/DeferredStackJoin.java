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
import java.util.Arrays;
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
   * Notes an event.
   *
   * @param row of the caller's counts that the event belongs to
   * @param hasStackItem whether it has an extended item of a stack
   */
  public void visit(int file, RecordCursor record, int row, boolean hasStackItem) {
    boolean clr = ProviderStacks.isClr(record);
    // Of most events nothing more has to be read.
    if (!clr && !hasStackItem) {
      return;
    }
    long match = hasStackItem ? ProviderStacks.matchIdOf(record) : 0;
    if (!clr && match == 0) {
      return;
    }
    int kind = flags(record, clr, hasStackItem);
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

  /** Returns what an event means for the stacks of others. */
  private static int flags(RecordCursor record, boolean clr, boolean hasStackItem) {
    int result = hasStackItem ? COUNTED : 0;
    if (hasStackItem && ProviderStacks.brings(record)) {
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
   * Adds what another thread of the survey has noted; that one is not used any more.
   *
   * @param newRows for each row of that thread's counts the row of this one's
   */
  public void merge(DeferredStackJoin other, int[] newRows) {
    any |= other.any;
    tooMany |= other.tooMany;
    if (other.events.rows() > MOST - events.rows()) {
      tooMany = true;
      return;
    }
    int[] otherRows = other.rows.array();
    for (int i = 0; i < other.events.rows(); i++) {
      otherRows[i] = newRows[otherRows[i]];
    }
    events.addAll(other.events);
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
    int[] chosen = ofThreadsWithStacks();
    RowSort.sort(chosen, chosen.length, keys, this::compare);
    // Loops that run once are slow where they call for each value.
    int[] threadOf = threads.array();
    long[] matchOf = matches.array();
    byte[] flagsOf = flags.array();
    int[] rowOf = rows.array();
    for (int event : chosen) {
      corrections.visit(threadOf[event], matchOf[event], flagsOf[event], rowOf[event]);
    }
  }

  /** Returns the events of threads with stacks: most events of the CLR are of threads without. */
  private int[] ofThreadsWithStacks() {
    int count = events.rows();
    int[] threadOf = threads.array();
    long[] matchOf = matches.array();
    byte[] flagsOf = flags.array();
    LongIntMap withStacks = new LongIntMap();
    int last = RecordCursor.NO_ID;
    for (int i = 0; i < count; i++) {
      if (threadOf[i] != last && (matchOf[i] != 0 || (flagsOf[i] & CLR_STACK) != 0)) {
        last = threadOf[i];
        withStacks.put(last, 1);
      }
    }
    int[] chosen = new int[count];
    int found = 0;
    boolean isWanted = false;
    for (int i = 0; i < count; i++) {
      if (i == 0 || threadOf[i] != last) {
        last = threadOf[i];
        isWanted = withStacks.get(last) > 0;
      }
      if (isWanted) {
        chosen[found++] = i;
      }
    }
    return Arrays.copyOf(chosen, found);
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
        if (!record.kind().isEvent()) {
          continue;
        }
        boolean clr = ProviderStacks.isClr(record);
        boolean hasStackItem = record.hasExtendedItems() && record.hasStackItem();
        long match = hasStackItem ? ProviderStacks.matchIdOf(record) : 0;
        if (clr || match != 0) {
          int kind = flags(record, clr, hasStackItem);
          corrections.visit(record.threadId(), match, kind, row.applyAsInt(record));
        }
      }
    }
  }
}

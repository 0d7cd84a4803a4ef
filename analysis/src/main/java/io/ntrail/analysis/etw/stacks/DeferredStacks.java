package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.etl.RecordCursor;
import java.util.TreeMap;

/**
 * Stacks that come after their events: in the CLR's stack event, or in the second half of a stack
 * that was taken in two parts. A cursor of its own runs ahead of the walk, no further than needed,
 * and what it finds is kept until the walk has come there.
 */
final class DeferredStacks implements AutoCloseable {
  /** Frames that are kept at once, 8 bytes each. */
  private static final int MOST_FRAMES = 1 << 22;

  /**
   * Numbers of records that bring stacks for events before them.
   *
   * @param clr stack events of the CLR
   * @param halves halves of stacks, first and second ones
   */
  record Carriers(long clr, long halves) {
    boolean any() {
      return clr > 0 || halves > 0;
    }
  }

  /** Relations of an event's stack to other events. */
  enum Part {
    /** All that there is came with the event. */
    WHOLE,
    /** First part: the rest comes after it. */
    FIRST,
    /** Second part of the stack of an earlier event. */
    SECOND
  }

  /** Stands for the frames of an event whose half belongs to an event before it. */
  private static final long[] TAKEN = {};

  private final OrderedCursor cursor;
  private final ProviderStacks stacks;
  private final StackAddresses frames = new StackAddresses();
  private final PendingStacks pending = new PendingStacks(this::drop);
  private final TreeMap<Long, long[]> found = new TreeMap<>();
  private long clrLeft;
  private long halvesLeft;
  private long ordinal = -1;
  private long wanted;
  private int kept;
  private boolean ended;
  private long joined;
  private long givenUp;

  /**
   * @param cursor before the record that the walk calls number 0
   * @param stacks of the whole recording
   */
  DeferredStacks(OrderedCursor cursor, StackRecords stacks) {
    this.cursor = cursor;
    this.stacks = new ProviderStacks(stacks);
    Carriers carriers = stacks.carriers();
    this.clrLeft = carriers.clr;
    this.halvesLeft = carriers.halves;
  }

  /** Returns true if the stack of an event that brings none may be in a later event. */
  private static boolean mayWait(RecordCursor record) {
    return ProviderStacks.isClr(record) && !ProviderStacks.isClrStack(record);
  }

  /**
   * Appends the frames that come after an event. To be called in the order of the walk.
   *
   * @param number of the event's record in the walk
   * @param own whether it brings frames of its own, or what may be half of a stack
   * @return which part of a stack the event itself has
   */
  Part copy(long number, RecordCursor record, boolean own, StackAddresses into) {
    wanted = number;
    while (!found.isEmpty() && found.firstKey() < number) {
      kept -= Math.max(1, found.pollFirstEntry().getValue().length);
    }
    int thread = record.threadId();
    long matchId = own ? ProviderStacks.matchIdOf(record) : 0;
    if (own ? matchId == 0 : !mayWait(record)) {
      return Part.WHOLE;
    }
    while (ordinal < number || isWaiting(number, thread, matchId)) {
      if (ordinal >= number && (matchId == 0 ? clrLeft : halvesLeft) == 0) {
        break;
      }
      if (kept > MOST_FRAMES) {
        givenUp++;
        break;
      }
      if (!step()) {
        break;
      }
    }
    long[] later = found.remove(number);
    if (later == null) {
      return Part.WHOLE;
    }
    if (later.length == 0) {
      kept--;
      return Part.SECOND;
    }
    kept -= later.length;
    for (long address : later) {
      into.add(address);
    }
    joined++;
    return Part.FIRST;
  }

  private boolean isWaiting(long number, int thread, long matchId) {
    return matchId == 0
        ? pending.waitsForClr(thread, number)
        : pending.waitsForHalf(thread, matchId, number);
  }

  private boolean step() {
    if (ended || !cursor.next()) {
      ended = true;
      return false;
    }
    ordinal++;
    RecordCursor record = cursor.record();
    if (record.kind().isEvent()) {
      visit(record);
    }
    return true;
  }

  private void visit(RecordCursor record) {
    int thread = record.threadId();
    frames.clear();
    boolean own = stacks.copy(record, cursor.key(), frames);
    long matchId = own ? stacks.matchId() : 0;
    if (matchId != 0) {
      halvesLeft--;
      long first = pending.half(thread, matchId, ordinal);
      if (first != PendingStacks.NONE) {
        keep(first);
        if (ordinal >= wanted) {
          found.put(ordinal, TAKEN);
          kept++;
        }
      }
    }
    if (ProviderStacks.isClrStack(record)) {
      clrLeft--;
      long event = pending.clrStack(thread);
      if (event != PendingStacks.NONE) {
        frames.clear();
        ProviderStacks.copyClr(record, frames);
        keep(event);
      }
    } else if (ProviderStacks.isClr(record)) {
      pending.clrEvent(thread, own, ordinal);
    }
  }

  private void drop(long event) {
    if (event >= wanted) {
      givenUp++;
    }
  }

  private void keep(long event) {
    if (event >= wanted && frames.count() > 0) {
      found.put(event, frames.toArray());
      kept += frames.count();
    }
  }

  /** Events that got a stack from a later event. */
  long joined() {
    return joined;
  }

  /** Events whose stack was not searched for to the end, as the memory limit was reached. */
  long givenUp() {
    return givenUp;
  }

  @Override
  public void close() {
    cursor.close();
  }
}

package io.ntrail.analysis.calls;

import io.ntrail.formats.collections.LinkedItems;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the records of a thread that a smaller recording needs, so that the selected calls are in
 * it what they were: with their depth, their ends, and the number of calls below them.
 *
 * <p>Selected are the calls that were active in a stretch of time and, if functions were asked for,
 * are of one of these or were made while one was active. Kept are their records and those of the
 * calls around them; besides
 *
 * <ul>
 *   <li>each record that shows that a kept call is over, with the call that it begins, if it does;
 *   <li>tail calls of kept calls: an exception that leaves them leaves their callers, too;
 *   <li>of the frames that unwinders were about to reach those that may show how a kept call ended;
 *   <li>all losses, since entries and exits are matched with more care after one;
 *   <li>of the calls that are left out their number, for the innermost kept call around them;
 *   <li>places of frames that tail calls moved which are left out: after a loss, a call in a place
 *       above its caller's would end that one.
 * </ul>
 *
 * <p>So the open calls of the smaller recording are at any time the outermost ones of the larger
 * one's, of each stack, and what ends them is in both. An entry that may be needed later waits with
 * those that are open with it: at most {@link OpenCalls#MOST}. As soon as anything is written, all
 * of them are, since the records of a thread stay in their order.
 *
 * <p>Times of a thread have to rise. Where damage that no checksum shows makes them fall, calls of
 * the time may be left out.
 *
 * @param <T> a copy of a record that waits
 */
public final class CallSelection<T> {
  /** Receiver of what is kept, in the order of the thread. */
  public interface Output<T> {
    /** Copies the record at hand, which may be needed later. */
    T copy();

    /** Makes one loss of one that waits and the record at hand, which follows it. */
    T join(T loss);

    /** Makes one loss of two. */
    T join(T loss, T next);

    /** Writes a record that waited. */
    void write(T copy) throws IOException;

    /** Writes the record at hand. */
    void write() throws IOException;

    /** Leaves out a record that waited. */
    void drop(T copy);

    /** Leaves out the record at hand. */
    void drop();

    /** Returns the time of the record at hand, as the recording has it. */
    long ticks();

    /**
     * Tells the number of calls that were left out below the call of a slot, and its place.
     *
     * @param ticks of the record that shows it
     */
    void leftOut(long ticks, int area, int slot, long key, long calls) throws IOException;
  }

  /** Moves of a frame that wait: damaged files may have any number. */
  private static final int MOST_MOVES = 32;

  private enum Kind {
    ENTRY,
    UNWIND,
    TARGET,
    LOSS
  }

  /** Something that waits, in the order in which it has to be written. */
  private abstract class Waiting extends LinkedItems.Item<Waiting> {
    boolean isWritten;

    abstract void write() throws IOException;
  }

  /** A record that waits. */
  private final class WaitingRecord extends Waiting {
    final Kind kind;
    final int frame;
    T copy;

    /** Number of open calls that it is about, of an unwinder's target. */
    int calls;

    WaitingRecord(Kind kind, int frame, T copy) {
      this.kind = kind;
      this.frame = frame;
      this.copy = copy;
    }

    @Override
    void write() throws IOException {
      out.write(copy);
      if (frame != OpenCalls.NONE) {
        kept[frame] = true;
        entries.set(frame, null);
        unwinds.set(frame, null);
      }
    }
  }

  /** The place to which a tail call that is left out moved the frame of a call. */
  private final class WaitingMove extends Waiting {
    /** Unwinders' targets before it: they were given the place that the frame had then. */
    final int targetsBefore = targetsSeen;

    final @Nullable WaitingMove earlier;
    final int number;
    LeftOut place;

    WaitingMove(@Nullable WaitingMove earlier, LeftOut place) {
      this.earlier = earlier;
      this.number = earlier == null ? 1 : earlier.number + 1;
      this.place = place;
    }

    @Override
    void write() throws IOException {
      CallSelection.this.write(place);
    }
  }

  private record LeftOut(long ticks, int area, int slot, long key, long calls) {}

  private final Output<T> out;
  private final boolean hasSlots;
  private final long from;
  private final long to;
  private final @Nullable LongPredicate functions;
  private final OpenCalls open = new OpenCalls();
  private final CallBuilder builder;
  private final boolean[] kept = new boolean[OpenCalls.MOST];
  private final boolean[] meant = new boolean[OpenCalls.MOST];
  private final long[] leftOut = new long[OpenCalls.MOST];

  /** The place of each open call's frame that what is kept shows. */
  private final long[] shown = new long[OpenCalls.MOST];

  /** The entry of each open call that waits, and the record that an exception left it. */
  private final List<@Nullable WaitingRecord> entries = new ArrayList<>();

  private final List<@Nullable WaitingRecord> unwinds = new ArrayList<>();

  /** The last target of an unwinder that was about to leave each open call. */
  private final List<@Nullable WaitingRecord> targets = new ArrayList<>();

  /** The last one before that which had an exception's code, if the last has none. */
  private final List<@Nullable WaitingRecord> codes = new ArrayList<>();

  /** The last move of each open call's frame that waits. */
  private final List<@Nullable WaitingMove> moves = new ArrayList<>();

  private int targetsSeen;

  private final List<LeftOut> told = new ArrayList<>();
  private final LinkedItems<Waiting> waiting = new LinkedItems<>();
  private int meantOpen;
  private boolean hasBegun;

  /** The target at hand. */
  private @Nullable WaitingRecord target;

  /** The record at hand is in time, is kept, or waits. */
  private boolean isIn;

  private boolean keeps;
  private boolean waits;

  /**
   * Chooses records of one thread.
   *
   * @param from the first time; {@link Long#MIN_VALUE} for the start
   * @param to the time before which calls have to be entered; {@link Long#MAX_VALUE} for the end
   * @param functions that are asked for, as {@link CallSource#function} knows them; null for all
   */
  public CallSelection(
      CallSource.Matching matching,
      long from,
      long to,
      @Nullable LongPredicate functions,
      Output<T> out) {
    this.out = out;
    this.hasSlots = matching == CallSource.Matching.SLOT;
    this.from = from;
    this.to = to;
    this.functions = functions;
    this.builder = CallBuilder.of(matching, open, new Sink());
  }

  private boolean isInside() {
    return functions == null || meantOpen > 0;
  }

  /** Returns whether something that happened at a time, and is no record of calls, is selected. */
  public boolean selects(long time) {
    return time >= from && time < to && isInside();
  }

  /** Writes what has to come before something that is not a record of calls. */
  public void before() throws IOException {
    flush();
  }

  /** Looks at the next record. */
  public void accept(CallCursor record) throws IOException {
    switch (record.event()) {
      case LOST -> {
        builder.accept(record);
        lose();
      }
      case LEFT_OUT -> leaveOut(record);
      case UNWIND_TARGET -> target(record);
      default -> choose(record);
    }
  }

  private void choose(CallCursor record) throws IOException {
    long time = record.time();
    if (!hasBegun && time >= from) {
      begin();
    }
    isIn = time >= from && time < to;
    waits = false;
    keeps = isIn && isInside();
    if (keeps) {
      // Before this record ends some of what waits.
      flush();
    }
    builder.accept(record);
    if (keeps) {
      flush();
      tell();
      out.write();
    } else if (!waits) {
      out.drop();
    }
  }

  /** Writes the calls that are active when the time begins. */
  private void begin() throws IOException {
    hasBegun = true;
    if (isInside()) {
      flush();
    }
  }

  private void lose() {
    WaitingRecord end = loss(waiting.last());
    if (end != null) {
      end.copy = out.join(end.copy);
    } else {
      waiting.add(new WaitingRecord(Kind.LOSS, OpenCalls.NONE, out.copy()));
    }
  }

  private @Nullable WaitingRecord loss(@Nullable Waiting one) {
    return one instanceof WaitingRecord record && record.kind == Kind.LOSS ? record : null;
  }

  /**
   * Lets the target of an unwinder wait until the calls that it leaves are over: if one of them is
   * kept, so is the target.
   */
  private void target(CallCursor record) {
    WaitingRecord one = new WaitingRecord(Kind.TARGET, OpenCalls.NONE, out.copy());
    waiting.add(one);
    targetsSeen++;
    target = one;
    one.calls = 1;
    builder.accept(record);
    release(one);
  }

  /** One of the calls that a target was about needs it no more. */
  private void release(@Nullable WaitingRecord target) {
    if (target != null && --target.calls == 0 && !target.isWritten) {
      drop(target);
    }
  }

  /** Tells where the frame of an open call lies now, if nothing that is kept shows it. */
  private void move(OpenCalls.Call frame) {
    if (!hasSlots || frame.key == shown[frame.number]) {
      return;
    }
    shown[frame.number] = frame.key;
    LeftOut place = new LeftOut(out.ticks(), frame.area, frame.slot, frame.key, 0);
    WaitingMove before = moves.get(frame.number);
    if (before != null && before.isWritten) {
      before = null;
    }
    if (before != null && (before.targetsBefore == targetsSeen || before.number == MOST_MOVES)) {
      // Only targets of unwinders depend on where the frame was.
      before.place = place;
    } else {
      WaitingMove now = new WaitingMove(before, place);
      waiting.add(now);
      moves.set(frame.number, now);
    }
  }

  private void write(LeftOut one) throws IOException {
    out.leftOut(one.ticks, one.area, one.slot, one.key, one.calls);
  }

  private void leaveOut(CallCursor record) {
    open.select(record.area());
    OpenCalls.Call frame = builder.frameOf(record);
    if (frame != null) {
      leftOut[frame.number] += record.value();
    }
    builder.accept(record);
    if (frame != null) {
      move(frame);
    }
  }

  /** The records of the thread are over. */
  public void finish() throws IOException {
    if (!hasBegun) {
      begin();
    }
    builder.finish();
    tell();
    flush();
  }

  private void tell() throws IOException {
    for (LeftOut one : told) {
      write(one);
    }
    told.clear();
  }

  private void flush() throws IOException {
    for (Waiting one = waiting.first(); one != null; one = one.after()) {
      one.write();
      one.isWritten = true;
    }
    waiting.clear();
  }

  private void drop(@Nullable WaitingRecord one) {
    if (one != null) {
      out.drop(one.copy);
      remove(one);
    }
  }

  /** Removes something that waits, and joins the losses around it. */
  private void remove(Waiting one) {
    waiting.remove(one);
    WaitingRecord before = loss(one.before());
    WaitingRecord after = loss(one.after());
    if (before != null && after != null) {
      before.copy = out.join(before.copy, after.copy);
      waiting.remove(after);
    }
  }

  private boolean isMeant(long function) {
    return functions != null && functions.test(function);
  }

  private final class Sink implements CallBuilder.Sink {
    @Override
    public void opened(OpenCalls.Call frame, CallCursor entry) {
      while (entries.size() <= frame.number) {
        entries.add(null);
        unwinds.add(null);
        targets.add(null);
        codes.add(null);
        moves.add(null);
      }
      meant[frame.number] = isMeant(entry.function());
      meantOpen += meant[frame.number] ? 1 : 0;
      keeps |= isIn && meant[frame.number] || isTailOfKept(frame, entry);
      kept[frame.number] = keeps;
      leftOut[frame.number] = 0;
      shown[frame.number] = entry.frameKey();
      moves.set(frame.number, null);
      if (!keeps && entry.event() == CallEventKind.ENTRY) {
        WaitingRecord one = new WaitingRecord(Kind.ENTRY, frame.number, out.copy());
        waiting.add(one);
        entries.set(frame.number, one);
        waits = true;
      }
    }

    /** Returns whether an exception that leaves a call would leave a kept one with it. */
    private boolean isTailOfKept(OpenCalls.Call frame, CallCursor entry) {
      OpenCalls.Call caller = frame.below;
      return hasSlots
          && caller != null
          && kept[caller.number]
          && caller.key == entry.frameKey()
          && caller.slot == entry.slot() - 1;
    }

    @Override
    public void left(OpenCalls.Call frame, CallCursor unwind) {
      OpenCalls.Call caller = frame.below;
      boolean isTail = caller != null && caller.key == frame.key && caller.slot == frame.slot - 1;
      if (kept[frame.number] || isTail) {
        keeps = true;
      } else if (!keeps) {
        WaitingRecord one = new WaitingRecord(Kind.UNWIND, frame.number, out.copy());
        waiting.add(one);
        unwinds.set(frame.number, one);
        waits = true;
      }
    }

    @Override
    public void marked(OpenCalls.Call frame, CallCursor record) {
      WaitingRecord before = targets.get(frame.number);
      if (before != null && record.value() == SlotMatching.WITHOUT_EXCEPTION) {
        // The one that the code is of stays the first after an exception.
        if (codes.get(frame.number) == null) {
          codes.set(frame.number, before);
        } else {
          release(before);
        }
      } else {
        release(codes.set(frame.number, null));
        release(before);
      }
      WaitingRecord now = Objects.requireNonNull(target);
      now.calls++;
      targets.set(frame.number, now);
    }

    @Override
    public void closed(OpenCalls.Call frame, long time, CallEnd end, long value) {
      meantOpen -= meant[frame.number] ? 1 : 0;
      WaitingRecord last = targets.set(frame.number, null);
      WaitingRecord code = codes.set(frame.number, null);
      OpenCalls.Call caller = frame.below;
      if (kept[frame.number]) {
        keeps = true;
        if (leftOut[frame.number] > 0) {
          told.add(
              new LeftOut(
                  out.ticks(), frame.area, builder.slot(frame), frame.key, leftOut[frame.number]));
        }
        if (caller != null) {
          // Its entry moved its caller's frame, if it did.
          shown[caller.number] = caller.key;
        }
        // Not released: they are needed if this record or a later one is.
        return;
      }
      release(code);
      release(last);
      drop(unwinds.set(frame.number, null));
      drop(entries.set(frame.number, null));
      for (WaitingMove one = moves.set(frame.number, null);
          one != null && !one.isWritten;
          one = one.earlier) {
        remove(one);
      }
      if (caller != null) {
        leftOut[caller.number] += leftOut[frame.number] + 1;
        move(caller);
      }
    }

    @Override
    public void ended(long function, long time, CallEnd end, long value) {
      keeps |= isIn && isMeant(function);
      OpenCalls.Call top = open.top();
      if (!keeps && top != null) {
        leftOut[top.number]++;
      }
    }
  }
}

package io.ntrail.testkit.calls;

import io.ntrail.testkit.Property.Gen;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Random calls of a thread, and the records that a tracer in the target makes of them: recursion,
 * tail calls, exceptions, long jumps, fibers, routines of which only entries are recorded, and
 * records that are lost.
 *
 * <p>With slots it does what the code in the target does: each stack has slots, a frame takes the
 * next one, frames that were left stay in theirs until an entry finds them stale by comparing
 * places, or a frame below them returns. Without slots every record has only its routine.
 *
 * <p>With targets, exceptions and long jumps are recorded as on IA-32: not frame by frame, but by
 * the frame that they go to, before they begin.
 *
 * <p>What records cannot show is excluded: after a long jump that leaves no records, and after an
 * unwinder that is traced itself, the next entry of that stack is one with a slot and lies no
 * deeper than what was left, or than the unwinder where its stack pointer is recorded; tail calls
 * that move up their place are neither left nor lost.
 */
public final class RandomCalls {
  /** Kinds of records. */
  public enum Kind {
    ENTRY,
    EXIT,
    UNWIND,
    LOST,
    ENTRY_ONLY,
    UNWIND_TARGET
  }

  /**
   * A record.
   *
   * @param stackPointer that of an unwinder
   */
  public record Rec(
      Kind kind,
      long time,
      long function,
      long value,
      int area,
      int slot,
      long key,
      long stackPointer) {
    /** A record of another kind than unwinders' targets. */
    public Rec(Kind kind, long time, long function, long value, int area, int slot, long key) {
      this(kind, time, function, value, area, slot, key, 0);
    }
  }

  /** Ways in which a call ends. */
  public enum End {
    RETURN,
    UNWIND,
    OPEN,
    UNSEEN,
    ENTRY_ONLY
  }

  /** A call as it was. */
  public static final class Call {
    public final long function;
    public final long entry;
    public final long caller;
    public final int depth;
    public final int area;
    final @Nullable Call parent;
    long key;
    public End end = End.OPEN;
    public long exit;
    public long value;
    public long children;

    /** True if it was left together with its tail call, without a record of its own. */
    public boolean leftByTail;

    private boolean tail;
    private boolean moved;
    private boolean dead;

    Call(long function, long entry, long caller, int area, @Nullable Call parent, long key) {
      this.function = function;
      this.entry = entry;
      this.caller = caller;
      this.area = area;
      this.parent = parent;
      this.depth = parent == null ? 0 : parent.depth + 1;
      this.key = key;
      for (Call up = parent; up != null; up = up.parent) {
        up.children++;
      }
    }

    /** Returns true if this call was inside another one. */
    public boolean isInside(Call other) {
      for (Call up = parent; up != null; up = up.parent) {
        if (up == other) {
          return true;
        }
      }
      return false;
    }

    @Override
    public String toString() {
      return "%d: %x..%d %s value %x depth %d children %d area %d"
          .formatted(entry, function, exit, end, value, depth, children, area);
    }
  }

  /** Code of an unwind that was given no exception. */
  private static final long WITHOUT_EXCEPTION = 0xC000_0027L;

  private final Gen gen;
  private final boolean slotted;
  private final boolean lossy;
  private final boolean hasTargets;
  private final List<RandomStack> stacks = new ArrayList<>();
  private final List<Rec> records = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();
  private final int routines;
  private RandomStack here;
  private long time = 1000;

  private RandomCalls(Gen gen, boolean slotted, boolean lossy, boolean hasTargets) {
    this.gen = gen;
    this.hasTargets = hasTargets;
    this.slotted = slotted;
    this.lossy = lossy;
    this.routines = 1 + gen.below(9);
    this.here = new RandomStack(0);
    stacks.add(here);
  }

  /**
   * Makes calls.
   *
   * @param slotted whether records have slots
   * @param lossy whether some records are lost
   * @param most steps at most
   */
  public static RandomCalls make(Gen gen, boolean slotted, boolean lossy, int most) {
    return make(new RandomCalls(gen, slotted, lossy, false), most);
  }

  /**
   * Makes calls with slots, of which unwinders record where they go to; no record is lost.
   *
   * @param most steps at most
   */
  public static RandomCalls withTargets(Gen gen, int most) {
    return make(new RandomCalls(gen, true, false, true), most);
  }

  private static RandomCalls make(RandomCalls calls, int most) {
    Gen gen = calls.gen;
    int deepest = gen.oneOf(6, 3, 40, 200);
    for (int i = gen.length(most); i > 0; i--) {
      calls.step(deepest);
    }
    if (calls.lossy) {
      LostRecords.lose(gen, calls.slotted, calls.records);
    }
    return calls;
  }

  /** The records that were kept. */
  public List<Rec> records() {
    return records;
  }

  /** The calls by their entries. */
  public List<Call> calls() {
    return calls;
  }

  private void step(int deepest) {
    int what = gen.below(100);
    if (here.live.size() >= deepest && what < 50) {
      what = 50;
    }
    if (what < 42) {
      enter(false);
    } else if (what < 50) {
      enter(true);
    } else if (what < 86) {
      leave();
    } else if (what < 92 && hasTargets) {
      leaveByTarget(deepest);
    } else if (what < 92) {
      exception();
    } else if (what < 95) {
      jump();
    } else if (slotted && what < 98) {
      fiber();
    } else if (slotted) {
      enterOnly();
    }
  }

  private long routine() {
    return 0x401000 + 0x40L * gen.below(routines);
  }

  private void add(Kind kind, long function, long value, int slot, long key) {
    records.add(new Rec(kind, time++, function, value, here.number, slot, key));
    time += gen.below(3);
  }

  private void enter(boolean tail) {
    Call top = here.top();
    boolean isTail = tail && top != null;
    long key = here.topKey() - (isTail ? 0 : 8 * (1 + gen.below(20)));
    boolean moves = false;
    if (isTail && slotted && !lossy && here.live.size() > 1 && gen.below(4) == 0) {
      long room = here.live.get(here.live.size() - 2).key - key;
      moves = room > 8;
      key += moves ? 8 : 0;
    }
    if (!isTail && here.leastKey != 0) {
      // As deep as what was left at most, and below its caller.
      key = Math.max(here.leastKey, key);
    }
    call(key, isTail, moves);
  }

  private Call call(long key, boolean isTail, boolean moves) {
    Call top = here.top();
    seen();
    int slot = slot(key, isTail);
    Call call = new Call(routine(), time, gen.below(1 << 30), here.number, top, key);
    call.tail = isTail;
    if (moves && top != null) {
      top.key = key;
    }
    call.moved = moves;
    add(Kind.ENTRY, call.function, call.caller, slot, key);
    calls.add(call);
    here.live.add(call);
    here.slots.add(call);
    here.leastKey = 0;
    return call;
  }

  /** Takes no slot, and what it calls is called by its caller. */
  private void enterOnly() {
    if (here.leastKey != 0) {
      return;
    }
    long key = here.topKey() - 8L * gen.below(20);
    Call call = new Call(routine(), time, gen.below(1 << 30), here.number, here.top(), key);
    call.end = End.ENTRY_ONLY;
    add(Kind.ENTRY_ONLY, call.function, call.caller, 0, key);
    calls.add(call);
  }

  /** The next slot, after those that are not stale. */
  private int slot(long key, boolean isTail) {
    List<Call> slots = here.slots;
    while (!slots.isEmpty()) {
      Call last = slots.getLast();
      boolean returnsToIt = isTail && !last.dead;
      if (last.key > key || returnsToIt) {
        break;
      }
      slots.removeLast();
    }
    return slots.size();
  }

  /**
   * Marks frames that were left without a record, which shows at the next entry or exit of their
   * stack.
   */
  private void seen() {
    for (Call call : here.unseen) {
      call.end = End.UNSEEN;
      call.exit = time;
    }
    here.unseen.clear();
  }

  private void leave() {
    while (true) {
      Call top = here.top();
      if (top == null) {
        return;
      }
      here.live.removeLast();
      int slot = here.slots.indexOf(top);
      seen();
      top.end = End.RETURN;
      top.exit = time;
      top.value = gen.below(1 << 30);
      add(Kind.EXIT, top.function, top.value, slot, top.key);
      while (here.slots.size() > slot) {
        here.slots.removeLast();
      }
      here.leastKey = 0;
      if (!top.tail) {
        return;
      }
    }
  }

  private void exception() {
    int count = 1 + gen.below(5);
    if (here.live.size() < count || here.live.stream().anyMatch(call -> call.moved)) {
      return;
    }
    // Frames of tail calls go together.
    while (here.live.get(here.live.size() - count).tail) {
      count++;
    }
    Call unwinder = null;
    int from = here.live.size() - count;
    boolean traced = slotted && here.leastKey == 0 && gen.below(3) == 0;
    if (traced) {
      // What raises exceptions is traced, and what unwinds.
      call(here.topKey() - 64, false, false);
      unwinder = call(here.topKey() - 64, false, false);
    }
    long code = 0xC0000005L + gen.below(3);
    List<Call> left = new ArrayList<>(here.live.subList(from, here.live.size()));
    if (unwinder != null) {
      left.removeLast();
    }
    for (int i = left.size() - 1; i >= 0; i--) {
      Call call = left.get(i);
      if (traced && gen.below(3) == 0) {
        // A handler that the unwinder calls.
        call(here.topKey() - 32, false, false);
        leave();
      }
      call.end = End.UNWIND;
      call.value = code;
      call.exit = time;
      call.dead = true;
      boolean byTail = slotted && i + 1 < left.size() && left.get(i + 1).tail;
      if (byTail) {
        call.exit = left.get(i + 1).exit;
        call.leftByTail = true;
      } else {
        int slot = slotted ? here.slots.indexOf(call) : 0;
        add(Kind.UNWIND, call.function, code, slot, call.key);
      }
    }
    while (here.live.size() > from) {
      here.live.removeLast();
    }
    if (unwinder != null) {
      unwinder.dead = true;
      here.unseen.add(unwinder);
      here.leastKey = unwinder.key;
    }
  }

  /**
   * Records where an unwinder goes to, lets handlers run, and leaves the frames up to there. The
   * record's area is that of the last traced call of the thread, which may be another stack's.
   */
  private void leaveByTarget(int deepest) {
    int count = 1 + gen.below(5);
    if (here.live.size() < count || here.leastKey != 0) {
      return;
    }
    // Frames of tail calls go together.
    while (here.live.get(here.live.size() - count).tail) {
      count++;
    }
    int from = here.live.size() - count;
    List<Call> left = new ArrayList<>(here.live.subList(from, here.live.size()));
    long highest = left.stream().mapToLong(call -> call.key).max().orElseThrow();
    long room = from == 0 ? 64 : here.live.get(from - 1).key - highest;
    long target = from == 0 && gen.below(4) == 0 ? 0 : highest + gen.below((int) room);
    boolean isJump = gen.below(4) == 0;
    boolean isHandlerTraced = !isJump && gen.below(3) == 0;
    boolean isCalled = isHandlerTraced && gen.flag();
    if (isHandlerTraced) {
      left.add(call(here.topKey() - 0x400, false, false));
    }
    if (isCalled) {
      // What it calls to unwind returns.
      call(here.topKey() - 64, false, false);
    }
    // The last one counts: of an exception in what an unwinder calls, say.
    long pointer = here.topKey();
    long when = 0;
    long code = WITHOUT_EXCEPTION;
    for (int again = gen.below(3); again >= 0; again--) {
      long its = isJump ? 0x80000026L : 0xC000_0005L + gen.below(3);
      its = gen.below(3) == 0 ? WITHOUT_EXCEPTION : its;
      code = its == WITHOUT_EXCEPTION ? code : its;
      when = time;
      pointer = target(pointer, target, its);
      handlers(isJump ? 0 : gen.below(3), pointer, deepest);
    }
    if (isCalled) {
      leave();
    }
    for (Call call : left) {
      call.end = End.UNWIND;
      call.value = code;
      call.exit = when;
      call.dead = true;
      here.live.removeLast();
    }
    here.leastKey = pointer + 8;
  }

  /** Records an unwinder, which lies below another one; returns its stack pointer. */
  private long target(long above, long target, long code) {
    long pointer = above - 8L * (4 + gen.below(40));
    int area = target == 0 ? here.number : stacks.get(gen.below(stacks.size())).number;
    records.add(
        new Rec(Kind.UNWIND_TARGET, time++, 0x400800, code, area, gen.below(9), target, pointer));
    time += gen.below(3);
    if (gen.flag()) {
      // The unwinder is traced itself.
      Call unwinder = call(pointer + 4, false, false);
      unwinder.end = End.RETURN;
      here.live.removeLast();
      int slot = here.slots.indexOf(unwinder);
      unwinder.exit = time;
      unwinder.value = gen.below(1 << 30);
      add(Kind.EXIT, unwinder.function, unwinder.value, slot, unwinder.key);
      while (here.slots.size() > slot) {
        here.slots.removeLast();
      }
    }
    return pointer;
  }

  /** Calls of functions by an unwinder, deeper than it. */
  private void handlers(int count, long unwinder, int deepest) {
    for (int i = count; i > 0; i--) {
      call(unwinder - 8L * (1 + gen.below(20)), false, false);
      if (gen.below(4) == 0 && here.live.size() < deepest) {
        enterOnly();
        Call handler = here.live.getLast();
        int outer = here.live.size();
        call(here.topKey() - 16, false, false);
        long pointer = here.topKey() - 64;
        long when = time;
        records.add(
            new Rec(
                Kind.UNWIND_TARGET,
                time++,
                0x400800,
                0xE06D_7363L,
                here.number,
                0,
                handler.key - 4,
                pointer));
        while (here.live.size() > outer) {
          Call call = here.live.removeLast();
          call.end = End.UNWIND;
          call.value = 0xE06D_7363L;
          call.exit = when;
          call.dead = true;
        }
      }
      leave();
    }
  }

  /** Frames are left without a record. */
  private void jump() {
    int count = 1 + gen.below(4);
    if (!slotted || here.live.size() < count) {
      return;
    }
    while (here.live.get(here.live.size() - count).tail) {
      if (++count > here.live.size()) {
        return;
      }
    }
    long highest = here.leastKey;
    while (count-- > 0) {
      Call call = here.live.removeLast();
      call.dead = true;
      here.unseen.add(call);
      highest = Math.max(highest, call.key);
    }
    here.leastKey = highest;
  }

  private void fiber() {
    int which = gen.below(4);
    while (stacks.size() <= which) {
      stacks.add(new RandomStack(stacks.size()));
    }
    here = stacks.get(which);
  }
}

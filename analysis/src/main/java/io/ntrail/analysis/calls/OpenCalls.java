package io.ntrail.analysis.calls;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a thread that have not ended: a stack for each area of the thread, linked through
 * {@link Call#below}.
 */
final class OpenCalls {
  /** The number of no call, and of no node in the index. */
  static final int NONE = -1;

  /** Limit of the open calls of a thread: further ones are not reported. */
  static final int MOST = 8192;

  /** Ordinal of a call that began before the page at hand. */
  static final int BEFORE = -1;

  /**
   * A call that has not ended; used again for another one when it has. An object rather than a row
   * of arrays, because every record touches a dozen of its properties, and each array would be a
   * pointer and a bound to look at.
   */
  static final class Call {
    /** Its number among all of the thread, by which others may keep more of it. */
    final int number;

    /** Its caller, in the same area; of one that is free the next free one. */
    @Nullable Call below;

    int area;
    int slot;
    int depth;

    /** Its number in the page in which it began, or {@link #BEFORE}. */
    int ordinal;

    /** Its node in the index, if it was open at the end of a page. */
    int node;

    /** Number of losses before it began. */
    int losses;

    long function;
    long entry;
    long key;

    /** Calls below it that have ended, and those below them. */
    long children;

    /** Calls below it, and below those, that the recording leaves out. */
    long leftOut;

    /** Time and code of the exception that left it, or was about to leave it last. */
    long leftTime;

    long leftCode;
    boolean left;

    /** True if an unwinder was about to leave it, and it is not seen to be over. */
    boolean marked;

    /** True if it was left with a record of its own. */
    boolean unwound;

    /** The stack pointer of that unwinder; 0 if it is not known. */
    long unwinder;

    /** Time of the calls that it made itself, where calls are added up. */
    long callees;

    /** Sums that it is added to; null if to none. */
    @Nullable FunctionTimes sums;

    Call(int number) {
      this.number = number;
    }
  }

  private final Map<Integer, Call> otherTops = new HashMap<>();
  private int selected;
  private @Nullable Call top;

  /** The first of those that are free, linked through {@link Call#below}. */
  private @Nullable Call free;

  /** Calls that were made. */
  private int made;

  private int size;

  OpenCalls() {}

  /** Goes to the stack of an area. */
  void select(int which) {
    if (which == selected) {
      return;
    }
    if (top != null) {
      otherTops.put(selected, top);
    }
    selected = which;
    top = otherTops.remove(which);
  }

  /** The area that was selected last. */
  int selected() {
    return selected;
  }

  /** The innermost call of the selected area; null if there is none. */
  @Nullable Call top() {
    return top;
  }

  /** Calls in all areas. */
  int size() {
    return size;
  }

  boolean isFull() {
    return size >= MOST;
  }

  /** Opens a call in the selected area. */
  Call push(long routine, long time) {
    Call call = free;
    if (call == null) {
      call = new Call(made++);
    } else {
      free = call.below;
    }
    Call caller = top;
    call.below = caller;
    call.area = selected;
    call.depth = caller == null ? 0 : caller.depth + 1;
    call.function = routine;
    call.entry = time;
    call.children = 0;
    call.leftOut = 0;
    call.node = NONE;
    call.left = false;
    call.unwound = false;
    call.marked = false;
    top = call;
    size++;
    return call;
  }

  /** Takes away a call, the innermost one of the selected area, and counts it for its caller. */
  void pop(Call call) {
    Call caller = call.below;
    top = caller;
    if (caller != null) {
      caller.children += call.children + 1;
      caller.leftOut += call.leftOut;
    }
    call.below = free;
    free = call;
    size--;
  }

  /** Counts a call without a frame for the innermost one. */
  void countChild() {
    Call caller = top;
    if (caller != null) {
      caller.children++;
    }
  }

  /** The depth that the next call in the selected area would have. */
  int nextDepth() {
    Call caller = top;
    return caller == null ? 0 : caller.depth + 1;
  }

  /** Tells the innermost call of each area that has one. */
  void tops(Consumer<Call> each) {
    if (top != null) {
      each.accept(top);
    }
    otherTops.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> each.accept(entry.getValue()));
  }

  /** Number of areas with open calls that are not selected. */
  boolean anyElsewhere() {
    return !otherTops.isEmpty();
  }

  /** An area with open calls. */
  int anotherArea() {
    return otherTops.keySet().iterator().next();
  }

  /** Forgets all calls. */
  void clear() {
    otherTops.clear();
    selected = 0;
    top = null;
    free = null;
    made = 0;
    size = 0;
  }
}

package io.ntrail.analysis.calls;

import io.ntrail.formats.collections.Growth;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * The calls of a thread that have not ended: a stack for each area of the thread, linked through
 * {@link #below}. A frame is a number; its properties are bare arrays, because every record touches
 * a dozen of them.
 */
final class OpenCalls {
  /** No frame. */
  static final int NONE = -1;

  /** Limit of the open calls of a thread: further ones are not reported. */
  static final int MOST = 8192;

  /** Ordinal of a call that began before the page at hand. */
  static final int BEFORE = -1;

  int[] below = new int[64];
  int[] area = new int[64];
  int[] slot = new int[64];
  int[] depth = new int[64];

  /** Number of each call in the page in which it began, or {@link #BEFORE}. */
  int[] ordinal = new int[64];

  /** Its node in the index, if it was open at the end of a page. */
  int[] node = new int[64];

  /** Number of losses before each call began. */
  int[] losses = new int[64];

  long[] function = new long[64];
  long[] entry = new long[64];
  long[] key = new long[64];

  /** Calls below it that have ended, and those below them. */
  long[] children = new long[64];

  /** Calls below it, and below those, that the recording leaves out. */
  long[] leftOut = new long[64];

  /** Time and code of the exception that left each call, or was about to leave it last. */
  long[] leftTime = new long[64];

  long[] leftCode = new long[64];
  boolean[] left = new boolean[64];

  /** True for a call that an unwinder was about to leave, and that is not seen to be over. */
  boolean[] marked = new boolean[64];

  /** The stack pointer of that unwinder; 0 if it is not known. */
  long[] unwinder = new long[64];

  /** True for a call that was left with a record of its own. */
  boolean[] unwound = new boolean[64];

  private final Map<Integer, Integer> otherTops = new HashMap<>();
  private int selected;
  private int top = NONE;

  /** The first of the frames that are free, linked through {@link #below}. */
  private int free;

  private int size;

  OpenCalls() {
    link(0);
  }

  /** Goes to the stack of an area. */
  void select(int which) {
    if (which == selected) {
      return;
    }
    if (top != NONE) {
      otherTops.put(selected, top);
    }
    selected = which;
    Integer other = otherTops.remove(which);
    top = other == null ? NONE : other;
  }

  /** The area that was selected last. */
  int selected() {
    return selected;
  }

  /** The innermost call of the selected area. */
  int top() {
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
  int push(long routine, long time) {
    int frame = free;
    if (frame == below.length) {
      grow();
    }
    free = below[frame];
    below[frame] = top;
    area[frame] = selected;
    depth[frame] = top == NONE ? 0 : depth[top] + 1;
    function[frame] = routine;
    entry[frame] = time;
    children[frame] = 0;
    leftOut[frame] = 0;
    node[frame] = NONE;
    left[frame] = false;
    unwound[frame] = false;
    marked[frame] = false;
    top = frame;
    size++;
    return frame;
  }

  /** Takes away the innermost call of the selected area, and counts it for the one below. */
  void pop() {
    int frame = top;
    top = below[frame];
    if (top != NONE) {
      children[top] += children[frame] + 1;
      leftOut[top] += leftOut[frame];
    }
    below[frame] = free;
    free = frame;
    size--;
  }

  /** Counts a call without a frame for the innermost one. */
  void countChild() {
    if (top != NONE) {
      children[top]++;
    }
  }

  /** The depth that the next call in the selected area would have. */
  int nextDepth() {
    return top == NONE ? 0 : depth[top] + 1;
  }

  /** Tells the innermost call of each area that has one. */
  void tops(IntConsumer each) {
    if (top != NONE) {
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

  void clear() {
    otherTops.clear();
    selected = 0;
    top = NONE;
    free = 0;
    size = 0;
    link(0);
  }

  /**
   * Makes frames free, in their order: calls that are made one inside the other lie side by side.
   */
  private void link(int from) {
    for (int frame = from; frame < below.length; frame++) {
      below[frame] = frame + 1;
    }
  }

  private void grow() {
    int had = below.length;
    int more = Growth.length(had, had + 1);
    below = Arrays.copyOf(below, more);
    link(had);
    area = Arrays.copyOf(area, more);
    slot = Arrays.copyOf(slot, more);
    depth = Arrays.copyOf(depth, more);
    ordinal = Arrays.copyOf(ordinal, more);
    node = Arrays.copyOf(node, more);
    losses = Arrays.copyOf(losses, more);
    function = Arrays.copyOf(function, more);
    entry = Arrays.copyOf(entry, more);
    key = Arrays.copyOf(key, more);
    children = Arrays.copyOf(children, more);
    leftOut = Arrays.copyOf(leftOut, more);
    leftTime = Arrays.copyOf(leftTime, more);
    leftCode = Arrays.copyOf(leftCode, more);
    left = Arrays.copyOf(left, more);
    unwound = Arrays.copyOf(unwound, more);
    marked = Arrays.copyOf(marked, more);
    unwinder = Arrays.copyOf(unwinder, more);
  }
}

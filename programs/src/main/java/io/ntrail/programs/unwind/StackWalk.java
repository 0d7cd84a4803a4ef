package io.ntrail.programs.unwind;

import java.util.List;

/**
 * The frames of one thread, innermost first, and why there are no more.
 *
 * @param frames at least the one of the registers that the walk began with
 * @param end why the walk ended
 * @param why the reason in words, with addresses; empty at the end of the stack
 */
public record StackWalk(List<StackFrame> frames, End end, String why) {
  /** Copies the list. */
  public StackWalk {
    frames = List.copyOf(frames);
  }

  /** Reasons for which a walk ends. */
  public enum End {
    /** The outermost function: it has no caller. */
    END_OF_STACK,
    /** Memory that the next step needs is not there. */
    MEMORY_MISSING,
    /** Code of no module, and nothing tells where its caller is. */
    UNKNOWN_CODE,
    /** Unwind data that cannot be right. */
    DAMAGED,
    /** A frame that was there before, or a stack pointer that does not grow. */
    NO_PROGRESS,
    /** More frames than the limit. */
    TOO_MANY,
    /** A processor architecture whose frames are not walked. */
    UNSUPPORTED
  }
}

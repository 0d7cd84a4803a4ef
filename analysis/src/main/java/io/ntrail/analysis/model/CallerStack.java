package io.ntrail.analysis.model;

import java.util.List;

/**
 * Callers of a call, from a copy of the stack when it was entered.
 *
 * @param frames innermost first: at least the return address of the call
 * @param isWhole whether they reach the outermost function
 * @param why why they do not, in words; empty if they do
 */
public record CallerStack(List<Frame> frames, boolean isWhole, String why) {
  /** Copies the list. */
  public CallerStack {
    frames = List.copyOf(frames);
  }

  /**
   * Frame of a caller.
   *
   * @param address return address
   * @param trust word for how it was found, as in {@code ntrail stacks}
   * @param offset bytes from the begin of its function; 0 if that is not known
   */
  public record Frame(long address, String trust, long offset) {}
}

package io.ntrail.live.code;

/**
 * Return address of a traced function, as its slot has it.
 *
 * @param place address of the return address on the stack
 * @param code address of the slot's code: a return address in it belongs to the slot
 * @param codeBytes size of that code
 * @param caller the return address without tracing
 */
public record TracedReturn(long place, long code, int codeBytes, long caller) {
  /** Returns whether a return address leads into the slot. */
  public boolean owns(long returnAddress) {
    return returnAddress - code >= 0 && returnAddress - code < codeBytes;
  }
}

package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FunctionIndex;

/**
 * Functions of a stack that outlive the event they came with.
 *
 * @param functions numbers of {@link FunctionIndex}, innermost first
 * @param kernel whether the innermost frame is one of the kernel
 * @param recorded whether there was a stack, if only one whose frames are unknown
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record StackSnapshot(int[] functions, boolean kernel, boolean recorded) {
  /** No functions. */
  public static final StackSnapshot NONE = new StackSnapshot(new int[0], false, false);

  /** Returns whether there are no functions. */
  public boolean isEmpty() {
    return functions.length == 0;
  }
}

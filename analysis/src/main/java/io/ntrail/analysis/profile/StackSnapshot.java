package io.ntrail.analysis.profile;

/**
 * The frames of a stack that outlive the event they came with.
 *
 * @param functions numbers of {@link FunctionIndex}, innermost first
 * @param kernel whether the innermost frame is one of the kernel
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record StackSnapshot(int[] functions, boolean kernel) {
  static final StackSnapshot NONE = new StackSnapshot(new int[0], false);
}

package io.ntrail.analysis.profile;

/**
 * The frames of a stack that outlive the event they came with.
 *
 * @param functions numbers of {@link Functions}, innermost first
 * @param kernel whether the innermost frame is one of the kernel
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record KeptStack(int[] functions, boolean kernel) {
  static final KeptStack NONE = new KeptStack(new int[0], false);
}

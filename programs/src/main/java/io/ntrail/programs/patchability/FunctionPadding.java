package io.ntrail.programs.patchability;

/**
 * Padding in front of a function.
 *
 * @param run bytes of CC, 90 and 00 directly in front of it, in its section, whatever they belong
 *     to; no more than {@value #MOST} are counted, and none of a function in the first 32 bytes of
 *     its section, as the published shares count
 * @param fills content of the run
 * @param withNops the run with multi-byte nops
 * @param own bytes directly in front of it that are padding and belong to no function: those that a
 *     jump can be put into
 * @param filler content of these
 */
public record FunctionPadding(
    int run, PaddingKind fills, int withNops, int own, PaddingKind filler) {
  /** No more bytes than these are counted in front of a function. */
  public static final int MOST = 64;

  /** The bytes of a jump with a relative target of 32 bits. */
  public static final int JUMP = 5;
}

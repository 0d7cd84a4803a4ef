package io.ntrail.programs.patchability;

/**
 * Numbers of functions of an image made for hot-patching: with padding in front (x64: 6 bytes, x86:
 * 5) and a first instruction of two bytes or more. Counted by bytes only ({@link
 * FunctionPadding#run}): this is the measure for comparing images, whereas {@link PatchClass} is
 * what can be done.
 *
 * @param functions all known functions of the image
 * @param firstLong those with a first instruction of two bytes or more
 * @param padded those with enough CC, 90 or 00 in front
 * @param both those with both
 * @param bothWithNops those with both where multi-byte nops count as padding
 * @param moveFirst those that start with {@code mov edi,edi} (8B FF), made to be overwritten
 * @param table number in the function table
 * @param tableBoth those of the function table with both
 * @param exports number of exported ones
 * @param exportsBoth exports with both
 * @param exportsBothWithNops exports with both where multi-byte nops count as padding
 */
public record HotPatchStatistics(
    int functions,
    int firstLong,
    int padded,
    int both,
    int bothWithNops,
    int moveFirst,
    int table,
    int tableBoth,
    int exports,
    int exportsBoth,
    int exportsBothWithNops) {
  /** A part of a whole in per cent; 0 of nothing. */
  public static double percent(int part, int whole) {
    return whole == 0 ? 0 : 100.0 * part / whole;
  }
}

package io.ntrail.programs.patchability;

/**
 * How many functions of an image have what hot-patching was made for: padding in front (x64: 6
 * bytes, x86: 5) and a first instruction of two bytes or more. Counted by bytes alone ({@link
 * FunctionPadding#run}): it is the measure by which images can be compared, whereas {@link
 * PatchClass} says what can be done.
 *
 * @param functions all that the image names
 * @param firstLong those with a first instruction of two bytes or more
 * @param padded those with enough CC, 90 or 00 in front
 * @param both those with both
 * @param bothWithNops the same where multi-byte nops count as padding
 * @param moveFirst those that begin with {@code mov edi,edi} (8B FF), made to be overwritten
 * @param table how many are in the function table
 * @param tableBoth those of the function table with both
 * @param exports how many are exported
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

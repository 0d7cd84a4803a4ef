package io.ntrail.programs.patchability;

import org.jspecify.annotations.Nullable;

/**
 * The first instructions of a function, as many as a short jump overwrites.
 *
 * @param firstLength bytes of the first one; 0 if there is none
 * @param length bytes of all of them; 0 if they could not be found
 * @param instructions how many they are
 * @param relative whether one has an operand relative to its own address
 * @param refusal why they cannot be moved; null if they can
 * @param detail what belongs to the refusal
 */
record EntryInstructions(
    int firstLength,
    int length,
    int instructions,
    boolean relative,
    @Nullable PatchRefusal refusal,
    String detail) {
  static EntryInstructions refused(int firstLength, PatchRefusal refusal, String detail) {
    return new EntryInstructions(firstLength, 0, 0, false, refusal, detail);
  }
}

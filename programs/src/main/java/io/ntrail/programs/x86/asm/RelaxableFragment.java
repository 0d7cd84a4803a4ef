package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Label;

/** What takes more or fewer bytes, as the places of the labels require. */
sealed interface RelaxableFragment {
  /** How many fixed bytes are before it. */
  int at();

  /**
   * A jump to a label, short if it reaches.
   *
   * @param shortOpcode what is before the displacement of one byte
   * @param nearOpcode what is before the displacement of four bytes
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Jump(int at, byte[] shortOpcode, byte[] nearOpcode, Label target)
      implements RelaxableFragment {
    int shortLength() {
      return shortOpcode.length + 1;
    }

    int nearLength() {
      return nearOpcode.length + 4;
    }
  }

  /** Bytes up to a multiple of {@code boundary}, a power of two. */
  record Align(int at, int boundary, Padding padding) implements RelaxableFragment {}

  /** Bytes until {@code size} bytes lie behind {@code from}. */
  record Fill(int at, Label from, int size, Padding padding) implements RelaxableFragment {}
}

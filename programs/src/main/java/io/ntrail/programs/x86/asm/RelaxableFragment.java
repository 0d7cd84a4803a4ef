package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Label;

/** Fragment of code whose length depends on the places of labels. */
sealed interface RelaxableFragment {
  /** Returns the number of fixed bytes before it. */
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

  /** Bytes that do nothing. */
  sealed interface Padded extends RelaxableFragment {
    /** Returns what fills them. */
    Padding padding();
  }

  /** Bytes up to a multiple of {@code boundary}, a power of two. */
  record Align(int at, int boundary, Padding padding) implements Padded {}

  /** Padding until {@code size} bytes follow {@code from}. */
  record Fill(int at, Label from, int size, Padding padding) implements Padded {}
}

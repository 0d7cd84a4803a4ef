package io.ntrail.live.code;

/** Code that the system or the program calls in a target; it can lie anywhere. */
public interface CallbackCode {
  /** Returns the code. */
  byte[] code();

  /**
   * Returns its function table, with the unwind data after it.
   *
   * @param at offset of the table from the code, which is the base of its addresses
   */
  byte[] table(int at);

  /** Returns the number of entries of the function table. */
  int entries();
}

package io.ntrail.live.code;

import java.util.List;

/** Block of stubs for functions of one module, with their unwind data. */
public interface StubWriter {
  /** Returns whether everything that the function's first instructions refer to is in range. */
  boolean reaches(TracedCode function);

  /**
   * Adds a function.
   *
   * @param row its place in tables of calls, if there are any
   * @return the address of its stub
   */
  long add(TracedCode function, int row);

  /** Returns the addresses of the body thunks, in the order of the functions. */
  List<Long> bodies();

  /** Returns the offset of the function table. */
  int tableAt();

  /** Returns the number of entries of the function table. */
  int entries();

  /** Returns code, function table and unwind data; addresses count from the beginning. */
  byte[] bytes();
}

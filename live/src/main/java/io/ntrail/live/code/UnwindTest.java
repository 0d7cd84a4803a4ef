package io.ntrail.live.code;

import io.ntrail.formats.bytes.Bytes;

/** Test in a target of whether its system unwinds the frame of a slot correctly. */
public interface UnwindTest {
  /** Returns a change of the slot's data that has to be made before. */
  MemoryWrite frame();

  /** Returns the parameters of the routine, which also get its results. */
  byte[] parameters();

  /** Returns what is wrong; empty if the test passed. */
  String failure(Bytes results);
}

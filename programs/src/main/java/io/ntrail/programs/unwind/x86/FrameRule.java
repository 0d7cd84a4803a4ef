package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.pdb.FrameData;
import io.ntrail.formats.pdb.FrameProgram;
import io.ntrail.formats.pe.unwind.FpoTable;
import java.util.Optional;

/** Rule that leads from a frame to its caller: decided by address, run on registers and memory. */
sealed interface FrameRule {
  /**
   * A program of FRAMEDATA.
   *
   * @param module name of the module, for messages
   * @param prologue the function's prologue up to the address, if it is in there and its bytes are
   *     at hand
   */
  record Program(
      FrameData.Frame frame, FrameProgram program, String module, Optional<Prologue> prologue)
      implements FrameRule {}

  /**
   * Sizes of FPO_DATA.
   *
   * @param prologue the function's prologue up to the address, if its bytes are at hand
   * @param isInProlog true if the address is in it
   */
  record Fpo(FpoTable.Fpo fpo, Optional<Prologue> prologue, boolean isInProlog)
      implements FrameRule {}

  /** The instructions from the address to a return. */
  record Code(PathToReturn path) implements FrameRule {}

  /** The frame pointer, as functions with a frame pointer have it after their prologue. */
  record FramePointer() implements FrameRule {}
}

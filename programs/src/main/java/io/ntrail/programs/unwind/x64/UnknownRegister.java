package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.pe.unwind.UnwindCode;

/** Thrown when a rule needs a register whose value is not known. */
final class UnknownRegister extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownRegister(int number) {
    super("the stack pointer depends on " + UnwindCode.generalName(number) + ", which is unknown");
  }
}

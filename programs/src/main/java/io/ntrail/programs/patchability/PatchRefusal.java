package io.ntrail.programs.patchability;

import io.ntrail.programs.x86.FlowClass;
import org.jspecify.annotations.Nullable;

/** Reasons to refuse a function. */
public enum PatchRefusal {
  /** Code of a processor that is neither IA-32 nor x64, or of two at once. */
  OTHER_MACHINE("its code, or part of the image's, is not x86"),
  /** The stored bytes end before its first instructions do. */
  NO_CODE("the image does not hold its first bytes"),
  /** More code than the file could hold. */
  NOT_EXAMINED("the image has more code than its file has bytes"),
  /** Bytes that decode to nothing. */
  NOT_CODE("its first bytes are not instructions"),
  /** The function table has it in the middle of something. */
  INSIDE_FUNCTION("it starts inside another function"),
  /** Another program patched it. */
  ALREADY_PATCHED("it is already patched"),
  /** Import stubs and thunks: it is better to trace where they go. */
  JUMPS_ON("it is a jump to another function"),
  /** Int3 comes first: a breakpoint, or nothing that is meant to run. */
  BREAKPOINT("it starts with a breakpoint"),
  /** Relative branches in the unit do not survive being moved. */
  BRANCH_IN_UNIT("its first instructions contain a branch"),
  /** A call in the unit would push the address of the copy. */
  CALL_IN_UNIT("its first instructions contain a call"),
  /** It is over before the short jump is. */
  RETURN_IN_UNIT("its first instructions contain a return"),
  /** Interrupts, system calls and what always raises an exception. */
  SPECIAL_INSTRUCTION("its first instructions contain one that cannot be moved"),
  /** By the function table it ends inside the entry instructions. */
  TOO_SHORT("it is shorter than the jump"),
  /** A loop to the first byte: each round would be an entry. */
  LOOPS_TO_ENTRY("it jumps back to its own first byte"),
  /** A branch would land inside the short jump. */
  BRANCH_INTO_UNIT("a branch leads into its first instructions"),
  /** With XFG the eight bytes in front of it are the hash of its type. */
  TYPE_HASH("the bytes in front of it are the hash of its type"),
  /** Neither in front of it nor in reach of a short jump. */
  NO_PADDING("no padding for a jump in front of it or in reach");

  private final String text;

  PatchRefusal(String text) {
    this.text = text;
  }

  /** For people; a clause about the function. */
  public String text() {
    return text;
  }

  /**
   * Returns the reason why an instruction cannot be moved; null if it can be.
   *
   * @param flow what it does to the flow of control
   */
  static @Nullable PatchRefusal of(FlowClass flow) {
    return switch (flow) {
      case NEXT, PTWRITE, MOV_CR3, VMPTRLD -> null;
      case CONDITIONAL_BRANCH, DIRECT_JUMP, INDIRECT_JUMP, FAR_JUMP -> BRANCH_IN_UNIT;
      case DIRECT_CALL, INDIRECT_CALL, FAR_CALL -> CALL_IN_UNIT;
      case RETURN, FAR_RETURN, INTERRUPT_RETURN -> RETURN_IN_UNIT;
      case INTERRUPT,
          SYSTEM_CALL,
          SYSTEM_RETURN,
          VM_ENTRY,
          VM_EXIT,
          TRANSACTION_BEGIN,
          TRANSACTION_ABORT,
          TRANSACTION_END,
          EXCEPTION ->
          SPECIAL_INSTRUCTION;
    };
  }
}

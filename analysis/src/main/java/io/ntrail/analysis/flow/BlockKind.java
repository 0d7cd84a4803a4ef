package io.ntrail.analysis.flow;

import io.ntrail.programs.x86.FlowClass;

/** Ways in which a block ends, as numbers: they are looked at for every block that runs. */
final class BlockKind {
  /** Goes on behind its last instruction. */
  static final byte NEXT = 0;

  /** Goes on behind its last instruction, which changed the address space. */
  static final byte MOV_CR3 = 1;

  /** Goes on behind its last instruction, which wrote to the trace. */
  static final byte PTWRITE = 2;

  /**
   * Goes on behind its last instruction, which loaded another virtual machine's control structure.
   */
  static final byte VMPTRLD = 3;

  static final byte JUMP = 4;
  static final byte CALL = 5;
  static final byte CONDITIONAL = 6;
  static final byte RETURN = 7;
  static final byte INDIRECT_JUMP = 8;
  static final byte INDIRECT_CALL = 9;

  /** Far branches, interrupts, calls of the system, and their returns. */
  static final byte FAR = 10;

  /** Empty: there is no code. */
  static final byte NO_CODE = 11;

  /** Empty: there is no instruction. */
  static final byte NO_INSTRUCTION = 12;

  private BlockKind() {}

  /** Returns the kind of a block whose last instruction is of a class. */
  static byte of(FlowClass flowClass) {
    return switch (flowClass) {
      case NEXT, TRANSACTION_BEGIN, TRANSACTION_ABORT, TRANSACTION_END, EXCEPTION -> NEXT;
      case MOV_CR3 -> MOV_CR3;
      case PTWRITE -> PTWRITE;
      case VMPTRLD -> VMPTRLD;
      case DIRECT_JUMP -> JUMP;
      case DIRECT_CALL -> CALL;
      case CONDITIONAL_BRANCH -> CONDITIONAL;
      case RETURN -> RETURN;
      case INDIRECT_JUMP -> INDIRECT_JUMP;
      case INDIRECT_CALL -> INDIRECT_CALL;
      case FAR_JUMP,
          FAR_CALL,
          FAR_RETURN,
          INTERRUPT,
          INTERRUPT_RETURN,
          SYSTEM_CALL,
          SYSTEM_RETURN,
          VM_ENTRY,
          VM_EXIT ->
          FAR;
    };
  }
}

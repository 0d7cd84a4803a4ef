package io.ntrail.programs.x86;

/**
 * Effect of an instruction on the flow of control, as far as following it needs. The names are
 * those of the attribute {@code flow=} of the forms, in capitals.
 */
public enum FlowClass {
  /** Continues with the next instruction. */
  NEXT,
  /** Jcc, LOOPcc, JCXZ: the relative target or the next instruction. */
  CONDITIONAL_BRANCH,
  /** JMP to a relative target. */
  DIRECT_JUMP,
  /** CALL of a relative target. */
  DIRECT_CALL,
  /** JMP through a register or memory. */
  INDIRECT_JUMP,
  /** CALL through a register or memory. */
  INDIRECT_CALL,
  /** Near RET. */
  RETURN,
  /** JMP to another segment, given in the instruction or in memory. */
  FAR_JUMP,
  /** CALL of another segment, given in the instruction or in memory. */
  FAR_CALL,
  /** RETF. */
  FAR_RETURN,
  /** INT, INT1, INT3, INTO. */
  INTERRUPT,
  /** IRET, UIRET. */
  INTERRUPT_RETURN,
  /** SYSCALL, SYSENTER. */
  SYSTEM_CALL,
  /** SYSRET, SYSEXIT, ERETS, ERETU, RSM, SKINIT. */
  SYSTEM_RETURN,
  /** Into a guest: VMLAUNCH, VMRESUME, VMRUN. */
  VM_ENTRY,
  /**
   * To whom runs the guest, or to a protected module: VMCALL, VMMCALL, VMGEXIT, TDCALL, SEAMCALL.
   */
  VM_EXIT,
  /** XBEGIN: the relative target is where an abort goes. */
  TRANSACTION_BEGIN,
  /** XABORT. */
  TRANSACTION_ABORT,
  /** XEND. */
  TRANSACTION_END,
  /** PTWRITE: continues; a Processor Trace has a packet for it. */
  PTWRITE,
  /** MOV to CR3: continues in another address space. */
  MOV_CR3,
  /** VMPTRLD: continues; a Processor Trace has a packet for it. */
  VMPTRLD,
  /** UD0, UD1, UD2: always an exception. */
  EXCEPTION;

  private static final FlowClass[] VALUES = values();

  /** Returns true if the instruction has a relative target. */
  public boolean hasTarget() {
    return switch (this) {
      case CONDITIONAL_BRANCH, DIRECT_JUMP, DIRECT_CALL, TRANSACTION_BEGIN -> true;
      default -> false;
    };
  }

  /** Returns true if the next instruction can be reached without a jump from elsewhere. */
  public boolean fallsThrough() {
    return switch (this) {
      case DIRECT_JUMP,
          INDIRECT_JUMP,
          RETURN,
          FAR_JUMP,
          FAR_RETURN,
          INTERRUPT_RETURN,
          SYSTEM_RETURN,
          EXCEPTION ->
          false;
      default -> true;
    };
  }

  static FlowClass at(int ordinal) {
    return VALUES[ordinal];
  }
}

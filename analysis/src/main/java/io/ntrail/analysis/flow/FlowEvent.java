package io.ntrail.analysis.flow;

/** Things that happen between two instructions. */
public enum FlowEvent {
  /** Tracing starts, at the address. */
  ENABLED,
  /** Tracing ends; the address is where execution goes on, 0 if it is not told. */
  DISABLED,
  /**
   * The flow is interrupted, by what the next event tells; the address is that of the next
   * instruction, which is not executed now.
   */
  INTERRUPTED,
  /** An interrupt or another branch that no instruction asked for; the address is its target. */
  INTERRUPT,
  /** Packets were lost; the address is where the flow goes on, 0 if tracing is off. */
  OVERFLOW,
  /** A transaction begins. */
  TRANSACTION,
  /** A transaction was committed. */
  COMMIT,
  /** A transaction was aborted. */
  ABORT,
  /** The operand of a PTWRITE is the value; the address is its own, 0 if it is not known. */
  PTWRITE,
  /** The processor stopped tracing. */
  STOPPED,
  /** Another address space: the value is CR3, with bit 0 set in a virtual machine. */
  PAGING,
  /** Another virtual machine: the value is the address of its control structure. */
  VMCS,
  /** The core stopped executing, at the address. */
  EXSTOP,
  /** MWAIT, at the address: hints in the lower half of the value, extensions in the upper one. */
  MWAIT,
  /** A power state begins: bit 8 of the value: by hardware; bits 7:4 the state, 3:0 its part. */
  POWER_ENTRY,
  /** It ended: bits 3:0 of the value the deepest state, 7:4 the last one, 11:8 the reason. */
  POWER_EXIT,
  /** Triggers, a bit of the value each. */
  TRIGGER,
  /**
   * Something the branch that follows or went before was: the lower eight bits of the value are the
   * type, as in a CFE packet, those above the vector.
   */
  CONTROL,
  /** Address of a page fault, the value, of the control flow event that follows. */
  FAULT_ADDRESS,
  /** Qualification of an exit of a virtual machine, the value. */
  EXIT_QUALIFICATION,
  /**
   * A compressed return went to the address by a call from before an overflow, or before tracing
   * was off: calls and returns that were not seen may be in between.
   */
  UNCERTAIN_RETURN,
  /** Reason of an exit of a virtual machine, the value. */
  EXIT_REASON,
  /**
   * A group of a block of items (PEBS): bits 4:0 of the value are its type, bit 7: items of four
   * bytes. The items follow, then other groups or {@link #BLOCK_END}.
   */
  BLOCK,
  /** An item: the value is its number in the group. {@link #BLOCK_VALUE} follows. */
  BLOCK_ITEM,
  /** Bytes of the item before it, the value. */
  BLOCK_VALUE,
  /** A block of items ends. */
  BLOCK_END;

  /** Returns true for those that have a value. */
  public boolean hasValue() {
    return switch (this) {
      case PTWRITE,
          PAGING,
          VMCS,
          MWAIT,
          POWER_ENTRY,
          POWER_EXIT,
          TRIGGER,
          CONTROL,
          FAULT_ADDRESS,
          EXIT_QUALIFICATION,
          EXIT_REASON,
          BLOCK,
          BLOCK_ITEM,
          BLOCK_VALUE ->
          true;
      default -> false;
    };
  }
}

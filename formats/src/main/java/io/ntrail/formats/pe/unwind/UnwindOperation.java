package io.ntrail.formats.pe.unwind;

/**
 * Operations of unwind codes, by the names of the documentation: {@code UWOP_} of version 1 and 2,
 * {@code WOD_} of version 3.
 *
 * <p>A code of version 1 and 2 takes slots of two bytes: offset, operation with four bits of
 * information, then the operand. One of version 3 is a run of bytes, whose operation follows from
 * the low bits of the first one; its offset is stored elsewhere.
 */
public enum UnwindOperation {
  // @formatter:off
  //                        number  length    register           operand         scale
  /** Pushed a register. */
  UWOP_PUSH_NONVOL         ( 0,     1, Holds.GENERAL, Operand.NONE,  1),
  /** Made room: 16 bits times 8, or 32 bits in a third slot if its information is not 0. */
  UWOP_ALLOC_LARGE         ( 1,     2, Holds.NOTHING, Operand.WORD,  8),
  /** Made room: its information times 8, and 8. */
  UWOP_ALLOC_SMALL         ( 2,     1, Holds.NOTHING, Operand.SMALL, 8),
  /** Set the frame register that the header names, to the stack pointer and its offset. */
  UWOP_SET_FPREG           ( 3,     1, Holds.FRAME,   Operand.NONE,  1),
  /** Stored a register. */
  UWOP_SAVE_NONVOL         ( 4,     2, Holds.GENERAL, Operand.WORD,  8),
  /** Stored a register far away. */
  UWOP_SAVE_NONVOL_FAR     ( 5,     3, Holds.GENERAL, Operand.LONG,  1),
  /** Version 1: stored half of an XMM register; obsolete. */
  UWOP_SAVE_XMM            ( 6,     2, Holds.XMM,     Operand.WORD,  8),
  /** Version 1: the same far away. */
  UWOP_SAVE_XMM_FAR        ( 7,     3, Holds.XMM,     Operand.LONG,  1),
  /** Stored an XMM register. */
  UWOP_SAVE_XMM128         ( 8,     2, Holds.XMM,     Operand.WORD, 16),
  /** Stored an XMM register far away. */
  UWOP_SAVE_XMM128_FAR     ( 9,     3, Holds.XMM,     Operand.LONG,  1),
  /** The processor pushed a machine frame; information 1: with an error code. */
  UWOP_PUSH_MACHFRAME      (10,     1, Holds.NOTHING, Operand.INFO,  1),
  /** Set the frame register to the stack pointer and 32 bits times 16: only .NET on Unix. */
  UWOP_SET_FPREG_LARGE     (11,     3, Holds.FRAME,   Operand.LONG, 16),
  /** Version 2: where epilogues are ({@link UnwindInfo.Epilog}). */
  UWOP_EPILOG              ( 6,     1, Holds.NOTHING, Operand.NONE,  1),
  /** Version 2: nothing. */
  UWOP_SPARE_CODE          ( 7,     3, Holds.NOTHING, Operand.LONG,  1),

  /** Set the frame register, to the stack pointer and its offset. */
  WOD_SET_FPREG            ( 0,     2, Holds.NIBBLE,  Operand.NONE,  1),
  /** Made room: 32 bits. */
  WOD_ALLOC_HUGE           ( 1,     5, Holds.NOTHING, Operand.LONG,  1),
  /** Made room: 16 bits times 8. */
  WOD_ALLOC_LARGE          ( 2,     3, Holds.NOTHING, Operand.WORD,  8),
  /** The system pushed a frame of a kind of its own. */
  WOD_PUSH_CANONICAL_FRAME ( 3,     2, Holds.NOTHING, Operand.BYTE,  1),
  /** Pushed a register. */
  WOD_PUSH                 ( 4,     1, Holds.GENERAL, Operand.NONE,  1),
  /** Stored a register far away. */
  WOD_SAVE_NONVOL_FAR      ( 5,     5, Holds.GENERAL, Operand.LONG,  1),
  /** Stored a register. */
  WOD_SAVE_NONVOL          ( 6,     3, Holds.GENERAL, Operand.WORD,  8),
  /** Pushed a register and the next one. */
  WOD_PUSH_CONSECUTIVE_2   ( 7,     1, Holds.NEXT,    Operand.NONE,  1),
  /** Made room: the high four bits times 8, and 8. */
  WOD_ALLOC_SMALL          ( 8,     1, Holds.NOTHING, Operand.SMALL, 8),
  /** Stored an XMM register far away. */
  WOD_SAVE_XMM128_FAR      ( 9,     5, Holds.XMM,     Operand.LONG,  1),
  /** Stored an XMM register. */
  WOD_SAVE_XMM128          (10,     3, Holds.XMM,     Operand.WORD, 16),
  /** Pushed two registers at once; the second ends up at the stack pointer. */
  WOD_PUSH2                (32,     2, Holds.PAIR,    Operand.NONE,  1),

  /** An unassigned number; its length is not known, so no code after it can be read. */
  UNKNOWN                  (-1,     1, Holds.NOTHING, Operand.NONE,  1);
  // @formatter:on

  /** Register of a code. */
  enum Holds {
    NOTHING,
    GENERAL,
    XMM,
    /** Frame register of the header. */
    FRAME,
    /** The low four bits of the second byte; the high ones are the offset. */
    NIBBLE,
    NEXT,
    PAIR
  }

  /** Number in a code. */
  enum Operand {
    NONE,
    /** The four bits of information. */
    INFO,
    /** The four bits of information, plus 1. */
    SMALL,
    BYTE,
    WORD,
    LONG
  }

  private final int number;
  private final int length;
  private final Holds holds;
  private final Operand operand;
  private final int scale;

  UnwindOperation(int number, int length, Holds holds, Operand operand, int scale) {
    this.number = number;
    this.length = length;
    this.holds = holds;
    this.operand = operand;
    this.scale = scale;
  }

  /** Returns the number that is stored for it. */
  public int number() {
    return number;
  }

  /** Slots of version 1 and 2, bytes of version 3. */
  int length() {
    return length;
  }

  Holds holds() {
    return holds;
  }

  Operand operand() {
    return operand;
  }

  int scale() {
    return scale;
  }

  /** Returns true if its register is an XMM register. */
  public boolean isXmm() {
    return holds == Holds.XMM;
  }

  /** Returns true if it has no effect in a prologue. */
  public boolean isNothing() {
    return this == UWOP_EPILOG || this == UWOP_SPARE_CODE || this == UNKNOWN;
  }

  /** The operation of a number in version 1 or 2. */
  static UnwindOperation ofSlot(int version, int number) {
    return switch (number) {
      case 0 -> UWOP_PUSH_NONVOL;
      case 1 -> UWOP_ALLOC_LARGE;
      case 2 -> UWOP_ALLOC_SMALL;
      case 3 -> UWOP_SET_FPREG;
      case 4 -> UWOP_SAVE_NONVOL;
      case 5 -> UWOP_SAVE_NONVOL_FAR;
      case 6 -> version == 1 ? UWOP_SAVE_XMM : UWOP_EPILOG;
      case 7 -> version == 1 ? UWOP_SAVE_XMM_FAR : UWOP_SPARE_CODE;
      case 8 -> UWOP_SAVE_XMM128;
      case 9 -> UWOP_SAVE_XMM128_FAR;
      case 10 -> UWOP_PUSH_MACHFRAME;
      case 11 -> UWOP_SET_FPREG_LARGE;
      default -> UNKNOWN;
    };
  }

  /** Returns the operation of version 3 that starts with a byte: 3, 4, 6 or 8 bits of it decide. */
  static UnwindOperation ofByte(int first) {
    return switch (first & 7) {
      case 4 -> WOD_PUSH;
      case 5 -> WOD_SAVE_NONVOL_FAR;
      case 6 -> WOD_SAVE_NONVOL;
      case 7 -> WOD_PUSH_CONSECUTIVE_2;
      default -> ofLongerPattern(first);
    };
  }

  private static UnwindOperation ofLongerPattern(int first) {
    return switch (first & 0xF) {
      case 8 -> WOD_ALLOC_SMALL;
      case 9 -> WOD_SAVE_XMM128_FAR;
      case 10 -> WOD_SAVE_XMM128;
      default -> (first & 0x3F) == WOD_PUSH2.number ? WOD_PUSH2 : ofWholeByte(first);
    };
  }

  private static UnwindOperation ofWholeByte(int first) {
    return switch (first) {
      case 0 -> WOD_SET_FPREG;
      case 1 -> WOD_ALLOC_HUGE;
      case 2 -> WOD_ALLOC_LARGE;
      case 3 -> WOD_PUSH_CANONICAL_FRAME;
      default -> UNKNOWN;
    };
  }
}

package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import java.util.Set;

/** A prefix that changes what an instruction does, in the order in which they are written. */
enum Prefix {
  /** A transaction starts. */
  XACQUIRE(0xF2),
  /** A transaction ends. */
  XRELEASE(0xF3),
  /** Repeats while the counter is not zero. */
  REP(0xF3),
  /** While equal. */
  REPE(0xF3),
  /** While not equal. */
  REPNE(0xF2),
  /** The bounds of MPX stay as they are. */
  BND(0xF2),
  /** One operation on memory that no other processor sees half of. */
  LOCK(0xF0),
  /** The target of an indirect branch needs no ENDBR. */
  NOTRACK(0x3E),
  /** A conditional branch is not taken as a rule. */
  NOT_TAKEN(0x2E),
  /** A conditional branch is taken as a rule. */
  TAKEN(0x3E),
  /** The segment of memory that is not written among the operands. */
  ES(0x26),
  CS(0x2E),
  SS(0x36),
  DS(0x3E),
  FS(0x64),
  GS(0x65),
  /** 16 bits where no operand determines the width of the operation. */
  OPERAND_16(0x66),
  /** The other size of the address that is not written among the operands. */
  OTHER_ADDRESS_SIZE(0x67);

  /** Instructions with memory at esi or ebx, or at edi if they have a segment for that. */
  private static final Set<String> UNWRITTEN_MEMORY =
      Set.of(
          "MOVSB",
          "MOVSW",
          "MOVSD",
          "MOVSQ",
          "CMPSB",
          "CMPSW",
          "CMPSD",
          "CMPSQ",
          "LODSB",
          "LODSW",
          "LODSD",
          "LODSQ",
          "OUTSB",
          "OUTSW",
          "OUTSD",
          "XLATB",
          "MASKMOVQ",
          "MASKMOVDQU",
          "VMASKMOVDQU");

  /** Instructions with implicit memory whose segment cannot be changed. */
  private static final Set<String> UNWRITTEN_AT_EDI =
      Set.of(
          "STOSB", "STOSW", "STOSD", "STOSQ", "SCASB", "SCASW", "SCASD", "SCASQ", "INSB", "INSW",
          "INSD");

  private final int code;

  Prefix(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static Prefix of(SegmentRegister segment) {
    return valueOf(segment.name());
  }

  /** Returns true if it selects a form, which then writes it. */
  boolean isWrittenByForm(InstructionForm form) {
    return this == OPERAND_16 || (this == OTHER_ADDRESS_SIZE && form.addressBits() != 0);
  }

  /** Returns true if it can be combined with another. */
  boolean goesWith(Prefix other) {
    return group() != other.group();
  }

  private int group() {
    return switch (this) {
      case LOCK -> 0;
      case XACQUIRE, XRELEASE, REP, REPE, REPNE, BND -> 1;
      case NOTRACK, NOT_TAKEN, TAKEN, ES, CS, SS, DS, FS, GS -> 2;
      case OPERAND_16 -> 3;
      case OTHER_ADDRESS_SIZE -> 4;
    };
  }

  /**
   * Returns true if it has an effect before a form with these operands, with these other prefixes.
   */
  boolean isAllowed(
      CodeSize size, InstructionForm form, Set<Prefix> all, AssemblerOperand... operands) {
    boolean toMemory = operands.length > 0 && operands[0] instanceof Mem;
    boolean locked = all.contains(LOCK) || form.mnemonic().equals("XCHG");
    return switch (this) {
      case LOCK -> form.has("lock") && toMemory;
      case XACQUIRE -> form.has("xacquire") && toMemory && locked;
      case XRELEASE -> form.has("xrelease") && toMemory && (locked || !form.has("xacquire"));
      case REP -> form.has("rep");
      case REPE -> form.has("repe");
      case REPNE -> form.has("repne");
      case BND -> form.has("bnd");
      case NOTRACK ->
          form.has("notrack") && !(operands[0] instanceof Mem m && changesSegment(size, m));
      case TAKEN, NOT_TAKEN -> form.has("hint");
      case ES, CS, SS, DS, FS, GS ->
          isUnwritten(form, UNWRITTEN_MEMORY)
              && (size != CodeSize.BITS64 || this == FS || this == GS);
      case OPERAND_16 -> form.operandBits() == 16 && !form.showsSize();
      case OTHER_ADDRESS_SIZE ->
          form.addressBits() == 0
              ? isUnwritten(form, UNWRITTEN_MEMORY) || isUnwritten(form, UNWRITTEN_AT_EDI)
              : form.addressBits() != size.bits();
    };
  }

  /** Returns true if the DS prefix changes the segment of an address. */
  private static boolean changesSegment(CodeSize size, Mem m) {
    boolean stack = m.base() == Reg32.ESP || m.base() == Reg32.EBP;
    return m.segment() != null || (stack && size != CodeSize.BITS64);
  }

  /** MOVSD and CMPSD are names of vector instructions as well. */
  private static boolean isUnwritten(InstructionForm form, Set<String> mnemonics) {
    return mnemonics.contains(form.mnemonic())
        && (form.operands().isEmpty() || form.mnemonic().contains("MASKMOV"));
  }
}

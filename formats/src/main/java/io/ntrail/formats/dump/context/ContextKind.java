package io.ntrail.formats.dump.context;

/** Layouts of a CONTEXT: one for each architecture. */
public enum ContextKind {
  /** CONTEXT of x86: 716 bytes, of which the last 512 are an FXSAVE area. */
  X86(0x2CC, 0, 0x1_0000, 0xCC),
  /** CONTEXT of x64: 1232 bytes, with an FXSAVE area at 100h. */
  X64(0x4D0, 0x30, 0x10_0000, 0x100),
  /** CONTEXT of ARM64: 912 bytes. */
  ARM64(0x390, 0, 0x40_0000, -1);

  /** Groups of registers that {@code ContextFlags} declares as saved. */
  public enum Group {
    /** Instruction pointer, stack pointer, flags and what belongs to them. */
    CONTROL,
    /** General registers. */
    INTEGER,
    /** Segment registers. */
    SEGMENTS,
    /** Floating point and vector registers. */
    FLOATING_POINT,
    /** Debug registers. */
    DEBUG
  }

  private final int size;
  private final int flagsOffset;
  private final int flagsBit;
  private final int fxsave;

  ContextKind(int size, int flagsOffset, int flagsBit, int fxsave) {
    this.size = size;
    this.flagsOffset = flagsOffset;
    this.flagsBit = flagsBit;
    this.fxsave = fxsave;
  }

  /** Returns the architecture whose registers these are. */
  public ProcessorArchitecture architecture() {
    return switch (this) {
      case X86 -> ProcessorArchitecture.X86;
      case X64 -> ProcessorArchitecture.X64;
      case ARM64 -> ProcessorArchitecture.ARM64;
    };
  }

  /** Returns the bytes of the structure without extended state. */
  public int size() {
    return size;
  }

  /** Returns the offset of ContextFlags. */
  int flagsOffset() {
    return flagsOffset;
  }

  /** Returns the bit of ContextFlags that names the architecture. */
  int flagsBit() {
    return flagsBit;
  }

  /** Returns the offset of the FXSAVE area; -1 if there is none. */
  int fxsave() {
    return fxsave;
  }

  /** Returns true if a bit of ContextFlags says that a group was saved. */
  boolean has(long flags, Group group) {
    long bit =
        switch (group) {
          case CONTROL -> 1;
          case INTEGER -> 2;
          case SEGMENTS -> this == ARM64 ? 0 : 4;
          case FLOATING_POINT -> this == ARM64 ? 4 : 8;
          case DEBUG -> this == ARM64 ? 8 : 0x10;
        };
    return (flags & bit) != 0;
  }
}

package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;

/** Offsets and flags that the capture of a thread depends on, by the side of it that is wanted. */
enum CaptureLayout {
  /** 64-bit code: CONTEXT. */
  X64(0x4D0, 0x30, 0x10_000F, 0x10_0010, 0x98, 8, 16),

  /**
   * 32-bit code: CONTEXT as it has it, which is WOW64_CONTEXT on a 64-bit system, and the 32-bit
   * environment block.
   */
  X86(0x2CC, 0, 0x1_002F, 0x1_0010, 0xC4, 4, 8);

  /** Offset in the 64-bit environment block: i32, from there to the 32-bit one; 0 before 2015. */
  static final int TO_32_BIT_BLOCK = 0x180C;

  /** Distance of the blocks where the 64-bit one does not tell it. */
  static final int USUAL_DISTANCE = 0x2000;

  private final int contextBytes;
  private final int flagsAt;
  private final int flags;
  private final int debugFlags;
  private final int stackPointer;
  private final int stackBase;
  private final int stackLimit;

  CaptureLayout(
      int contextBytes,
      int flagsAt,
      int flags,
      int debugFlags,
      int stackPointer,
      int stackBase,
      int stackLimit) {
    this.contextBytes = contextBytes;
    this.flagsAt = flagsAt;
    this.flags = flags;
    this.debugFlags = debugFlags;
    this.stackPointer = stackPointer;
    this.stackBase = stackBase;
    this.stackLimit = stackLimit;
  }

  /** Returns the size of the structure with the registers. */
  int contextBytes() {
    return contextBytes;
  }

  /** Returns the offset of its flags. */
  int flagsAt() {
    return flagsAt;
  }

  /**
   * Returns flags that ask for control, general, segment and floating-point registers.
   *
   * @param withDebugRegisters whether for those, too: Wine stops the thread twice more for them
   */
  int flags(boolean withDebugRegisters) {
    return withDebugRegisters ? flags | debugFlags : flags;
  }

  /** Returns the offset of the stack pointer in it. */
  int stackPointer() {
    return stackPointer;
  }

  /** Returns the offset of the stack's base in the environment block. */
  int stackBase() {
    return stackBase;
  }

  /** Returns the offset of the lowest committed address of the stack in the environment block. */
  int stackLimit() {
    return stackLimit;
  }

  /** Reads a pointer. */
  long pointer(Bytes bytes, int at) {
    return this == X64 ? bytes.i64(at) : bytes.u32(at);
  }
}

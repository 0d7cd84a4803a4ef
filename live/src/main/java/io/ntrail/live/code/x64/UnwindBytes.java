package io.ntrail.live.code.x64;

import io.ntrail.formats.bytes.BytesBuilder;

/**
 * UNWIND_INFO of x64: prologues of our own code as the system's unwinders read them. Immutable.
 *
 * <p>Source: "x64 exception handling" of Microsoft's documentation; what of it Windows and Wine do
 * with frame register RSP is in the facts on live tracing.
 */
final class UnwindBytes implements FunctionTableBuilder.UnwindData {
  /** Nothing was pushed. */
  static final UnwindBytes NONE = new UnwindBytes(1, 0, 0, new int[0]);

  /** 8 bytes were pushed. */
  static final UnwindBytes PUSHED_1 = pushed(1);

  /** 24 bytes were pushed. */
  static final UnwindBytes PUSHED_3 = pushed(3);

  /** 16 bytes were pushed, as stubs do. */
  static final UnwindBytes PUSHED_2 = pushed(2);

  /** A stub: two registers are pushed by one byte each. */
  static final UnwindBytes STUB = new UnwindBytes(1, 2, 0, new int[] {0x0202, 0x0201});

  /** After the call of the body: the stack pointer is after the return address. */
  static final UnwindBytes CALL = new UnwindBytes(1, 0, 0x14, new int[] {0x0300, 0x0200});

  /** After the return address was put back: one register is pushed by one byte. */
  static final UnwindBytes EXIT = new UnwindBytes(1, 1, 0, new int[] {0x0201});

  private final int version;
  private final int prologue;
  private final int frame;
  private final int[] codes;

  UnwindBytes(int version, int prologue, int frame, int[] codes) {
    this.version = version;
    this.prologue = prologue;
    this.frame = frame;
    this.codes = codes.clone();
  }

  /** Returns the info where so many words were pushed before. */
  static UnwindBytes pushed(int words) {
    return new UnwindBytes(1, 0, 0, new int[] {allocation(0, words)});
  }

  /**
   * Returns the unwind code of an allocation: so many words, 1 to 16, after the instruction that
   * ends at an offset.
   */
  static int allocation(int at, int words) {
    return at | (2 | words - 1 << 4) << 8;
  }

  /**
   * Returns the info of a prologue that pushes words one by one where others were pushed before.
   */
  static UnwindBytes prologue(int before, int... ends) {
    int[] codes = new int[ends.length + (before > 0 ? 1 : 0)];
    for (int i = 0; i < ends.length; i++) {
      codes[ends.length - 1 - i] = allocation(ends[i], 1);
    }
    if (before > 0) {
      codes[ends.length] = allocation(0, before);
    }
    return new UnwindBytes(1, ends.length == 0 ? 0 : ends[ends.length - 1], 0, codes);
  }

  /** Writes the info, to a multiple of 4 bytes. */
  @Override
  public void write(BytesBuilder out) {
    out.u8(version).u8(prologue).u8(codes.length).u8(frame);
    for (int code : codes) {
      out.u16(code);
    }
    if (codes.length % 2 != 0) {
      out.u16(0);
    }
  }

  /**
   * Returns the info of a slot's return point, with a handler that is called for unwinds.
   *
   * @param distance from the return point to the machine frame
   * @param handler RVA
   */
  static void writeSlot(BytesBuilder out, int distance, int handler) {
    // Version 1, UNW_FLAG_UHANDLER; no prologue, 7 codes; frame register rsp, 16 bytes.
    out.u8(0x11).u8(0).u8(7).u8(0x14);
    // SET_FPREG; SAVE_NONVOL rsp at 8; ALLOC_LARGE; PUSH_MACHFRAME; fill.
    out.u16(0x0300).u16(0x4400).u16(1).u16(0x1100).u32(distance).u16(0x0A00).u16(0);
    out.u32(handler);
  }
}

package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.bytes.Bytes;

/**
 * One operation of a prologue or an epilogue.
 *
 * @param at place of the code: its first slot in version 1 and 2, its first byte in the pool of
 *     version 3
 * @param offset of the instruction, in bytes from the start of the function (in epilogues of
 *     version 3: of the epilogue): its end in version 1 and 2, its start in version 3. Of {@link
 *     UnwindOperation#UWOP_EPILOG} the byte as stored
 * @param info the four bits of information of version 1 and 2; else 0
 * @param register the number of a general register (0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6
 *     rsi, 7 rdi, 8 r8 ...) or of an XMM register, by the operation; -1: none
 * @param second the second register that a code of version 3 pushes; -1: none
 * @param value bytes: allocated, from the frame to the place of a saved register, from the stack
 *     pointer to the frame register; of {@link UnwindOperation#UWOP_EPILOG} see {@link
 *     UnwindInfo#epilogs}; else the kind of frame pushed
 */
public record UnwindCode(
    int at, int offset, UnwindOperation operation, int info, int register, int second, long value) {
  private static final String[] LOW = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};

  /**
   * A code of version 1 or 2 other than {@link UnwindOperation#UWOP_EPILOG}.
   *
   * @param slots all slots of the unwind information
   * @throws io.ntrail.formats.bytes.DamagedInput if they end inside of it
   */
  static UnwindCode ofSlot(Bytes slots, int slot, int version, int frameRegister, int frameOffset) {
    int at = 2 * slot;
    int second = slots.u8(at + 1);
    int info = second >> 4;
    UnwindOperation operation = UnwindOperation.ofSlot(version, second & 0xF);
    boolean frame = operation.holds() == UnwindOperation.Holds.FRAME;
    boolean wide = operation == UnwindOperation.UWOP_ALLOC_LARGE && info != 0;
    long value =
        switch (operation.operand()) {
          case NONE, BYTE -> frame ? frameOffset : 0;
          case INFO -> info;
          case SMALL -> (info + 1L) * operation.scale();
          case WORD -> wide ? slots.u32(at + 2) : (long) slots.u16(at + 2) * operation.scale();
          case LONG -> slots.u32(at + 2) * operation.scale();
        };
    int register =
        switch (operation.holds()) {
          case GENERAL, XMM -> info;
          case FRAME -> frameRegister;
          default -> -1;
        };
    return new UnwindCode(slot, slots.u8(at), operation, info, register, -1, value);
  }

  /** Returns the number of slots it takes in version 1 and 2. */
  int slots() {
    return operation == UnwindOperation.UWOP_ALLOC_LARGE && info != 0 ? 3 : operation.length();
  }

  /**
   * Reads a code of version 3.
   *
   * @param pool the codes of the unwind information
   * @param offset of the instruction, which is stored elsewhere
   * @throws io.ntrail.formats.bytes.DamagedInput if the pool ends inside of it
   */
  static UnwindCode ofPool(Bytes pool, int at, int offset) {
    int first = pool.u8(at);
    UnwindOperation operation = UnwindOperation.ofByte(first);
    int next = operation.length() > 1 ? pool.u8(at + 1) : 0;
    long value =
        switch (operation.operand()) {
          case NONE, INFO -> operation.holds() == UnwindOperation.Holds.NIBBLE ? next >> 4 << 4 : 0;
          case SMALL -> ((first >> 4) + 1L) * operation.scale();
          case BYTE -> next;
          case WORD -> (long) pool.u16(at + 1) * operation.scale();
          case LONG -> pool.u32(at + 1) * operation.scale();
        };
    int register =
        switch (operation.holds()) {
          case GENERAL, NEXT -> first >> 3;
          case XMM -> first >> 4;
          case NIBBLE -> next & 0xF;
          case PAIR -> first >> 6 | (next & 7) << 2;
          case NOTHING, FRAME -> -1;
        };
    int second =
        switch (operation.holds()) {
          case NEXT -> register + 1;
          case PAIR -> next >> 3;
          default -> -1;
        };
    return new UnwindCode(at, offset, operation, 0, register, second, value);
  }

  /** Returns the code at another instruction. */
  UnwindCode withOffset(int other) {
    return new UnwindCode(at, other, operation, info, register, second, value);
  }

  /** {@code rbp}, {@code xmm6}; empty where no register is named. */
  public String registerName() {
    return name(register);
  }

  /** The name of the second register; empty where there is none. */
  public String secondName() {
    return name(second);
  }

  private String name(int number) {
    if (number < 0) {
      return "";
    }
    return operation.isXmm() ? "xmm" + number : generalName(number);
  }

  /** {@code rax} to {@code r31} by number. */
  public static String generalName(int number) {
    return number < LOW.length ? LOW[number] : "r" + number;
  }
}

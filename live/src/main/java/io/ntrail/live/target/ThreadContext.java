package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;

/**
 * The registers of a stopped thread of x64: the structure CONTEXT of winnt.h, whose bytes are kept
 * whole.
 */
public final class ThreadContext {
  /** Bytes of the structure. */
  public static final int SIZE = 1232;

  /** CONTEXT_FULL: control, integer and floating-point registers. */
  public static final int FULL = 0x10_000B;

  /** CONTEXT_CONTROL: rip, rsp, flags, segments. */
  public static final int CONTROL = 0x10_0001;

  static final int FLAGS_AT = 0x30;
  private static final int RAX_AT = 0x78;
  private static final int RCX_AT = 0x80;
  private static final int RSP_AT = 0x98;
  private static final int RIP_AT = 0xF8;

  private final BytesBuilder bytes = new BytesBuilder(SIZE);

  ThreadContext(byte[] structure) {
    bytes.bytes(structure, 0, SIZE);
  }

  private long word(int at) {
    return Bytes.copyOf(bytes.toArray(), "context").i64(at);
  }

  /** The instruction pointer. */
  public long rip() {
    return word(RIP_AT);
  }

  /** The stack pointer. */
  public long rsp() {
    return word(RSP_AT);
  }

  /** The general registers, and the instruction pointer: rax to r15, rip. */
  public long[] registers() {
    Bytes structure = Bytes.copyOf(bytes.toArray(), "context");
    long[] registers = new long[(RIP_AT - RAX_AT) / 8 + 1];
    for (int i = 0; i < registers.length; i++) {
      registers[i] = structure.i64(RAX_AT + 8 * i);
    }
    return registers;
  }

  /** Register rcx. */
  public long rcx() {
    return word(RCX_AT);
  }

  /** Sets the instruction pointer. */
  public ThreadContext rip(long address) {
    bytes.setU64(RIP_AT, address);
    return this;
  }

  byte[] structure() {
    return bytes.toArray();
  }
}

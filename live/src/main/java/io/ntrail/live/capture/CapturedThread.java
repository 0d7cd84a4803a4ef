package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.target.TargetThread;
import io.ntrail.programs.unwind.FrameRegisters;
import java.util.List;

/**
 * Thread of a running program as it stood at one instant.
 *
 * @param thread which one
 * @param name its description; empty if it has none
 * @param is64Bit whether it is seen as one of 64 bits; of one of 32 bits on a 64-bit system the
 *     32-bit side is seen, with the registers with which it left 32-bit code if it did
 * @param context its registers: the structure CONTEXT of winnt.h, or WOW64_CONTEXT, which is that
 *     of 32-bit code
 * @param environmentBlock address of its thread environment block
 * @param stackLimit lowest committed address of its stack, as the environment block has it
 * @param stackBase end of its stack, as the environment block has it
 * @param stack bytes from the stack pointer on, up to the stack's base or the limit of the capture
 * @param memory ranges that were copied at the same instant, the stack among them
 * @param suspendCount how often others had suspended it
 * @param suspendedNanos how long it was suspended, at most: nanoseconds from before its suspension
 *     to after it was resumed
 * @param stoodNanos how long of that it stood for sure: from when the system gave its registers,
 *     for which it waits until the thread stands
 */
public record CapturedThread(
    TargetThread thread,
    String name,
    boolean is64Bit,
    Bytes context,
    long environmentBlock,
    long stackLimit,
    long stackBase,
    Bytes stack,
    List<Range> memory,
    int suspendCount,
    long suspendedNanos,
    long stoodNanos) {
  private static final int RAX = 0x78;
  private static final int RIP = 0xF8;
  private static final int XMM0 = 0x1A0;
  private static final int GENERAL = 16;
  private static final int VECTORS = 16;
  private static final int EIP = 0xB8;

  /** Offsets of eax, ecx, edx, ebx, esp, ebp, esi, edi in WOW64_CONTEXT. */
  private static final int[] GENERAL_32 = {0xB0, 0xAC, 0xA8, 0xA4, 0xC4, 0xB4, 0xA0, 0x9C};

  /**
   * Range of memory.
   *
   * @param address of its first byte
   * @param bytes at least one
   */
  public record Range(long address, Bytes bytes) {
    /** Returns true if an address is in it. */
    public boolean contains(long other) {
      return other - address >= 0 && other - address < bytes.length();
    }
  }

  /** Copies the list. */
  public CapturedThread {
    memory = List.copyOf(memory);
  }

  /** Returns the id of the thread. */
  public int tid() {
    return thread.tid();
  }

  /** Returns the registers of the innermost frame. */
  public FrameRegisters registers() {
    if (!is64Bit) {
      FrameRegisters registers = FrameRegisters.x86();
      registers.setIp(context.u32(EIP));
      for (int i = 0; i < GENERAL_32.length; i++) {
        registers.set(i, context.u32(GENERAL_32[i]));
      }
      return registers;
    }
    FrameRegisters registers = FrameRegisters.x64();
    registers.setIp(context.i64(RIP));
    for (int i = 0; i < GENERAL; i++) {
      registers.set(i, context.i64(RAX + 8 * i));
    }
    for (int i = 0; i < VECTORS; i++) {
      registers.setVector(i, context.i64(XMM0 + 16 * i), context.i64(XMM0 + 16 * i + 8));
    }
    return registers;
  }
}

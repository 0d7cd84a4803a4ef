package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.ThreadLayout;

/** Registers of a suspended thread: the structure CONTEXT of winnt.h, whose bytes are preserved. */
public final class ThreadContext {
  private final Architecture architecture;
  private final BytesBuilder bytes;

  /** Registers that can be asked for. */
  public enum Registers {
    /** Instruction and stack pointer, flags, segments. */
    CONTROL,

    /** General and floating-point registers as well. */
    FULL
  }

  ThreadContext(Architecture architecture, byte[] structure) {
    this.architecture = architecture;
    this.bytes = new BytesBuilder(structure.length).bytes(structure);
  }

  /** Returns an empty structure that asks for registers. */
  static BytesBuilder request(ThreadLayout layout, Registers registers) {
    return new BytesBuilder(layout.contextBytes())
        .zeros(layout.contextBytes())
        .setU32(
            layout.contextFlags(),
            switch (registers) {
              case CONTROL -> layout.control();
              case FULL -> layout.full();
            });
  }

  private Bytes view() {
    return Bytes.copyOf(bytes.toArray(), "context");
  }

  /** Returns the instruction pointer. */
  public long instructionPointer() {
    return architecture.pointer(view(), architecture.threads().instructionPointer());
  }

  /** Returns the stack pointer. */
  public long stackPointer() {
    return architecture.pointer(view(), architecture.threads().stackPointer());
  }

  /** Returns the general registers and the instruction pointer. */
  public long[] registers() {
    ThreadLayout layout = architecture.threads();
    Bytes structure = view();
    long[] registers = new long[layout.registerCount() + 1];
    for (int i = 0; i < layout.registerCount(); i++) {
      registers[i] =
          architecture.pointer(structure, layout.registers() + i * architecture.pointerSize());
    }
    registers[layout.registerCount()] = instructionPointer();
    return registers;
  }

  /** Sets the instruction pointer. */
  public ThreadContext instructionPointer(long address) {
    int at = architecture.threads().instructionPointer();
    if (architecture.pointerSize() == Long.BYTES) {
      bytes.setU64(at, address);
    } else {
      bytes.setU32(at, (int) address);
    }
    return this;
  }

  byte[] structure() {
    return bytes.toArray();
  }
}

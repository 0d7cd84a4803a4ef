package io.ntrail.programs.x86.asm;

/**
 * One instruction twice: as a call of the assembler, and as text for nasm.
 *
 * @param text in the syntax of nasm
 * @param call what writes it
 * @param flow what the decoder has to say about it, or empty for nothing in particular
 */
record Written(String text, Call call, String flow) {
  /** Writes an instruction that will lie at an address. */
  @FunctionalInterface
  interface Call {
    void write(Assembler assembler, long address);
  }

  /** The bytes of the call alone, for an address. */
  byte[] bytes(boolean wide, long address) {
    Assembler assembler = wide ? Assembler.x64() : Assembler.ia32();
    call.write(assembler, address);
    return assembler.assemble().bytesAt(address);
  }
}

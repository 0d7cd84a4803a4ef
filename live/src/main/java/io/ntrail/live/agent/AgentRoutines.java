package io.ntrail.live.agent;

import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg64;

/** Machine code that the agent calls in its own process. */
public final class AgentRoutines {
  private AgentRoutines() {}

  /** Returns a function that reads the time stamp counter. */
  public static byte[] readTimeStampCounter() {
    return Assembler.x64()
        .rdtsc()
        .shl(Reg64.RDX, 32)
        .or(Reg64.RAX, Reg64.RDX)
        .ret()
        .assemble()
        .bytes();
  }

  /** Returns a function that reads edx of a CPUID leaf. */
  public static byte[] cpuidEdx(int leaf) {
    return Assembler.x64()
        .push(Reg64.RBX)
        .mov(Reg32.EAX, leaf)
        .cpuid()
        .mov(Reg32.EAX, Reg32.EDX)
        .pop(Reg64.RBX)
        .ret()
        .assemble()
        .bytes();
  }
}

package io.ntrail.live.agent;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg64;

/** Machine code that an agent calls in its own process. */
public sealed interface AgentRoutines {
  /** Returns a function that reads the time stamp counter; its result has 64 bits. */
  byte[] readTimeStampCounter();

  /** Returns a function that reads edx of a CPUID leaf. */
  byte[] cpuidEdx(int leaf);

  /**
   * Returns the code for agents of a machine type.
   *
   * @param machine x64 or x86
   */
  static AgentRoutines of(int machine) {
    return machine == MachineType.I386 ? new X86() : new X64();
  }

  /** Code for 64-bit agents. */
  record X64() implements AgentRoutines {
    @Override
    public byte[] readTimeStampCounter() {
      return Assembler.x64()
          .rdtsc()
          .shl(Reg64.RDX, 32)
          .or(Reg64.RAX, Reg64.RDX)
          .ret()
          .assemble()
          .bytes();
    }

    @Override
    public byte[] cpuidEdx(int leaf) {
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

  /** Code for 32-bit agents. */
  record X86() implements AgentRoutines {
    @Override
    public byte[] readTimeStampCounter() {
      return Assembler.ia32().rdtsc().ret().assemble().bytes();
    }

    @Override
    public byte[] cpuidEdx(int leaf) {
      return Assembler.ia32()
          .push(Reg32.EBX)
          .mov(Reg32.EAX, leaf)
          .cpuid()
          .mov(Reg32.EAX, Reg32.EDX)
          .pop(Reg32.EBX)
          .ret()
          .assemble()
          .bytes();
    }
  }
}

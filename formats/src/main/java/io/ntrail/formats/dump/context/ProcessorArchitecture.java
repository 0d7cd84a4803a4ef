package io.ntrail.formats.dump.context;

/** Processor architectures as dumps number them (PROCESSOR_ARCHITECTURE_ of winnt.h). */
public enum ProcessorArchitecture {
  X86(0, "x86"),
  MIPS(1, "mips"),
  ALPHA(2, "alpha"),
  POWERPC(3, "powerpc"),
  SH(4, "sh"),
  ARM(5, "arm"),
  IA64(6, "ia64"),
  ALPHA64(7, "alpha64"),
  MSIL(8, "msil"),
  X64(9, "x64"),
  /** 32-bit process on 64-bit Windows, described by a 32-bit writer. */
  X86_ON_X64(10, "x86"),
  NEUTRAL(11, "neutral"),
  ARM64(12, "arm64"),
  ARM_ON_ARM64(13, "arm"),
  X86_ON_ARM64(14, "x86"),
  /** Breakpad's own numbers, for systems that are not Windows. */
  SPARC(0x8001, "sparc"),
  POWERPC64(0x8002, "powerpc64"),
  OLD_ARM64(0x8003, "arm64"),
  MIPS64(0x8004, "mips64"),
  RISCV(0x8005, "riscv32"),
  RISCV64(0x8006, "riscv64"),
  UNKNOWN(0xFFFF, "unknown");

  private final int number;
  private final String word;

  ProcessorArchitecture(int number, String word) {
    this.number = number;
    this.word = word;
  }

  /** Returns the architecture with a number; {@link #UNKNOWN} if there is none. */
  public static ProcessorArchitecture of(int number) {
    for (ProcessorArchitecture architecture : values()) {
      if (architecture.number == number) {
        return architecture;
      }
    }
    return UNKNOWN;
  }

  /** Returns the word that people use: {@code x64}. */
  public String word() {
    return word;
  }
}

package io.ntrail.formats.pe;

import java.util.Map;
import java.util.Optional;

/** Values of the Machine field (IMAGE_FILE_MACHINE_), and how people call them. */
public final class MachineType {
  public static final int I386 = 0x14C;
  public static final int AMD64 = 0x8664;
  public static final int ARM64 = 0xAA64;
  public static final int ARMNT = 0x1C4;
  public static final int IA64 = 0x200;

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(0, "unknown"),
          Map.entry(I386, "x86"),
          Map.entry(AMD64, "x64"),
          Map.entry(ARM64, "arm64"),
          Map.entry(ARMNT, "arm"),
          Map.entry(IA64, "ia64"),
          Map.entry(0x162, "mips3000"),
          Map.entry(0x166, "mips"),
          Map.entry(0x168, "mips10000"),
          Map.entry(0x169, "mips-wce2"),
          Map.entry(0x184, "alpha"),
          Map.entry(0x284, "alpha64"),
          Map.entry(0x1A2, "sh3"),
          Map.entry(0x1A3, "sh3dsp"),
          Map.entry(0x1A6, "sh4"),
          Map.entry(0x1A8, "sh5"),
          Map.entry(0x1C0, "arm-v4"),
          Map.entry(0x1C2, "thumb"),
          Map.entry(0x1D3, "am33"),
          Map.entry(0x1F0, "powerpc"),
          Map.entry(0x1F1, "powerpc-fp"),
          Map.entry(0x266, "mips16"),
          Map.entry(0x366, "mips-fpu"),
          Map.entry(0x466, "mips16-fpu"),
          Map.entry(0x520, "tricore"),
          Map.entry(0x5032, "riscv32"),
          Map.entry(0x5064, "riscv64"),
          Map.entry(0x5128, "riscv128"),
          Map.entry(0x6232, "loongarch32"),
          Map.entry(0x6264, "loongarch64"),
          Map.entry(0x9041, "m32r"),
          Map.entry(0xEBC, "efi-bytecode"),
          Map.entry(0x3A64, "chpe-x86"),
          Map.entry(0xA641, "arm64ec"),
          Map.entry(0xA64E, "arm64x"));

  private MachineType() {}

  /** {@code x64}; a value without a name as {@code 0x1234}. */
  public static String text(int machine) {
    String name = NAMES.get(machine);
    return name != null ? name : "0x" + Integer.toHexString(machine);
  }

  /** Returns whether its images have headers of 64 bits; empty for machines of which few know. */
  static Optional<Boolean> isWide(int machine) {
    return switch (machine) {
      case I386, ARMNT -> Optional.of(false);
      case AMD64, ARM64, IA64 -> Optional.of(true);
      default -> Optional.empty();
    };
  }

  /** Returns true if its code is IA-32 or x64. */
  public static boolean isX86(int machine) {
    return machine == I386 || machine == AMD64;
  }
}

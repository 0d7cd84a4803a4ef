package io.ntrail.formats.pe.fixups;

import io.ntrail.formats.pe.MachineType;

/** Machines that give types 5, 7, 8 and 9 the same meaning. */
enum RelocationFamily {
  ARM,
  MIPS,
  RISCV,
  LOONGARCH,
  IA64,
  OTHER;

  static RelocationFamily of(int machine) {
    return switch (machine) {
      case MachineType.ARMNT, 0x1C0, 0x1C2 -> ARM;
      case 0x162, 0x166, 0x168, 0x169, 0x266, 0x366, 0x466 -> MIPS;
      case 0x5032, 0x5064, 0x5128 -> RISCV;
      case 0x6232, 0x6264 -> LOONGARCH;
      case MachineType.IA64 -> IA64;
      default -> OTHER;
    };
  }
}

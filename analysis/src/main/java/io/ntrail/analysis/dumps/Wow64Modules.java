package io.ntrail.analysis.dumps;

import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.context.ProcessorArchitecture;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Modules of a 32-bit process that was saved from the 64-bit side: those of that side are ntdll,
 * the emulator (wow64.dll and its like) and the program, which both sides list.
 *
 * @param native64 modules of the 64-bit side
 * @param emulated modules of the 32-bit side
 */
record Wow64Modules(DumpModules native64, DumpModules emulated) {
  private static final long FOUR_GIGABYTES = 1L << 32;

  /** Returns the sides; empty if the process has only one. */
  static Optional<Wow64Modules> of(Minidump dump, DumpModules all) {
    boolean isEmulated =
        dump.architecture() == ProcessorArchitecture.X64
            && all.list().stream()
                .map(Wow64Modules::name)
                .anyMatch(name -> name.equals("wow64.dll") || name.equals("wow64cpu.dll"));
    if (!isEmulated) {
      return Optional.empty();
    }
    List<DumpedModule> on64 = new ArrayList<>();
    List<DumpedModule> on32 = new ArrayList<>();
    for (DumpedModule module : all.list()) {
      if (module == all.list().getFirst()) {
        on64.add(module);
        on32.add(module);
      } else if (is64Bit(module)) {
        on64.add(module);
      } else if (on32.stream().noneMatch(other -> other.base() == module.base())) {
        on32.add(module);
      }
    }
    return Optional.of(new Wow64Modules(all.only(on64), all.only(on32)));
  }

  private static String name(DumpedModule module) {
    return module.name().toLowerCase(Locale.ROOT);
  }

  private static boolean is64Bit(DumpedModule module) {
    if (Long.compareUnsigned(module.base(), FOUR_GIGABYTES) >= 0) {
      return true;
    }
    Optional<PeImage> image = module.memoryImage();
    if (image.isPresent()) {
      return image.get().headers().machine() == MachineType.AMD64;
    }
    String name = name(module);
    boolean isNtdll =
        name.equals("ntdll.dll")
            && !module.path().toLowerCase(Locale.ROOT).contains("\\syswow64\\");
    return isNtdll || name.startsWith("wow64");
  }
}

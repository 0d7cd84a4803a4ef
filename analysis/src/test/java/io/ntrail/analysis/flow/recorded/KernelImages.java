package io.ntrail.analysis.flow.recorded;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.PeSectionContent;
import io.ntrail.programs.kernelcode.CodeVariant;
import io.ntrail.programs.kernelcode.ImportAddresses;
import io.ntrail.programs.kernelcode.KernelCode;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A driver with the images that it imports from, which are made for it: a kernel in reach, of which
 * every third function is a forwarder to an image that is out of reach, and every fifth is missing.
 *
 * @param modules the images that it imports from, the kernel first
 */
record KernelImages(RealImage driver, List<RealImage> modules, long dispatcher, long function) {
  private static final long NEAR = 0x1000_0000L;
  private static final long FAR = 0x2_0000_0000L;
  private static final long STEP = 0x100_0000L;
  private static final int ROOM = 16;

  /** Stamp of the images that are made. */
  private static final int STAMP = 0x5A5A_0001;

  static KernelImages of(String path, long base) throws IOException {
    RealImage driver = RealImage.of(path, base);
    List<RealImage> modules = new ArrayList<>();
    PeBuilder far = library("far.sys");
    PeSectionContent farCode = far.code();
    PeBuilder nt = library("ntoskrnl.exe");
    PeSectionContent ntCode = nt.code();
    // The dispatcher of control flow guard, and a function that pointers lead to.
    ntCode.label("dispatch").u8(0xFF).u8(0xE0).fill(ROOM - 2, 0xCC);
    ntCode.label("function").u8(0xC3).fill(ROOM - 1, 0xCC);
    List<PeBuilder> builders = new ArrayList<>(List.of(nt, far));
    List<String> names = new ArrayList<>(List.of("ntoskrnl.exe", "far.sys"));
    int index = 0;
    for (Imports.Module module : Imports.of(driver.image()).modules()) {
      boolean isKernel = module.name().equalsIgnoreCase("ntoskrnl.exe");
      PeBuilder own = isKernel ? nt : library(module.name());
      PeSectionContent code = isKernel ? ntCode : own.code();
      for (Imports.Symbol symbol : module.symbols()) {
        String label = "f" + index;
        if (index % 5 != 2 && symbol.name() != null) {
          if (index % 3 == 1) {
            own.forwards(symbol.name(), "far." + symbol.name() + index);
            far.exports(symbol.name() + index, label);
            farCode.label(label).u8(0xC3).fill(ROOM - 1, 0xCC);
          } else {
            own.exports(symbol.name(), label);
            code.label(label).u8(0xC3).fill(ROOM - 1, 0xCC);
          }
        }
        index++;
      }
      if (!isKernel) {
        code.fill(ROOM, 0xCC);
        builders.add(own);
        names.add(module.name());
      }
    }
    farCode.fill(ROOM, 0xCC);
    long dispatcher = 0;
    long function = 0;
    for (int i = 0; i < builders.size(); i++) {
      PeBuilder.Built built = builders.get(i).build();
      byte[] file = built.file();
      long at = base + (i == 1 ? FAR : NEAR + i * STEP);
      modules.add(
          new RealImage(names.get(i), file, PeImage.ofFile(InputFile.of(file, names.get(i))), at));
      if (i == 0) {
        dispatcher = at + built.rva("dispatch");
        function = at + built.rva("function");
      }
    }
    return new KernelImages(driver, modules, dispatcher, function);
  }

  private static PeBuilder library(String name) {
    return PeBuilder.library(MachineType.AMD64).name(name).timestamp(STAMP);
  }

  private ImportAddresses targets() {
    // Forwarders to far.sys are followed only if the kernel's loads have it under that name.
    return new ImportAddresses(modules.stream().map(RealImage::space).toList());
  }

  KernelCode code(CodeVariant variant) {
    return KernelCode.of(driver.space(), targets(), variant);
  }

  /** Puts the driver in a variant into a machine, with all it calls, and fills its slots. */
  void loadInto(UnicornMachine machine, KernelCode code) throws IOException {
    driver.loadInto(machine, code.space());
    for (RealImage module : modules) {
      module.loadInto(machine, module.space());
    }
    ImportAddresses targets = targets();
    for (Imports.Module module : Imports.of(driver.image()).modules()) {
      for (Imports.Symbol symbol : module.symbols()) {
        long target =
            targets.address(module.name(), symbol.name(), symbol.ordinal()).orElse(function);
        pointer(machine, driver.base() + symbol.slot(), target);
      }
    }
    long guard =
        LoadConfig.of(driver.image())
            .orElseThrow()
            .rva(LoadConfig.Field.GUARD_CF_DISPATCH_FUNCTION_POINTER);
    pointer(machine, driver.base() + guard, dispatcher);
  }

  static void pointer(UnicornMachine machine, long address, long value) throws IOException {
    byte[] bytes = new byte[8];
    LittleEndian.putU64(bytes, 0, value);
    machine.write(address, bytes);
  }
}

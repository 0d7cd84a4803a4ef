package io.ntrail.programs.kernelcode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.programs.memory.ImageSpace;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Addresses of imports from the exports of the modules at hand. */
class ImportAddressesTest {
  private static final long KERNEL = 0xFFFF_F800_1000_0000L;
  private static final long HAL = 0xFFFF_F800_2000_0000L;

  private final PeBuilder.Built kernel = kernel().build();

  private static PeBuilder kernel() {
    PeBuilder builder =
        PeBuilder.library(MachineType.AMD64)
            .name("ntoskrnl.exe")
            .exports("KeFirst", "first")
            .exports(7, null, "seventh")
            .forwards("KeElsewhere", "HAL.HalFirst")
            .forwards("KeOrdinal", "HAL.#3")
            .forwards("KeTwice", "HAL.HalBack")
            .forwards("KeCircle", "HAL.HalCircle")
            .forwards("KeNowhere", "missing.Function");
    builder.code().label("first").fill(16, 0xC3).label("seventh").fill(16, 0xC3);
    return builder;
  }

  private final PeBuilder.Built hal = hal().build();

  private static PeBuilder hal() {
    PeBuilder builder =
        PeBuilder.library(MachineType.AMD64)
            .name("HAL.dll")
            .exports(3, "HalFirst", "first")
            .forwards("HalBack", "ntoskrnl.KeFirst")
            .forwards("HalCircle", "ntoskrnl.KeCircle");
    builder.code().fill(32, 0xCC).label("first").fill(16, 0xC3);
    return builder;
  }

  private static ImageSpace space(PeBuilder.Built built, String name, long base) {
    return new ImageSpace(PeImage.ofFile(InputFile.of(built.file(), name)), base);
  }

  private final ImportAddresses addresses =
      new ImportAddresses(
          List.of(
              space(kernel, "C:\\Windows\\System32\\ntkrnlmp.exe", KERNEL),
              space(hal, "symbols/hal.dll", HAL)));

  private static OptionalLong at(long base, long rva) {
    return OptionalLong.of(base + rva);
  }

  @Test
  void anImportIsFoundByNameAndByOrdinal() {
    assertEquals(at(KERNEL, kernel.rva("first")), addresses.address("ntoskrnl.exe", "KeFirst", 0));
    assertEquals(at(KERNEL, kernel.rva("seventh")), addresses.address("ntoskrnl.exe", null, 7));
  }

  @Test
  void aModuleIsKnownByTheNamesOfItsFileAndItsExportsInAnyCase() {
    assertEquals(at(KERNEL, kernel.rva("first")), addresses.address("NTKRNLMP.EXE", "KeFirst", 0));
    assertEquals(at(HAL, hal.rva("first")), addresses.address("HAL.DLL", "HalFirst", 0));
  }

  @Test
  void forwardersAreFollowedByNameAndByOrdinal() {
    assertEquals(at(HAL, hal.rva("first")), addresses.address("ntoskrnl.exe", "KeElsewhere", 0));
    assertEquals(at(HAL, hal.rva("first")), addresses.address("ntoskrnl.exe", "KeOrdinal", 0));
    assertEquals(at(KERNEL, kernel.rva("first")), addresses.address("ntoskrnl.exe", "KeTwice", 0));
  }

  @Test
  void forwardersThatEndNowhereHaveNoAddress() {
    assertEquals(OptionalLong.empty(), addresses.address("ntoskrnl.exe", "KeCircle", 0));
    assertEquals(OptionalLong.empty(), addresses.address("ntoskrnl.exe", "KeNowhere", 0));
  }

  @Test
  void othersAreUnknown() {
    assertEquals(OptionalLong.empty(), addresses.address("ntoskrnl.exe", "KeMissing", 0));
    assertEquals(OptionalLong.empty(), addresses.address("ntoskrnl.exe", null, 99));
    assertEquals(OptionalLong.empty(), addresses.address("fltmgr.sys", "KeFirst", 0));
  }
}

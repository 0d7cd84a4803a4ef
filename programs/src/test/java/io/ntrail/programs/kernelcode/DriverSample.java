package io.ntrail.programs.kernelcode;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.LoaderView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A real driver with dynamic relocations, and a second reader of them: from the bytes of the mapped
 * image alone.
 *
 * @param memory the image as it is mapped
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record DriverSample(String name, byte[] file, byte[] memory) {
  /** All that are at hand. */
  static final List<String> FILES =
      List.of(
          "pt/dvrt/acpi.sys",
          "pt/dvrt/WdBoot.sys",
          "pt/dvrt/amdppm.sys",
          "pdb/win10/Wdf01000.sys",
          "pdb/sysinf/systeminformer.sys");

  /** A place where no displacement of 32 bits reaches the first gigabytes from. */
  static final long BASE = 0xFFFF_F803_1234_0000L;

  private static final long NEAR = 0x1000_0000L;
  private static final long FAR = 0x2_0000_0000L;
  private static final int STEP = 16;

  static DriverSample of(String file) {
    try {
      byte[] bytes = TestData.gunzip(file + ".gz");
      return new DriverSample(
          file.substring(file.lastIndexOf('/') + 1), bytes, LoaderView.map(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  PeImage image() {
    return PeImage.ofFile(InputFile.of(file, name));
  }

  ImageSpace space() {
    return new ImageSpace(image(), BASE);
  }

  private int u32(long rva) {
    return (int) LittleEndian.getU32(memory, (int) rva);
  }

  private int optional() {
    return u32(0x3C) + 24;
  }

  private long preferred() {
    return LittleEndian.getU64(memory, optional() + 24);
  }

  /** RVA of the page behind the image. */
  long page() {
    return u32(optional() + 56) + 0xFFFL & ~0xFFF;
  }

  /** RVA of a slot of the import address table. */
  long slot(int index) {
    return u32(optional() + 112 + 12 * 8) + 8L * index;
  }

  private long config() {
    return u32(optional() + 112 + 10 * 8);
  }

  /** RVA of the pointer to the dispatcher of control flow guard. */
  long dispatcher() {
    return LittleEndian.getU64(memory, (int) config() + 0x78) - preferred();
  }

  /** RVA of the table of dynamic relocations, and how many bytes it has with its head. */
  long table() {
    int section = LittleEndian.getU16(memory, (int) config() + 0xE4);
    int headers = optional() + LittleEndian.getU16(memory, optional() - 4);
    return (long) u32(headers + 40 * (section - 1) + 12) + u32(config() + 0xE0);
  }

  int tableSize() {
    return 8 + u32(table() + 4);
  }

  /** Every site, in the order of the records. */
  List<ExpectedSite> sites() {
    List<ExpectedSite> sites = new ArrayList<>();
    long at = table() + 8;
    long end = table() + tableSize();
    while (at < end) {
      int symbol = u32(at);
      long listEnd = at + 12 + u32(at + 8);
      at += 12;
      while (at < listEnd) {
        long blockEnd = at + u32(at + 4);
        block(symbol, u32(at), at + 8, blockEnd, sites);
        at = blockEnd;
      }
    }
    return sites;
  }

  private void block(int symbol, long page, long from, long end, List<ExpectedSite> sites) {
    int size = symbol == 3 ? 4 : 2;
    for (long at = from; at < end; at += size) {
      int record = symbol == 3 ? u32(at) : LittleEndian.getU16(memory, (int) at);
      if ((record & 0xFFF) == 0 && at > from) {
        continue;
      }
      sites.add(
          switch (symbol) {
            case 3 -> ExpectedSite.ofImport(page, Integer.toUnsignedLong(record));
            case 4 -> ExpectedSite.ofPointer(page, record);
            case 5 -> ExpectedSite.ofSwitch(page, record);
            default -> throw new IllegalArgumentException(name + ": symbol " + symbol);
          });
    }
  }

  /** The slot that a site uses; 0 if it uses none. */
  long slotOf(ExpectedSite site) {
    return site.symbol() == 3 ? slot(site.number()) : site.checked() ? dispatcher() : 0;
  }

  /**
   * The address that the slot of an import holds, counted from the base of the image: of every
   * third one it is out of reach.
   */
  static long content(int index) {
    return (index % 3 == 1 ? FAR : NEAR) + (long) index * STEP;
  }

  /** Returns it as far as it is known: that of every fifth one is not. */
  static Optional<Long> known(int index) {
    return index % 5 == 2 ? Optional.empty() : Optional.of(content(index));
  }

  /** The bytes that a variant has at a site, as the table tells it. */
  Optional<byte[]> rewritten(ExpectedSite site, CodeVariant variant) {
    Optional<Long> target = site.symbol() == 3 ? known(site.number()) : Optional.empty();
    return site.rewritten(variant, slotOf(site), page(), target);
  }

  /** The addresses of imports as the code to be tested is told them, by their names. */
  ImportTargets targets() {
    ImportNames names = ImportNames.of(this);
    return (module, name, ordinal) -> names.known(module, name, ordinal);
  }

  KernelCode code(CodeVariant variant) {
    return KernelCode.of(space(), targets(), variant);
  }
}

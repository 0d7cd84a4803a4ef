package io.ntrail.programs.kernelcode;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.PeSectionContent;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Assertions;

/**
 * Whatever dynamic relocation records and code say: sites are rewritten in the forms that kernels
 * write, or left, and no byte outside of them changes.
 */
class KernelCodeFuzzTest {
  private static final int TABLE = 0x1000;
  private static final int CODE = 0x2000;

  /** Bytes of an input that are read: a distance may be 0. */
  private static final int MOST = 1 << 12;

  private static final long BASE = 0xFFFF_F803_1234_0000L;
  private static final byte[] DRIVER = driver();

  /** A driver that imports two functions, with room for code and a table. */
  private static byte[] driver() {
    PeBuilder driver =
        PeBuilder.library(MachineType.AMD64)
            .imports("ntoskrnl.exe", "Near", "Far")
            .loadConfig(0x108)
            .configure(LoadConfig.Field.GUARD_CF_DISPATCH_FUNCTION_POINTER, "dispatcher")
            .configure(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE_OFFSET, 0)
            .configure(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE_SECTION, 2);
    driver.code().fill(CODE, 0x90);
    PeSectionContent table = driver.section(".dvrt", Section.READ);
    table.fill(TABLE, 0);
    driver.data().label("dispatcher").pointer(0);
    return driver.build().file();
  }

  private static Section section(PeImage image, int index) {
    return image.sections().get(index);
  }

  private static ImportTargets targets() {
    return (_, name, _) ->
        "Near".equals(name)
            ? OptionalLong.of(BASE + 0x100_0000)
            : "Far".equals(name) ? OptionalLong.of(BASE + 0x2_0000_0000L) : OptionalLong.empty();
  }

  /** Bytes: half of them is the code, the other half the table with its head. */
  @FuzzTest(maxDuration = "60s")
  void anyTableAndCode(byte[] data) {
    byte[] file = DRIVER.clone();
    PeImage driver = PeImage.ofFile(InputFile.of(DRIVER, "driver"));
    int half = data.length / 2;
    System.arraycopy(data, 0, file, (int) section(driver, 0).rawOffset(), Math.min(half, CODE));
    System.arraycopy(
        data,
        half,
        file,
        (int) section(driver, 1).rawOffset(),
        Math.min(data.length - half, TABLE));
    check(file);
  }

  /**
   * Bytes: four for a site; kind, distance from the last one, index of the import or register, and
   * flags: 1 leaves the code as it is, 2 begins another block.
   */
  @FuzzTest(maxDuration = "60s")
  void sitesThatMostlyFit(byte[] data) {
    byte[] file = DRIVER.clone();
    PeImage driver = PeImage.ofFile(InputFile.of(DRIVER, "driver"));
    Section code = section(driver, 0);
    long slot = Imports.of(driver).modules().getFirst().symbols().getFirst().slot();
    long dispatcher =
        LoadConfig.of(driver)
            .orElseThrow()
            .rva(LoadConfig.Field.GUARD_CF_DISPATCH_FUNCTION_POINTER);
    LittleEndian table = new LittleEndian();
    for (int symbol = 3; symbol <= 5; symbol++) {
      LittleEndian blocks = new LittleEndian();
      LittleEndian block = new LittleEndian();
      int at = 0;
      int page = 0;
      for (int i = 0; i + 4 <= Math.min(data.length, MOST) && at + 12 <= CODE; i += 4) {
        ExpectedSite site = site(data[i], code.rva() + at, data[i + 2]);
        int here = at;
        at += data[i + 1] & 0xFF;
        if (site.symbol() != symbol) {
          continue;
        }
        if (here >>> 12 != page >>> 12 || (data[i + 3] & 2) != 0) {
          end(block, code.rva() + page, symbol, blocks);
          block = new LittleEndian();
          page = here & -0x1000;
        }
        if ((data[i + 3] & 1) == 0) {
          byte[] bytes = site.inFile(symbol == 3 ? slot + 8L * site.number() : dispatcher);
          System.arraycopy(bytes, 0, file, (int) code.rawOffset() + here, bytes.length);
        }
        record(site, here & 0xFFF, block);
      }
      end(block, code.rva() + page, symbol, blocks);
      table.u64(symbol).u32(blocks.size()).bytes(blocks.toByteArray());
    }
    byte[] bytes = table.toByteArray();
    byte[] whole = new LittleEndian().u32(1).u32(bytes.length).bytes(bytes).toByteArray();
    System.arraycopy(
        whole, 0, file, (int) section(driver, 1).rawOffset(), Math.min(whole.length, TABLE));
    check(file);
  }

  private static ExpectedSite site(int kind, long rva, int number) {
    boolean call = (kind & 4) != 0;
    return switch (kind & 3) {
      case 0, 1 -> new ExpectedSite(3, rva, call, false, false, number & 1);
      case 2 -> new ExpectedSite(4, rva, call, (kind & 8) != 0, (kind & 16) != 0, 0);
      default -> new ExpectedSite(5, rva, false, false, false, number & 15);
    };
  }

  private static void record(ExpectedSite site, int offset, LittleEndian block) {
    int call = site.call() ? 1 << 12 : 0;
    switch (site.symbol()) {
      case 3 -> block.u32(offset | call | (long) site.number() << 13);
      case 4 ->
          block.u16(offset | call | (site.rexW() ? 1 << 13 : 0) | (site.checked() ? 1 << 14 : 0));
      default -> block.u16(offset | site.number() << 12);
    }
  }

  private static void end(LittleEndian block, long page, int symbol, LittleEndian blocks) {
    if (block.size() == 0) {
      return;
    }
    if (symbol != 3 && block.size() % 4 != 0) {
      block.u16(0);
    }
    blocks.u32(page).u32(block.size() + 8).bytes(block.toByteArray());
  }

  /** Bytes: an image. */
  @FuzzTest(maxDuration = "60s")
  void anyImage(byte[] data) {
    check(data);
  }

  private static void check(byte[] file) {
    PeImage image;
    try {
      image = PeImage.ofFile(InputFile.of(file, "fuzz"));
    } catch (DamagedInput | CannotGoOn e) {
      return;
    }
    ImageSpace memory = new ImageSpace(image, BASE);
    for (CodeVariant variant : CodeVariant.values()) {
      check(memory, KernelCode.of(memory, targets(), variant));
    }
  }

  private static void check(ImageSpace memory, KernelCode code) {
    long last = Long.MIN_VALUE;
    long rewritten = 0;
    List<CodeSite> changed = new ArrayList<>();
    for (CodeSite site : code.sites()) {
      Assertions.assertTrue(site.rva() >= last, "in order");
      last = site.rva();
      if (site.outcome().isRewritten()) {
        rewritten++;
        changed.add(site);
        Assertions.assertTrue(isForm(site, code.space()), () -> site.toString());
      }
    }
    Assertions.assertEquals(rewritten, code.report().rewritten());
    if (code.variant() == CodeVariant.FILE) {
      Assertions.assertEquals(0, rewritten);
    }
    for (Section section : memory.image().sections()) {
      int length = (int) Math.min(section.virtualSize(), 0x10000);
      byte[] before = all(memory, section.rva(), length);
      byte[] after = all(code.space(), section.rva(), length);
      for (CodeSite site : changed) {
        for (long rva = site.rva(); rva < site.end(); rva++) {
          int at = (int) (rva - section.rva());
          if (at >= 0 && at < before.length && at < after.length) {
            after[at] = before[at];
          }
        }
      }
      Assertions.assertTrue(Arrays.equals(before, after), section.name());
    }
  }

  private static byte[] all(AddressSpace space, long rva, int length) {
    LittleEndian bytes = new LittleEndian();
    while (bytes.size() < length) {
      Bytes piece = space.readUpTo(BASE + rva + bytes.size(), length - bytes.size());
      if (piece.length() == 0) {
        break;
      }
      bytes.bytes(piece.array(0, piece.length()));
    }
    return bytes.toByteArray();
  }

  /** Tells that a site has one of the published forms, and goes where its outcome says. */
  private static boolean isForm(CodeSite site, AddressSpace space) {
    long address = BASE + site.rva();
    byte[] bytes = space.read(address, site.form().length()).array(0, site.form().length());
    boolean isImport = bytes.length == 12;
    int at = isImport ? 7 : 0;
    if (isImport && !Arrays.equals(bytes, 0, 3, new byte[] {0x4C, (byte) 0x8B, 0x15}, 0, 3)) {
      return false;
    }
    if (isImport && bytes[at] == 0x4D) {
      return site.outcome().isThroughRegister()
          && bytes[at + 1] == (byte) 0xFF
          && bytes[at + 2] == (byte) (site.form().isCall() ? 0xD2 : 0xE2);
    }
    boolean isCall = bytes[at] == (byte) 0xE8;
    long target = address + at + 5 + (int) LittleEndian.getU32(bytes, at + 1);
    return (isCall || bytes[at] == (byte) 0xE9)
        && isCall == (site.form().isCall() || site.form() == SiteForm.SWITCH_JUMP)
        && Optional.of(target).equals(Optional.of(site.target()));
  }
}

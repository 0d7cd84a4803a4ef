package io.ntrail.programs.kernelcode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.testkit.LittleEndian;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Drivers whose dynamic relocations are damaged or made up: a site that cannot be what its record
 * says keeps the bytes of the file, and the report tells why.
 */
@EnabledIf(
    value = "io.ntrail.testkit.TestData#available",
    disabledReason = "no test data on this machine")
class DamagedRecordsTest {
  private static final int IMPORTS = 144;

  /** End of the first sections, with all code, which are mapped without a hole. */
  private static final int TEXT = 0xF000;

  private final DriverSample driver = DriverSample.of("pt/dvrt/WdBoot.sys");
  private final byte[] file = driver.file().clone();
  private final PeImage sound = driver.image();

  /** Offset in the file of the first import record; 12 bytes before it are its block and list. */
  private int firstRecord() {
    return offset(driver.table() + 8 + 12 + 8);
  }

  /** Offset in the file of the records of the first block of imports that has several. */
  private int crowded() {
    int at = firstRecord() - 8;
    while (LittleEndian.getU32(file, at + 4) < 16) {
      at += (int) LittleEndian.getU32(file, at + 4);
    }
    return at + 8;
  }

  private int offset(long rva) {
    return Math.toIntExact(sound.view().offset(rva));
  }

  private DriverSample changed() {
    return new DriverSample(driver.name(), file, driver.memory());
  }

  private KernelCode code(CodeVariant variant) {
    return changed().code(variant);
  }

  private KernelCode code() {
    return code(CodeVariant.RETPOLINE);
  }

  private static void assertAsInFile(DriverSample driver, KernelCode code, CodeSite site) {
    assertFalse(site.outcome().isRewritten(), site::toString);
    assertEquals(0, site.target());
    int length = site.form().length();
    ImageSpace space = driver.space();
    long address = DriverSample.BASE + site.rva();
    byte[] expected =
        space.readUpTo(address, length).array(0, space.readUpTo(address, length).length());
    byte[] found = code.space().readUpTo(address, expected.length).array(0, expected.length);
    assertArrayEquals(expected, found, site::toString);
  }

  private void assertOneLeft(SiteOutcome why) {
    KernelCode code = code();
    assertEquals(1, code.report().damaged());
    assertEquals(1, code.report().count(why));
    code.sites().stream()
        .filter(site -> site.outcome() == why)
        .forEach(site -> assertAsInFile(changed(), code, site));
  }

  @Test
  void aRecordThatPointsIntoAnInstructionIsLeft() {
    long record = LittleEndian.getU32(file, firstRecord());
    LittleEndian.putU32(file, firstRecord(), record + 1);
    assertOneLeft(SiteOutcome.OTHER_INSTRUCTION);
  }

  @Test
  void aRecordOfAJumpOnACallIsLeft() {
    long record = LittleEndian.getU32(file, firstRecord());
    LittleEndian.putU32(file, firstRecord(), record ^ 0x1000);
    assertOneLeft(SiteOutcome.OTHER_INSTRUCTION);
  }

  @Test
  void aSiteWithAnUnknownInstructionIsLeft() {
    file[offset(driver.sites().getFirst().rva() + 1)] = (byte) 0x8B;
    assertOneLeft(SiteOutcome.OTHER_INSTRUCTION);
  }

  @Test
  void aSiteWhoseFillIsAnotherInstructionIsLeft() {
    file[offset(driver.sites().getFirst().rva() + 11)] = (byte) 0x90;
    assertOneLeft(SiteOutcome.OTHER_INSTRUCTION);
  }

  @Test
  void aRecordOfAnotherSlotThanThatOfItsInstructionIsLeft() {
    long record = LittleEndian.getU32(file, firstRecord());
    LittleEndian.putU32(file, firstRecord(), record + (1 << 13));
    assertOneLeft(SiteOutcome.OTHER_SLOT);
  }

  @Test
  void aCheckedCallThroughAnotherPointerThanTheDispatcherIsLeft() {
    ExpectedSite checked =
        driver.sites().stream().filter(ExpectedSite::checked).findFirst().orElseThrow();
    file[offset(checked.rva() + 2)]++;
    assertOneLeft(SiteOutcome.OTHER_SLOT);
  }

  @Test
  void aRecordWithoutASlotHasAnUnknownTarget() {
    long record = LittleEndian.getU32(file, firstRecord());
    LittleEndian.putU32(file, firstRecord(), record | 0x7FFFFL << 13);
    long before =
        driver.code(CodeVariant.IMPORT_OPTIMIZATION).report().count(SiteOutcome.UNKNOWN_TARGET);
    RewriteReport report = code(CodeVariant.IMPORT_OPTIMIZATION).report();
    assertEquals(before + 1, report.count(SiteOutcome.UNKNOWN_TARGET));
    assertEquals(0, report.damaged());
  }

  @Test
  void twoRecordsOfOneSiteAreBothLeft() {
    int at = crowded();
    LittleEndian.putU32(file, at, LittleEndian.getU32(file, at + 4));
    KernelCode code = code();
    assertEquals(2, code.report().count(SiteOutcome.OVERLAP));
    assertEquals(2, code.report().damaged());
    code.sites().stream()
        .filter(site -> site.outcome() == SiteOutcome.OVERLAP)
        .forEach(site -> assertAsInFile(changed(), code, site));
  }

  @Test
  void sitesThatShareOnlySomeBytesAreBothLeft() {
    // Without its prefix the call of an import is a checked one, if the slot is the dispatcher's.
    ExpectedSite checked =
        driver.sites().stream().filter(ExpectedSite::checked).findFirst().orElseThrow();
    ExpectedSite first =
        driver.sites().stream().filter(ExpectedSite::call).findFirst().orElseThrow();
    long record = offset(driver.table() + 8);
    int list = (int) record + 12 + (int) LittleEndian.getU32(file, (int) record + 8);
    // The first block of symbol 4 gets the page of the import, its first record the second byte.
    LittleEndian.putU32(file, list + 12, first.rva() & ~0xFFF);
    LittleEndian.putU16(file, list + 20, 0x5000 | (int) (first.rva() + 1 & 0xFFF));
    // The dispatcher is where the import has its slot.
    int pointer = offset(LittleEndian.getU32(driver.memory(), directory(10)) + 0x78);
    LittleEndian.putU64(
        file,
        pointer,
        LittleEndian.getU64(file, pointer) - driver.slotOf(checked) + driver.slotOf(first));
    KernelCode code = code();
    assertEquals(2, code.report().count(SiteOutcome.OVERLAP));
    assertEquals(1, code.report().count(SiteForm.CHECKED_CALL, SiteOutcome.OVERLAP));
    code.sites().stream()
        .filter(site -> site.outcome() == SiteOutcome.OVERLAP)
        .forEach(site -> assertAsInFile(changed(), code, site));
  }

  @ParameterizedTest
  @EnumSource(CodeVariant.class)
  void sitesOutsideOfCodeAreLeft(CodeVariant variant) {
    // The headers, which are no section; far behind the image.
    for (long page : new long[] {0, 0xF000, 0x7FFF_F000L, 0xFFFF_F000L}) {
      LittleEndian.putU32(file, firstRecord() - 8, page);
      KernelCode code = code(variant);
      assertTrue(code.report().count(SiteOutcome.NOT_CODE) > 0, () -> "page " + page);
      code.sites().stream()
          .filter(site -> site.outcome() == SiteOutcome.NOT_CODE)
          .forEach(site -> assertAsInFile(changed(), code, site));
    }
  }

  @Test
  void aSiteWithAnAddressInItIsLeft() {
    ExpectedSite site = driver.sites().getFirst();
    int block = offset(LittleEndian.getU32(driver.memory(), directory(5)));
    LittleEndian.putU32(file, block, site.rva() & ~0xFFF);
    LittleEndian.putU16(file, block + 8, 10 << 12 | (int) (site.rva() + 3 & 0xFFF));
    KernelCode code = code();
    CodeSite left =
        code.sites().stream().filter(s -> s.rva() == site.rva()).findFirst().orElseThrow();
    assertEquals(SiteOutcome.RELOCATED, left.outcome());
    assertAsInFile(changed(), code, left);
  }

  private int directory(int number) {
    return (int) LittleEndian.getU32(driver.memory(), 0x3C) + 24 + 112 + 8 * number;
  }

  @Test
  void theCodeOfAnotherMachineIsLeft() {
    int header = (int) LittleEndian.getU32(file, 0x3C);
    LittleEndian.putU16(file, header + 4, 0xAA64);
    RewriteReport report = code().report();
    assertEquals(IMPORTS + 15, report.count(SiteOutcome.OTHER_MACHINE));
    assertEquals(0, report.rewritten());
  }

  @Test
  void thunksBehindAnImageOfThreeGigabytesAreOutOfReach() {
    int header = (int) LittleEndian.getU32(file, 0x3C);
    LittleEndian.putU32(file, header + 24 + 56, 0xC000_0000L);
    RewriteReport report = code().report();
    assertEquals(
        15,
        report.count(SiteForm.CHECKED_CALL, SiteOutcome.OUT_OF_REACH)
            + report.count(SiteForm.POINTER_JUMP, SiteOutcome.OUT_OF_REACH));
    assertEquals(0, report.count(SiteOutcome.THUNK));
    assertTrue(report.count(SiteOutcome.DIRECT) > 0);
  }

  @Test
  void sitesBehindTheEndOfTheImageWhereItsThunksAreAreLeft() {
    int header = (int) LittleEndian.getU32(file, 0x3C);
    // The sections from 0x7000 on have sites, too.
    LittleEndian.putU32(file, header + 24 + 56, 0x7000);
    KernelCode code = code();
    assertEquals(0x7000, code.retpolinePage());
    long behind = driver.sites().stream().filter(site -> site.rva() >= 0x7000).count();
    assertTrue(behind > 0);
    assertEquals(behind, code.report().count(SiteOutcome.NOT_CODE));
    assertEquals(IMPORTS + 15 - behind, code.report().rewritten());
  }

  @Test
  void aSwitchThroughTheStackPointerHasNoThunk() {
    DriverSample acpi = DriverSample.of("pt/dvrt/acpi.sys");
    byte[] changed = acpi.file().clone();
    ExpectedSite site =
        acpi.sites().stream().filter(s -> s.symbol() == 5).findFirst().orElseThrow();
    PeImage image = acpi.image();
    changed[(int) image.view().offset(site.rva()) + 1] = (byte) 0xE4;
    int record = record(acpi, site);
    LittleEndian.putU16(
        changed, (int) image.view().offset(record), 0x4000 | (int) site.rva() & 0xFFF);
    DriverSample driver = new DriverSample(acpi.name(), changed, acpi.memory());
    KernelCode code = driver.code(CodeVariant.RETPOLINE);
    CodeSite left =
        code.sites().stream().filter(s -> s.rva() == site.rva()).findFirst().orElseThrow();
    assertEquals(SiteOutcome.NO_THUNK, left.outcome());
    assertAsInFile(driver, code, left);
  }

  /** RVA of the record of a switch: the only word of the table with its offset and register. */
  private static int record(DriverSample driver, ExpectedSite site) {
    int word = site.number() << 12 | (int) site.rva() & 0xFFF;
    for (int at = (int) driver.table() + driver.tableSize() - 2; ; at -= 2) {
      if (LittleEndian.getU16(driver.memory(), at) == word) {
        return at;
      }
    }
  }

  @Test
  void noChangeOfTheTableMakesCodeThatItsSitesDoNotExplain() {
    int table = offset(driver.table());
    Random random = new Random(20_251);
    long damaged = 0;
    for (int round = 0; round < 400; round++) {
      System.arraycopy(driver.file(), 0, file, 0, file.length);
      for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
        file[table + random.nextInt(driver.tableSize())] = (byte) random.nextInt();
      }
      DriverSample changed = changed();
      KernelCode code = changed.code(CodeVariant.RETPOLINE);
      byte[] plain = memory(changed.space(), TEXT);
      byte[] found = memory(code.space(), TEXT);
      damaged += code.report().damaged();
      long last = 0;
      for (CodeSite site : code.sites()) {
        if (site.outcome().isRewritten()) {
          assertTrue(site.rva() >= last, "sites that were rewritten overlap");
          assertEquals(-1, mismatch(plain, found, last, site.rva()), site::toString);
          last = site.end();
          assertRewrittenFromItsForm(code, site);
        }
      }
      assertEquals(-1, mismatch(plain, found, last, plain.length));
    }
    assertTrue(damaged > 400, "the changes did no damage: " + damaged);
  }

  private static byte[] memory(AddressSpace space, long end) {
    return space.read(DriverSample.BASE, (int) end).array(0, (int) end);
  }

  private static int mismatch(byte[] one, byte[] other, long from, long to) {
    return Arrays.mismatch(one, (int) from, (int) to, other, (int) from, (int) to);
  }

  /** Asserts that an instruction of the form was there, and a branch to the target is. */
  private void assertRewrittenFromItsForm(KernelCode code, CodeSite site) {
    long start = site.form().length() == 12 ? site.rva() + 7 : site.rva();
    long address = DriverSample.BASE + start;
    int branch = code.space().readUpTo(address, 1).u8(0);
    assertEquals(site.form().isCall() ? 0xE8 : 0xE9, branch, site::toString);
    int offset = code.space().read(address + 1, 4).i32(0);
    assertEquals(site.target(), address + 5 + offset, site::toString);
    int opcode = driver.memory()[(int) site.rva()] & 0xFF;
    assertTrue(opcode == 0x48 || opcode == 0xFF, site::toString);
  }
}

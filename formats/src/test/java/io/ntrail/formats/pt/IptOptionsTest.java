package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Option words written out bit by bit from the table of the layout. */
class IptOptionsTest {
  @Test
  void everyFieldHasItsOwnBits() {
    // From bit 28 down: mode 2, inherit 1, match 3, buffer 5, threshold 7, MTC 9, timing 2, version
    // 1.
    IptOptions options = new IptOptions(0b0010_1_011_0101_0111_1001_0010_0001L);
    assertEquals(1, options.version());
    assertEquals(2, options.timingSetting());
    assertEquals(TraceTiming.CYC, options.timing());
    assertEquals(9, options.mtcFrequency());
    assertEquals(7, options.cycThreshold());
    assertEquals(131_072, options.bufferBytes());
    assertEquals(3, options.match());
    assertTrue(options.inherit());
    assertEquals(2, options.codeMode());
    assertEquals(0, options.reserved());
    assertEquals(List.of(), options.unknown());
    assertEquals(
        "user and kernel code, packages by name and its children, MTC every 512 ticks,"
            + " CYC threshold 7, ring of 128 KiB",
        options.text());
  }

  @Test
  void theSmallestBufferIsAPageAndTheLargest128Mebibytes() {
    assertEquals(4096, new IptOptions(0x0000_0001L).bufferBytes());
    assertEquals(134_217_728, new IptOptions(0x000F_0001L).bufferBytes());
  }

  @Test
  void codeModesFrom3OnAreTheSameSetByTheRegistry() {
    assertFalse(new IptOptions(0x0100_0001L).hasUserCode());
    assertTrue(new IptOptions(0x0100_0001L).hasKernelCode());
    assertTrue(new IptOptions(0x0300_0001L).hasUserCode());
    assertFalse(new IptOptions(0x0300_0001L).hasKernelCode());
    assertTrue(new IptOptions(0x0500_0001L).hasUserCode());
    assertTrue(new IptOptions(0x0500_0001L).hasKernelCode());
    assertEquals(
        "kernel code (by the registry), any program, no timing, ring of 4 KiB",
        new IptOptions(0x0400_0001L).text());
  }

  @Test
  void unknownValuesAndReservedBitsAreTold() {
    IptOptions options = new IptOptions(0x8000_0000_16C0_0032L);
    assertEquals(
        List.of(
            "version 2 of the option word",
            "timing setting 3",
            "match setting 4",
            "code mode 6",
            "reserved bits 0x8000000010000000"),
        options.unknown());
    assertEquals(TraceTiming.NONE, options.timing());
    assertFalse(options.hasUserCode() || options.hasKernelCode());
    assertTrue(options.text().endsWith("unknown: reserved bits 0x8000000010000000"));
  }
}

package io.ntrail.formats.pe.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.LittleEndian;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FunctionTableTest {
  private static final int AT = UnwindImages.BODY;

  private static byte[] entries(long... fields) {
    LittleEndian table = new LittleEndian();
    for (long field : fields) {
      table.u32(field);
    }
    return table.toByteArray();
  }

  @Test
  void anAddressIsFoundFromTheFirstByteToTheLast() {
    byte[] body = entries(0x1000, 0x1010, 0x300, 0x1010, 0x1020, 0x300, 0xF000_0000L, -1, 0x300);
    FunctionTable table = FunctionTable.of(UnwindImages.small(body, AT, 36));
    assertEquals(Optional.empty(), table.entry(0xFFF));
    assertEquals(table.entries().get(0), table.entry(0x1000).orElseThrow());
    assertEquals(table.entries().get(0), table.entry(0x100F).orElseThrow());
    assertEquals(table.entries().get(1), table.entry(0x1010).orElseThrow());
    assertEquals(Optional.empty(), table.entry(0x1020));
    assertEquals(table.entries().get(2), table.entry(0xFFFF_FFFEL).orElseThrow());
    assertEquals(AT + 24, table.entries().get(2).rva());
  }

  /** Visual C++ keeps room in front for incremental links. */
  @Test
  void entriesOfZerosBeforeTheOthersAreOmitted() {
    byte[] body = entries(0, 0, 0, 0, 0, 0, 0x1000, 0x1010, 0x300, 0x2000, 0x2010, 0x300);
    PeImage image = UnwindImages.small(body, AT, 48);
    FunctionTable table = FunctionTable.of(image);
    assertEquals(2, table.entries().size());
    assertEquals(AT + 36, table.entry(0x2000).orElseThrow().rva());
    assertEquals(List.of(), image.gaps());
  }

  @Test
  void entriesOfZerosBehindAnotherAreAGap() {
    byte[] body = entries(0, 0, 0, 0x1000, 0x1010, 0x300, 0, 0, 0, 0x2000, 0x2010, 0x300, 0, 0, 0);
    for (boolean isInPlace : new boolean[] {false, true}) {
      PeImage image = UnwindImages.small(body, AT, 60);
      FunctionTable table = isInPlace ? FunctionTable.inPlace(image) : FunctionTable.of(image);
      assertEquals(2, table.entries().size());
      assertEquals(AT + 36, table.entry(0x2000).orElseThrow().rva());
      assertFalse(table.isWhole());
      Gap gap = image.gaps().getFirst();
      assertEquals(AT + 24, gap.offset());
      assertEquals("2 of 5 entries are zeros behind others", gap.why());
    }
  }

  @Test
  void aSizeThatIsNoMultipleOfAnEntryIsAGap() {
    byte[] body = entries(0x1000, 0x1010, 0x300, 0x2000, 0x2010, 0x300);
    for (boolean isInPlace : new boolean[] {false, true}) {
      PeImage image = UnwindImages.small(body, AT, 23);
      FunctionTable table = isInPlace ? FunctionTable.inPlace(image) : FunctionTable.of(image);
      assertEquals(1, table.entries().size());
      assertEquals(
          List.of("its size of 23 bytes is not a multiple of 12"),
          image.gaps().stream().map(Gap::why).toList());
    }
  }

  @Test
  void aTableThatDoesNotAscendIsSearchedAllTheSameAndAGap() {
    byte[] body = entries(0x3000, 0x3010, 4, 0x1000, 0x1010, 4, 0x2000, 0x2010, 4);
    PeImage image = UnwindImages.small(body, AT, 36);
    FunctionTable table = FunctionTable.of(image);
    for (long begin = 0x1000; begin <= 0x3000; begin += 0x1000) {
      assertEquals(begin, table.entry(begin + 5).orElseThrow().begin());
    }
    assertEquals(
        List.of("is not sorted by address: the system would not find all of its entries"),
        image.gaps().stream().map(Gap::why).toList());
  }

  @Test
  void entriesPastTheImageAreAGapAndTheRestIsRead() {
    byte[] body = entries(0x1000, 0x1010, 4, 0x2000, 0x2010, 4);
    PeImage image = UnwindImages.small(body, AT, 0xFFFF_FFF0L);
    FunctionTable table = FunctionTable.of(image);
    assertEquals(2, table.entries().size());
    assertEquals(2, image.gaps().size());
  }

  @Test
  void imagesForOtherProcessorsHaveNone() {
    byte[] body = entries(0x1000, 0x1010, 4);
    PeImage image = UnwindImages.small(MachineType.ARM64, body, AT, 12);
    assertEquals(List.of(), FunctionTable.of(image).entries());
    assertEquals(List.of(), image.gaps());
  }
}

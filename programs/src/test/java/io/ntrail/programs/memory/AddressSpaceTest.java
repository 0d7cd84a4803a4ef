package io.ntrail.programs.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AddressSpaceTest {
  private static final long TOP = 0xFFFF_FFFF_FFFF_F000L;

  /** One page at the upper end of the address space. */
  private static final class OnePage implements AddressSpace {
    private final byte[] page = new byte[0x1000];
    private final MemoryRegion region =
        new MemoryRegion(TOP, page.length, EnumSet.of(MemoryRegion.Access.READ), "page");

    @Override
    public String name() {
      return "one page";
    }

    @Override
    public Optional<MemoryRegion> regionAt(long address) {
      return region.contains(address) ? Optional.of(region) : Optional.empty();
    }

    @Override
    public Bytes readUpTo(long address, int most) {
      if (!region.contains(address)) {
        return Bytes.copyOf(new byte[0], name());
      }
      int at = (int) (address - TOP);
      return Bytes.copyOf(Arrays.copyOfRange(page, at, Math.min(page.length, at + most)), name());
    }
  }

  @Test
  void readGivesExactlyTheRequestedBytes() {
    assertEquals(16, new OnePage().read(TOP + 0xFF0, 16).length());
    assertEquals(0, new OnePage().read(TOP, 0).length());
  }

  @Test
  void readNamesTheFirstAddressThatIsNotThere() {
    DamagedInput damage = assertThrows(DamagedInput.class, () -> new OnePage().read(TOP - 8, 16));
    assertEquals(TOP - 8, damage.offset());
    assertTrue(damage.what().contains("0xffffffffffffeff8"), damage.what());
  }

  @Test
  void aRegionAtTheUpperEndHasItsLastByteAndNothingAfterIt() {
    OnePage space = new OnePage();
    assertTrue(space.regionAt(-1).isPresent());
    assertFalse(space.regionAt(0).isPresent());
    assertFalse(space.regionAt(TOP - 1).isPresent());
  }

  @Test
  void aRegionDoesNotWrap() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new MemoryRegion(TOP, 0x1001, EnumSet.noneOf(MemoryRegion.Access.class), ""));
  }
}

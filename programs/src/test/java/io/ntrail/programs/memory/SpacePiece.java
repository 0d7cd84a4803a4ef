package io.ntrail.programs.memory;

import io.ntrail.formats.bytes.Bytes;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;

/** Memory that is one array at an address. */
public record SpacePiece(long start, String name, Bytes bytes) implements AddressSpace {
  /** Makes one of bytes. */
  public static SpacePiece of(long start, String name, byte[] bytes) {
    return new SpacePiece(start, name, Bytes.copyOf(bytes, name));
  }

  /** Makes one of equal bytes. */
  public static SpacePiece filled(long start, String name, int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return of(start, name, bytes);
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    MemoryRegion region =
        new MemoryRegion(start, bytes.length(), EnumSet.of(MemoryRegion.Access.READ), name);
    return region.contains(address) ? Optional.of(region) : Optional.empty();
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    long at = address - start;
    return at < 0 || at >= bytes.length()
        ? Bytes.copyOf(new byte[0], name)
        : bytes.slice((int) at, (int) Math.min(most, bytes.length() - at));
  }
}

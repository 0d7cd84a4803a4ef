package io.ntrail.programs.memory;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import java.util.Optional;
import java.util.Set;

/** Bytes of a file at an address, and nothing around them. May be used by several threads. */
public final class RawSpace implements AddressSpace {
  private final InputFile input;
  private final long start;

  /**
   * Puts a file at an address.
   *
   * @param start of its first byte; it ends at the end of the addresses, if it is longer
   */
  public RawSpace(InputFile input, long start) {
    this.input = input;
    this.start = start;
  }

  @Override
  public String name() {
    return input.name();
  }

  private long size() {
    return start != 0 && Long.compareUnsigned(-start, input.size()) < 0 ? -start : input.size();
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return Long.compareUnsigned(address - start, size()) < 0
        ? Optional.of(new MemoryRegion(start, size(), Set.of(), name()))
        : Optional.empty();
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    long into = address - start;
    return Long.compareUnsigned(into, size()) < 0
        ? input.window(into, (int) Math.min(most, size() - into))
        : Bytes.copyOf(new byte[0], name());
  }
}

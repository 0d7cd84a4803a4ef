package io.ntrail.programs.memory;

import java.util.Set;

/**
 * A range of addresses with equal permissions that belongs to one thing.
 *
 * @param start first address, unsigned
 * @param length bytes, from 1; the range does not wrap
 * @param access permissions; empty also where they were not recorded
 * @param owner path of the image or kind of memory it belongs to; empty if unknown
 */
public record MemoryRegion(long start, long length, Set<Access> access, String owner) {
  /** Permissions of pages. */
  public enum Access {
    /** The bytes can be read. */
    READ,
    /** The bytes can be written. */
    WRITE,
    /** The bytes can be executed. */
    EXECUTE
  }

  /** Copies the permissions and checks the range. */
  public MemoryRegion {
    access = Set.copyOf(access);
    if (length < 1 || Long.compareUnsigned(start + length - 1, start) < 0) {
      throw new IllegalArgumentException(
          "not a range of addresses: 0x%x, %d bytes".formatted(start, length));
    }
  }

  /** Returns true if the address is in this range. */
  public boolean contains(long address) {
    return Long.compareUnsigned(address - start, length) < 0;
  }
}

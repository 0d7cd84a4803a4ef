package io.ntrail.programs.unwind;

import io.ntrail.formats.pe.PeImage;
import java.util.Optional;

/**
 * A module in an address space.
 *
 * @param name its path or name
 * @param base first address
 * @param size bytes, from 1
 * @param image its headers and tables, from its file or from memory; empty if neither is at hand.
 *     Code is read from the address space, not from here
 */
public record LoadedModule(String name, long base, long size, Optional<PeImage> image) {
  /** Returns true if an address is in this module. */
  public boolean contains(long address) {
    return Long.compareUnsigned(address - base, size) < 0;
  }
}

package io.ntrail.programs.memory;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import java.util.Optional;

/**
 * Bytes at the addresses of one process or kernel at one instant: an image as it would be loaded, a
 * set of images, the memory in a dump, a live target.
 *
 * <p>Addresses are unsigned 64-bit values; a 32-bit space uses the lower half. Implementations say
 * which threads may use them.
 */
public interface AddressSpace {
  /** Returns the name of the source for messages: a file, a process. */
  String name();

  /** Returns the region that contains an address; empty where nothing is mapped or was captured. */
  Optional<MemoryRegion> regionAt(long address);

  /**
   * Returns the bytes from an address up to the first one that cannot be read.
   *
   * @param most limit of the window in bytes, from 0
   * @return between 0 and {@code most} bytes
   */
  Bytes readUpTo(long address, int most);

  /**
   * Returns the number of bytes from an address on that cannot be read before the first one that
   * can: 0 if the first one can, {@code most} if all of so many cannot. Ask for little: unless an
   * implementation knows better, one byte after the other is tried.
   *
   * @param most bound of the answer, from 0
   */
  default int missingFrom(long address, int most) {
    int missing = 0;
    while (missing < most && readUpTo(address + missing, 1).length() == 0) {
      missing++;
    }
    return missing;
  }

  /**
   * Returns exactly the requested bytes.
   *
   * @param length in bytes, from 0
   * @throws DamagedInput if one of them cannot be read; its offset is the first such address
   */
  default Bytes read(long address, int length) {
    Bytes bytes = readUpTo(address, length);
    if (bytes.length() < length) {
      long missing = address + bytes.length();
      throw new DamagedInput(
          name(),
          missing,
          "memory at 0x%x cannot be read (%d of %d bytes from 0x%x on can)"
              .formatted(missing, bytes.length(), length, address));
    }
    return bytes;
  }
}

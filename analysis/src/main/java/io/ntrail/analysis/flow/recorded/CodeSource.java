package io.ntrail.analysis.flow.recorded;

import io.ntrail.programs.memory.AddressSpace;
import org.jspecify.annotations.Nullable;

/** Code of images as it was in memory. */
interface CodeSource {
  /**
   * Returns the memory of an image.
   *
   * @param file number of its file
   * @param base address where it was loaded
   * @return null if its file is not at hand
   */
  @Nullable AddressSpace code(int file, long base);
}

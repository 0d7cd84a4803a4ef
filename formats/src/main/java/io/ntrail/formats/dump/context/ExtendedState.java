package io.ntrail.formats.dump.context;

import io.ntrail.formats.bytes.Bytes;
import java.util.Optional;

/**
 * Extended state after a CONTEXT: an XSAVE area from its header on, standard or compacted.
 *
 * @param mask components that are not in their initial state
 * @param compaction bit 63: the area is compacted, and holds room for the components of the others
 * @param area from the header on
 */
public record ExtendedState(long mask, long compaction, Bytes area) {
  private static final int HEADER = 64;

  /** Bytes of a standard area before its header. */
  private static final int LEGACY = 512;

  /** Returns true if the components lie without gaps, in ascending order. */
  public boolean isCompacted() {
    return compaction < 0;
  }

  /**
   * Returns the bytes of a component.
   *
   * @param feature 2 to 62
   * @return empty if it is in its initial state, or not in the area
   */
  public Optional<Bytes> component(int feature, XStateLayout layout) {
    if ((mask & 1L << feature) == 0) {
      return Optional.empty();
    }
    long at = isCompacted() ? packed(feature, layout) : layout.offset(feature) - (long) LEGACY;
    int size = layout.size(feature);
    boolean isThere = at >= HEADER && size > 0 && at <= area.length() - (long) size;
    return isThere ? Optional.of(area.slice((int) at, size)) : Optional.empty();
  }

  /** Returns the offset of a component in a compacted area; -1 if it has no room there. */
  private long packed(int feature, XStateLayout layout) {
    long at = HEADER;
    for (int before = 2; before < XStateLayout.FEATURES; before++) {
      if ((compaction & 1L << before) == 0) {
        continue;
      }
      at = XStateLayout.isAligned(before) ? at + 63 & -64 : at;
      if (before == feature) {
        return at;
      }
      at += layout.size(before);
    }
    return -1;
  }
}

package io.ntrail.formats.ntr;

import io.ntrail.formats.collections.Hashing;
import io.ntrail.formats.collections.RowIndex;

/** Index of the sites in a {@link SiteTable}, by what defines them. */
final class SiteIndex {
  private final SiteTable sites;
  private final RowIndex index = new RowIndex(64, this::hash);

  SiteIndex(SiteTable sites) {
    this.sites = sites;
  }

  /** Returns true if a site is that of these values. */
  boolean isSite(int site, long function, long returnAddress, int slotStep, int shape) {
    SiteTable.Site at = sites.at(site);
    return at.function == function
        && at.returnAddress == returnAddress
        && at.slotStep == slotStep
        && at.shape == shape;
  }

  /** Returns the site of these values, or 0. */
  int find(long function, long returnAddress, int slotStep, int shape) {
    return Math.max(0, index.row(slot(function, returnAddress, slotStep, shape)));
  }

  /** Adds the site that was defined last. */
  void add(int site) {
    SiteTable.Site at = sites.at(site);
    index.put(slot(at.function, at.returnAddress, at.slotStep, at.shape), site);
  }

  /** Forgets all sites. */
  void clear() {
    index.clear();
  }

  /** Returns the slot of the index where a site is, or would be. */
  private int slot(long function, long returnAddress, int slotStep, int shape) {
    int slot = index.slot(hash(function, returnAddress, slotStep, shape));
    int site = index.row(slot);
    while (site >= 0 && !isSite(site, function, returnAddress, slotStep, shape)) {
      slot = index.next(slot);
      site = index.row(slot);
    }
    return slot;
  }

  private long hash(int site) {
    SiteTable.Site at = sites.at(site);
    return hash(at.function, at.returnAddress, at.slotStep, at.shape);
  }

  private static long hash(long function, long returnAddress, int slotStep, int shape) {
    return Hashing.hash(function, returnAddress, (long) slotStep << 32 | shape);
  }
}

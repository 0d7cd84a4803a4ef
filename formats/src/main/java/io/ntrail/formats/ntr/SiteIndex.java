package io.ntrail.formats.ntr;

import java.util.Arrays;

/** Hash table of the sites in a {@link SiteTable}, by what defines them. */
final class SiteIndex {
  private final SiteTable sites;
  private int[] table = new int[256];

  SiteIndex(SiteTable sites) {
    this.sites = sites;
  }

  /** Returns true if a site is that of these values. */
  boolean isSite(int site, long function, long returnAddress, int slotStep, int shape) {
    return sites.function[site] == function
        && sites.returnAddress[site] == returnAddress
        && sites.slotStep[site] == slotStep
        && sites.shape[site] == shape;
  }

  /** Returns the site of these values, or 0. */
  int find(long function, long returnAddress, int slotStep, int shape) {
    return table[place(function, returnAddress, slotStep, shape)];
  }

  /** Adds the site that was defined last. */
  void add(int site) {
    table[placeOf(site)] = site;
    if (2 * sites.count > table.length) {
      table = new int[2 * table.length];
      for (int s = 1; s < sites.count; s++) {
        table[placeOf(s)] = s;
      }
    }
  }

  /** Forgets all sites. */
  void clear() {
    Arrays.fill(table, 0);
  }

  private int placeOf(int site) {
    return place(
        sites.function[site], sites.returnAddress[site], sites.slotStep[site], sites.shape[site]);
  }

  /** Returns the index in the table where a site is, or would be. */
  private int place(long function, long returnAddress, int slotStep, int shape) {
    long mixed =
        (function * 0x9E37_79B9_7F4A_7C15L + returnAddress + slotStep * 31L + shape)
            * 0xBF58_476D_1CE4_E5B9L;
    int mask = table.length - 1;
    int at = (int) (mixed >>> 40) & mask;
    while (table[at] != 0 && !isSite(table[at], function, returnAddress, slotStep, shape)) {
      at = at + 1 & mask;
    }
    return at;
  }
}

package io.ntrail.analysis.flow;

/**
 * Range of addresses in which a processor traces.
 *
 * @param from first address, unsigned
 * @param to last address
 */
public record AddressFilter(long from, long to) {
  /** Returns true if an address is in it. */
  public boolean contains(long address) {
    return Long.compareUnsigned(address, from) >= 0 && Long.compareUnsigned(address, to) <= 0;
  }
}

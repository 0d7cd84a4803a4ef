package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.pe.ImageView;

/**
 * RUNTIME_FUNCTION of x64: a range of code and the place of its unwind information. Twelve bytes,
 * three RVAs: begin, end, unwind information.
 *
 * @param rva RVA of the entry itself; 0 for one that was put together by hand
 * @param begin the first byte of code
 * @param end past the last one
 * @param unwindInfo RVA of the {@link UnwindInfo}; of an indirect entry RVA of the {@code
 *     RuntimeFunction} that it refers to
 * @param indirect the low bit of the stored field (RUNTIME_FUNCTION_INDIRECT)
 */
public record RuntimeFunction(long rva, long begin, long end, long unwindInfo, boolean indirect) {
  /** Bytes of one. */
  public static final int SIZE = 12;

  /** Bound of the length of indirections, and of chained unwind information. */
  static final int LIMIT = 32;

  /** One from its three fields as stored. */
  public static RuntimeFunction of(long rva, long begin, long end, long unwindInfo) {
    return new RuntimeFunction(rva, begin, end, unwindInfo & ~1L, (unwindInfo & 1) != 0);
  }

  /**
   * Reads one.
   *
   * @throws io.ntrail.formats.bytes.DamagedInput if the image does not hold it
   */
  public static RuntimeFunction read(ImageView view, long rva) {
    return of(rva, view.u32(rva), view.u32(rva + 4), view.u32(rva + 8));
  }

  /** Returns true if an address is in its range. */
  public boolean contains(long address) {
    return address >= begin && address < end;
  }

  /** Returns the bytes of its range; a hostile entry ends before its start, and has none. */
  public long size() {
    return Math.max(0, end - begin);
  }
}

package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.pe.ImageView;

/**
 * RUNTIME_FUNCTION of x64: a range of code and where its unwind information lies. Twelve bytes,
 * three RVAs: begin, end, unwind information.
 *
 * @param rva where the entry itself lies; 0 for one that was put together by hand
 * @param begin the first byte of code
 * @param end behind the last one
 * @param unwindInfo where the {@link UnwindInfo} lies; of an indirect entry where the {@code
 *     RuntimeFunction} lies that stands for it
 * @param indirect the low bit of the stored field (RUNTIME_FUNCTION_INDIRECT)
 */
public record RuntimeFunction(long rva, long begin, long end, long unwindInfo, boolean indirect) {
  /** Bytes of one. */
  public static final int SIZE = 12;

  /** How many entries may stand for one another, and how many unwind information may chain. */
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

  /** Whether an address lies in its range. */
  public boolean contains(long address) {
    return address >= begin && address < end;
  }

  /** Bytes of its range; a hostile entry ends before it begins, and has none. */
  public long size() {
    return Math.max(0, end - begin);
  }
}

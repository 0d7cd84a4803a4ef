package io.ntrail.formats.pe.handlers;

import io.ntrail.formats.pe.ImageView;

/**
 * Stack cookie data of {@code __GSHandlerCheck} and its variants: the place of a function's stack
 * cookie. One word, with flags in its low bits; two more words if the frame is aligned.
 *
 * @param rva its RVA
 * @param forExceptions whether the cookie is checked when a handler is looked for (bit 0)
 * @param forUnwinding whether it is checked when the frame is left (bit 1)
 * @param cookieOffset bytes from the frame to the cookie
 * @param aligned whether the frame was moved to a multiple of {@code alignment} (bit 2)
 * @param alignedBase if so, bytes from the frame to what was aligned; else 0
 * @param alignment if so, bytes; else 0
 */
public record GsData(
    long rva,
    boolean forExceptions,
    boolean forUnwinding,
    int cookieOffset,
    boolean aligned,
    int alignedBase,
    int alignment) {
  /**
   * Reads them.
   *
   * @throws io.ntrail.formats.bytes.DamagedInput if the image does not hold them
   */
  public static GsData read(ImageView view, long rva) {
    int word = view.i32(rva);
    boolean aligned = (word & 4) != 0;
    return new GsData(
        rva,
        (word & 1) != 0,
        (word & 2) != 0,
        word & ~7,
        aligned,
        aligned ? view.i32(rva + 4) : 0,
        aligned ? view.i32(rva + 8) : 0);
  }

  /** Bytes that they take. */
  public int length() {
    return aligned ? 12 : 4;
  }
}

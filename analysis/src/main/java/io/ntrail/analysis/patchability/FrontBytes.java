package io.ntrail.analysis.patchability;

import io.ntrail.formats.pe.ImageView;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Counts what lies in front of a function by bytes alone, as tools do that know no function table:
 * it does not matter whether a byte is the end of another function.
 */
final class FrontBytes {
  /** Nops of several bytes as assemblers and compilers write them, longer ones first. */
  private static final List<byte[]> NOPS =
      Stream.of(
              // with ModRM; 64 bits, and 32 bits since the Pentium Pro
              "66662E0F1F840000000000",
              "662E0F1F840000000000",
              "660F1F840000000000",
              "0F1F840000000000",
              "0F1F8000000000",
              "660F1F440000",
              "0F1F440000",
              "0F1F4000",
              "0F1F00",
              "6690")
          .map(HexFormat.of()::parseHex)
          .toList();

  private FrontBytes() {}

  /** How many bytes in front of an address are CC, 90 or 00, from an address on. */
  static int run(ImageView view, long from, long rva) {
    int count = 0;
    while (count < Padding.MOST
        && rva - count > from
        && view.has(rva - count - 1, 1)
        && Filler.ofByte(view.u8(rva - count - 1)) != Filler.NONE) {
      count++;
    }
    return count;
  }

  /** What the bytes of a run are. */
  static Filler fills(ImageView view, long rva, int run) {
    Filler filler = Filler.NONE;
    for (int i = 1; i <= run; i++) {
      filler = filler.and(Filler.ofByte(view.u8(rva - i)));
    }
    return filler;
  }

  /**
   * How many bytes in front of an address are CC, 90 or nops of several bytes. Zeros are not among
   * them: most of them belong to the nops.
   */
  static int nops(ImageView view, long from, long rva) {
    int count = 0;
    int more = 1;
    while (more > 0 && count < Padding.MOST) {
      more = last(view, from, rva - count);
      count += more;
    }
    return count;
  }

  /** The length of the nop that ends at an address, or 0. */
  private static int last(ImageView view, long from, long end) {
    if (end <= from || !view.has(end - 1, 1)) {
      return 0;
    }
    int byteBefore = view.u8(end - 1);
    for (byte[] nop : NOPS) {
      if (nop[nop.length - 1] == (byte) byteBefore && ends(view, from, end, nop)) {
        return nop.length;
      }
    }
    return byteBefore == 0xCC || byteBefore == 0x90 ? 1 : 0;
  }

  private static boolean ends(ImageView view, long from, long end, byte[] nop) {
    long begin = end - nop.length;
    if (begin < from || !view.has(begin, nop.length)) {
      return false;
    }
    for (int i = 0; i < nop.length; i++) {
      if (view.u8(begin + i) != (nop[i] & 0xFF)) {
        return false;
      }
    }
    return true;
  }
}

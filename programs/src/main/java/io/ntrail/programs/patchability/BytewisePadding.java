package io.ntrail.programs.patchability;

import io.ntrail.formats.pe.ImageView;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Padding in front of a function by bytes only, as tools without a function table count it: it does
 * not matter whether a byte is the end of another function.
 */
final class BytewisePadding {
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

  /**
   * Number of bytes in front of a function that the published shares look at, which see none where
   * its section starts later than that. This measure does the same, to be comparable.
   */
  private static final int LOOKED_AT = 32;

  private final byte[] bytes;

  private BytewisePadding(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Returns the padding in front of an address.
   *
   * @param from earliest start of the bytes
   */
  static BytewisePadding of(ImageView view, long from, long rva) {
    int most = rva - from < LOOKED_AT ? 0 : Math.clamp(rva - from, 0, FunctionPadding.MOST);
    int count = 0;
    // What can be read at once is read at once; where there is a hole, what lies behind it.
    if (view.has(rva - most, most)) {
      count = most;
    } else {
      while (count < most && view.has(rva - count - 1, count + 1)) {
        count++;
      }
    }
    return new BytewisePadding(
        count == 0 ? new byte[0] : view.bytes(rva - count, count).array(0, count));
  }

  /** Returns the number of bytes, from the last one on, that are CC, 90 or 00. */
  int run() {
    int count = 0;
    while (count < bytes.length
        && PaddingKind.ofByte(bytes[bytes.length - 1 - count] & 0xFF) != PaddingKind.NONE) {
      count++;
    }
    return count;
  }

  /** Returns the content of the run. */
  PaddingKind fills() {
    PaddingKind filler = PaddingKind.NONE;
    for (int i = bytes.length - run(); i < bytes.length; i++) {
      filler = filler.and(PaddingKind.ofByte(bytes[i] & 0xFF));
    }
    return filler;
  }

  /**
   * Returns the number of bytes, from the last one on, that are CC, 90 or multi-byte nops. Zeros
   * are not among them: most of them belong to the nops.
   */
  int nops() {
    int end = bytes.length;
    int size = last(end);
    while (size > 0) {
      end -= size;
      size = last(end);
    }
    return bytes.length - end;
  }

  /** The length of the nop that ends at a place, or 0. */
  private int last(int end) {
    if (end == 0) {
      return 0;
    }
    for (byte[] nop : NOPS) {
      if (ends(end, nop)) {
        return nop.length;
      }
    }
    byte last = bytes[end - 1];
    return last == (byte) 0xCC || last == (byte) 0x90 ? 1 : 0;
  }

  private boolean ends(int end, byte[] nop) {
    int begin = end - nop.length;
    if (begin < 0) {
      return false;
    }
    for (int i = nop.length - 1; i >= 0; i--) {
      if (bytes[begin + i] != nop[i]) {
        return false;
      }
    }
    return true;
  }
}

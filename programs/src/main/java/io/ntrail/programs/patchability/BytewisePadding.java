package io.ntrail.programs.patchability;

import io.ntrail.formats.pe.ImageView;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Counts what lies in front of a function by bytes alone, as tools do that know no function table:
 * it does not matter whether a byte is the end of another function.
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
   * The published shares look at 32 bytes in front of a function, and see none where its section
   * begins later than that. To be comparable this measure does as they do.
   */
  private static final int LOOKED_AT = 32;

  private final byte[] bytes;

  private BytewisePadding(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * The bytes in front of an address.
   *
   * @param from where they begin at the earliest
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

  /** How many of them, from the last one on, are CC, 90 or 00. */
  int run() {
    int count = 0;
    while (count < bytes.length
        && PaddingKind.ofByte(bytes[bytes.length - 1 - count] & 0xFF) != PaddingKind.NONE) {
      count++;
    }
    return count;
  }

  /** What the bytes of the run are. */
  PaddingKind fills() {
    PaddingKind filler = PaddingKind.NONE;
    for (int i = bytes.length - run(); i < bytes.length; i++) {
      filler = filler.and(PaddingKind.ofByte(bytes[i] & 0xFF));
    }
    return filler;
  }

  /**
   * How many of them, from the last one on, are CC, 90 or nops of several bytes. Zeros are not
   * among them: most of them belong to the nops.
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

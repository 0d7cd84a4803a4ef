package io.ntrail.formats.cab;

import io.ntrail.formats.bytes.InputFile;
import java.util.List;

/**
 * A stretch of compressed data that several files are in (CFFOLDER).
 *
 * @param type compression: CFFOLDER.typeCompress
 * @param pieces places of its blocks; more than one if it extends over several cabinets
 * @param lackingBefore the missing cabinet that it starts in, or empty
 * @param lackingBehind the missing cabinet that it continues in, or empty
 */
record CabinetFolder(int type, List<Piece> pieces, String lackingBefore, String lackingBehind) {
  private static final int NONE = 0;
  private static final int MSZIP = 1;
  private static final int QUANTUM = 2;
  private static final int LZX = 3;

  CabinetFolder {
    pieces = List.copyOf(pieces);
  }

  /**
   * Consecutive blocks in one cabinet.
   *
   * @param at offset of the first one
   * @param blocks their number
   * @param reserve bytes of application-specific data after the header of each
   */
  record Piece(InputFile input, long at, int blocks, int reserve) {}

  private int method() {
    return type & 15;
  }

  private int windowBits() {
    return type >>> 8 & 31;
  }

  /** Returns the reason why it cannot be unpacked, in plain words; empty if it can. */
  String refusal() {
    return switch (method()) {
      case NONE, MSZIP -> "";
      case QUANTUM -> "is compressed with Quantum, which ntrail does not read";
      case LZX ->
          windowBits() >= Lzx.MIN_WINDOW_BITS && windowBits() <= Lzx.MAX_WINDOW_BITS
              ? ""
              : "uses LZX with an invalid window of 2^%d bytes".formatted(windowBits());
      default -> "uses the unknown compression method %d".formatted(method());
    };
  }

  /** Returns an unpacker, at the first block, for a folder that is not refused. */
  Unpacker unpacker() {
    return switch (method()) {
      case NONE -> new StoredBlocks();
      case MSZIP -> new MsZip();
      case LZX -> new Lzx(windowBits());
      default -> throw new IllegalStateException(refusal());
    };
  }
}

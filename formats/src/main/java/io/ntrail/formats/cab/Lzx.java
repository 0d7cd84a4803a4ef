package io.ntrail.formats.cab;

/**
 * LZX decompressor for cabinets: LZ77 with Huffman codes and a window of 32 KiB to 2 MiB.
 *
 * <p>Each block of the cabinet is a frame of 32,768 bytes of output, the last one perhaps less, and
 * starts on a new word of bits. LZX has blocks of its own, of any length, which extend over frames
 * (verbatim, with aligned offsets, uncompressed); the trees of a block are stored as differences to
 * the previous ones. The three most recent offsets have short forms. At the end, the targets of
 * what looks like x86 calls (E8) are made relative again, frame by frame; the window keeps them as
 * they were.
 */
final class Lzx implements Unpacker {
  /** The smallest window: 2 to the power of this. */
  static final int MIN_WINDOW_BITS = 15;

  /** The largest window. */
  static final int MAX_WINDOW_BITS = 21;

  private static final int VERBATIM = 1;
  private static final int ALIGNED = 2;
  private static final int UNCOMPRESSED = 3;

  private static final int LITERALS = 256;
  private static final int LENGTH_SYMBOLS = 249;
  private static final int PRETREE_SYMBOLS = 20;
  private static final int ALIGNED_SYMBOLS = 8;
  private static final int SHORTEST_MATCH = 2;

  /** By window bits from 15 on: how many ranges offsets are divided into. */
  private static final int[] SLOTS = {30, 32, 34, 36, 38, 42, 50};

  private static final int[] EXTRA_BITS = new int[50];
  private static final int[] BASE = new int[50];

  static {
    int base = 0;
    for (int slot = 0; slot < BASE.length; slot++) {
      BASE[slot] = base;
      EXTRA_BITS[slot] = slot < 4 ? 0 : Math.min(17, (slot - 2) / 2);
      base += 1 << EXTRA_BITS[slot];
    }
  }

  /** Calls are looked for in so many frames, and not in the last bytes of any. */
  private static final int TRANSLATED_FRAMES = 32_768;

  private static final int UNTRANSLATED_END = 10;
  private static final byte CALL = (byte) 0xE8;

  private final LzxBitReader bits = new LzxBitReader();
  private final byte[] window;
  private final int mask;
  private final int mainSymbols;
  private final byte[] mainLengths;
  private final byte[] lengthLengths = new byte[LENGTH_SYMBOLS];
  private final byte[] smallLengths = new byte[PRETREE_SYMBOLS];
  private final HuffmanCode mainTree;
  private final HuffmanCode lengthTree = new HuffmanCode(10, LENGTH_SYMBOLS);
  private final HuffmanCode alignedTree = new HuffmanCode(7, ALIGNED_SYMBOLS);
  private final HuffmanCode pretree = new HuffmanCode(6, PRETREE_SYMBOLS);

  /** Number of bytes unpacked before this frame. */
  private long written;

  /** Modulus of call targets; 0 if calls were not translated. */
  private int translationSize;

  private int blockType;
  private int blockLeft;

  /** True if the next byte is padding of an uncompressed block of odd length. */
  private boolean padding;

  private int r0 = 1;
  private int r1 = 1;
  private int r2 = 1;

  /**
   * Creates a decoder before its first block.
   *
   * @param windowBits from {@link #MIN_WINDOW_BITS} to {@link #MAX_WINDOW_BITS}
   */
  Lzx(int windowBits) {
    window = new byte[1 << windowBits];
    mask = window.length - 1;
    mainSymbols = LITERALS + 8 * SLOTS[windowBits - MIN_WINDOW_BITS];
    mainLengths = new byte[mainSymbols];
    mainTree = new HuffmanCode(11, mainSymbols);
  }

  @Override
  public void unpack(byte[] packed, int length, byte[] out, int size) throws DamagedBlock {
    if (written % BLOCK != 0) {
      throw new DamagedBlock("LZX: a block follows a partial block");
    }
    bits.begin(packed, length);
    if (written == 0 && bits.read(1) == 1) {
      translationSize = bits.read(16) << 16 | bits.read(16);
    }
    int start = (int) written & mask;
    int at = start;
    while (at < start + size) {
      skipPadding();
      if (blockLeft == 0) {
        readHeader();
      }
      int run = Math.min(blockLeft, start + size - at);
      if (blockType == UNCOMPRESSED) {
        bits.bytes(window, at, run);
      } else {
        decode(at, at + run, written + (at - start));
      }
      at += run;
      blockLeft -= run;
    }
    if (blockLeft == 0) {
      skipPadding();
    }
    bits.checkEnd();
    System.arraycopy(window, start, out, 0, size);
    if (translationSize != 0 && written / BLOCK < TRANSLATED_FRAMES) {
      translate(out, size);
    }
    written += size;
  }

  /**
   * Skips the padding byte, which is after the uncompressed bytes or is the first of the next
   * frame.
   */
  private void skipPadding() {
    if (padding && blockLeft == 0) {
      padding = !bits.skipByte();
    }
  }

  private void readHeader() throws DamagedBlock {
    blockType = bits.read(3);
    blockLeft = bits.read(24);
    switch (blockType) {
      case VERBATIM -> readTrees();
      case ALIGNED -> {
        for (int i = 0; i < ALIGNED_SYMBOLS; i++) {
          smallLengths[i] = (byte) bits.read(3);
        }
        alignedTree.build(smallLengths, ALIGNED_SYMBOLS);
        readTrees();
      }
      case UNCOMPRESSED -> {
        bits.alignForBytes();
        r0 = bits.i32();
        r1 = bits.i32();
        r2 = bits.i32();
        padding = (blockLeft & 1) != 0;
      }
      default -> throw new DamagedBlock("LZX: unknown block type " + blockType);
    }
  }

  private void readTrees() throws DamagedBlock {
    readLengths(mainLengths, 0, LITERALS);
    readLengths(mainLengths, LITERALS, mainSymbols);
    mainTree.build(mainLengths, mainSymbols);
    readLengths(lengthLengths, 0, LENGTH_SYMBOLS);
    lengthTree.build(lengthLengths, LENGTH_SYMBOLS);
  }

  /** Code lengths of symbols, as differences to what they were, packed themselves. */
  private void readLengths(byte[] lengths, int from, int to) throws DamagedBlock {
    for (int i = 0; i < PRETREE_SYMBOLS; i++) {
      smallLengths[i] = (byte) bits.read(4);
    }
    pretree.build(smallLengths, PRETREE_SYMBOLS);
    int at = from;
    while (at < to) {
      bits.fill();
      int symbol = pretree.next(bits);
      int run = 1;
      int value;
      switch (symbol) {
        case 17 -> {
          run = 4 + bits.take(4);
          value = 0;
        }
        case 18 -> {
          run = 20 + bits.take(5);
          value = 0;
        }
        case 19 -> {
          run = 4 + bits.take(1);
          value = less(lengths[at], pretree.next(bits));
        }
        default -> value = less(lengths[at], symbol);
      }
      if (run > to - at) {
        throw new DamagedBlock("LZX: code lengths extend past the end of the tree");
      }
      for (int end = at + run; at < end; at++) {
        lengths[at] = (byte) value;
      }
    }
  }

  private static int less(int length, int difference) throws DamagedBlock {
    if (difference > 16) {
      throw new DamagedBlock("LZX: a repeated code length is itself a repetition");
    }
    return (length - difference + 17) % 17;
  }

  /**
   * Symbols up to the end of a run within the frame.
   *
   * @param position how many bytes were unpacked before the first
   */
  private void decode(int from, int end, long position) throws DamagedBlock {
    boolean aligned = blockType == ALIGNED;
    long reach = position - from;
    int at = from;
    while (at < end) {
      bits.fill();
      int symbol = mainTree.next(bits);
      if (symbol < LITERALS) {
        window[at++] = (byte) symbol;
        continue;
      }
      int length = (symbol & 7) + SHORTEST_MATCH;
      if ((symbol & 7) == 7) {
        length += lengthTree.next(bits);
      }
      int slot = (symbol - LITERALS) >>> 3;
      switch (slot) {
        case 0 -> {}
        case 1 -> {
          int offset = r1;
          r1 = r0;
          r0 = offset;
        }
        case 2 -> {
          int offset = r2;
          r2 = r0;
          r0 = offset;
        }
        default -> {
          int offset = BASE[slot] - 2 + offsetBits(EXTRA_BITS[slot], aligned);
          r2 = r1;
          r1 = r0;
          r0 = offset;
        }
      }
      if (r0 <= 0 || r0 > window.length || r0 > reach + at) {
        throw new DamagedBlock(
            "LZX: match distance %d exceeds the %d bytes written"
                .formatted(r0 & 0xFFFF_FFFFL, Math.min(reach + at, window.length)));
      }
      if (length > end - at) {
        throw new DamagedBlock("LZX: a match extends past its block");
      }
      copy(at, r0, length);
      at += length;
    }
  }

  private int offsetBits(int extra, boolean aligned) throws DamagedBlock {
    if (!aligned || extra < 3) {
      return bits.take(extra);
    }
    int upper = bits.take(extra - 3) << 3;
    return upper + alignedTree.next(bits);
  }

  private void copy(int at, int offset, int length) {
    int from = (at - offset) & mask;
    if (from > window.length - length) {
      for (int i = 0; i < length; i++) {
        window[at + i] = window[(from + i) & mask];
      }
    } else if (offset >= length) {
      System.arraycopy(window, from, window, at, length);
    } else {
      for (int i = 0; i < length; i++) {
        window[at + i] = window[from + i];
      }
    }
  }

  /** Undoes the translation of calls: their targets are stored as offsets in the whole data. */
  private void translate(byte[] out, int size) {
    for (int i = 0; i < size - UNTRANSLATED_END; i++) {
      if (out[i] != CALL) {
        continue;
      }
      int target =
          (out[i + 1] & 0xFF)
              | (out[i + 2] & 0xFF) << 8
              | (out[i + 3] & 0xFF) << 16
              | out[i + 4] << 24;
      // Fewer than 32,768 frames of 32,768 bytes: it fits.
      int place = (int) written + i;
      if (target >= -place && target < translationSize) {
        int relative = target >= 0 ? target - place : target + translationSize;
        out[i + 1] = (byte) relative;
        out[i + 2] = (byte) (relative >> 8);
        out[i + 3] = (byte) (relative >> 16);
        out[i + 4] = (byte) (relative >> 24);
      }
      i += 4;
    }
  }
}

package io.ntrail.programs.patchability;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.CodeRanges;
import java.util.ArrayList;
import java.util.List;

/**
 * Search for code of x64 that may branch to the first bytes of some functions, without decoding all
 * of it.
 *
 * <p>A branch has a distance of 8 bits, and is near its target, which is left to others; or one of
 * 32 bits, which can be looked for at each byte. All places are found where such a branch could
 * begin; at some of them is none. The begin of a transaction may have a distance of 16 bits, too.
 */
final class BranchSearch {
  private static final int DISTANCE = 4;

  /** CALL, one bit from JMP; its distance follows. */
  private static final int CALL = 0xE8;

  private static final int JMP = 0xE9;

  /** First byte of the opcodes of conditional jumps; the second is 80 to 8F. */
  private static final int TWO_BYTES = 0x0F;

  /** First byte of XBEGIN. */
  private static final int XBEGIN = 0xC7;

  private static final int XBEGIN_SECOND = 0xF8;

  /** High bits of the second byte of a conditional jump. */
  private static final int CONDITIONAL = 0x80;

  /** 64-bit numbers that are searched by one call: it is compiled by the JVM soon. */
  private static final int AT_ONCE = 512;

  /** Bytes that are searched by one thread at once. */
  private static final int PIECE = 1 << 19;

  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  /** JMP, XBEGIN's first and its second byte, eight times each. */
  private static final long JUMPS = 0xE9E9_E9E9_E9E9_E9E9L;

  private static final long TRANSACTIONS = 0xC7C7_C7C7_C7C7_C7C7L;
  private static final long TRANSACTIONS_SECOND = 0xF8F8_F8F8_F8F8_F8F8L;

  /** Product of the lowest bit of a byte and this: its highest byte is the number of bits below. */
  private static final long SHIFTS = 0x0008_1018_2028_3038L;

  private static final long HIGH_NIBBLES = 0xF0F0_F0F0_F0F0_F0F0L;

  /** Addresses in blocks of so many bytes, as a power of two, have one bit. */
  private static final int BLOCK = 5;

  private final PeImage image;
  private final long[] starts;
  private final long[] blocks;
  private final long last;

  private BranchSearch(PeImage image, long[] starts) {
    this.image = image;
    this.starts = starts;
    this.last = starts.length == 0 ? -1 : starts[starts.length - 1] + CodeSweep.NEAR - 1 >> BLOCK;
    this.blocks = new long[(int) (last + Long.SIZE >> 6) + 1];
    for (long start : starts) {
      mark(start >> BLOCK);
      mark(start + CodeSweep.NEAR - 1 >> BLOCK);
    }
  }

  /**
   * Searches.
   *
   * @param starts where the functions start, ascending
   * @return where such branches may begin, in any order
   */
  static long[] find(PeImage image, List<CodeRanges.Range> code, long[] starts) {
    LongList all = new LongList();
    // Wherever the code is, several threads look for it.
    BranchSearch search = new BranchSearch(image, starts);
    for (LongList found : search.pieces(code).parallelStream().map(search::search).toList()) {
      all.addAll(found.array(), 0, found.size());
    }
    return all.toArray();
  }

  private void mark(long block) {
    blocks[(int) (block >> 6)] |= 1L << block;
  }

  /** Returns those of some places where such branches may begin. */
  static long[] narrowed(PeImage image, long[] places, long[] starts) {
    BranchSearch search = new BranchSearch(image, starts);
    LongList kept = new LongList();
    for (long place : places) {
      Bytes bytes = image.view().window(place, Long.BYTES);
      search.slowly(new Piece(bytes, place, 0, bytes.length()), 0, kept);
    }
    return kept.toArray();
  }

  /** Bytes of the image in which the opcodes of a piece of the code are looked for. */
  private record Piece(Bytes bytes, long from, int begin, int end) {}

  private List<Piece> pieces(List<CodeRanges.Range> code) {
    List<Piece> pieces = new ArrayList<>();
    for (CodeRanges.Range range : stored(image.view(), code)) {
      Bytes bytes = image.view().window(range.begin(), range.end() - range.begin());
      for (int at = 0; at < bytes.length(); at += PIECE) {
        pieces.add(new Piece(bytes, range.begin(), at, Math.min(bytes.length(), at + PIECE)));
      }
    }
    return pieces;
  }

  /** Returns the stretches of code whose bytes are stored, each in one piece. */
  static List<CodeRanges.Range> stored(ImageView view, List<CodeRanges.Range> code) {
    List<CodeRanges.Range> stretches = new ArrayList<>();
    for (CodeRanges.Range range : code) {
      long from = range.begin();
      while (from < range.end()) {
        long stored = Math.min(range.end() - from, view.stored(from));
        if (stored > 0) {
          stretches.add(new CodeRanges.Range(from, from + stored));
        }
        from += Math.max(stored, 1);
        from = Math.max(from, next(view, from));
      }
    }
    return stretches;
  }

  /** Returns the next address from one on that has stored bytes. */
  private static long next(ImageView view, long from) {
    long zeros = view.zeros(from);
    return zeros > 0
        ? from + zeros
        : view.missing(from) == Long.MAX_VALUE ? Long.MAX_VALUE : from + view.missing(from);
  }

  /** Returns where a piece's branches begin. */
  private LongList search(Piece piece) {
    LongList found = new LongList();
    long[] words = new long[AT_ONCE + 1];
    int whole = piece.begin + (piece.end - piece.begin & -Long.BYTES);
    for (int at = piece.begin; at < whole; at += AT_ONCE * Long.BYTES) {
      int count = Math.min(AT_ONCE, (whole - at) / Long.BYTES);
      piece.bytes.copyTo(at, words, count);
      int after = at + count * Long.BYTES;
      // Of the number after the last, one byte matters.
      words[count] = after < piece.bytes.length() ? piece.bytes.u8(after) : 0;
      search(piece, words, count, at, found);
    }
    for (int at = whole; at < piece.end; at++) {
      slowly(piece, at, found);
    }
    return found;
  }

  private void search(Piece piece, long[] words, int count, int begin, LongList places) {
    int last = Math.max(0, count - 1);
    for (int i = 0; i < last; i++) {
      long eight = words[i];
      long next = words[i + 1];
      long found = zeros((eight | ONES) ^ JUMPS);
      long jumps = zeros(eight ^ TWO_BYTES * ONES);
      long transactions = zeros(eight ^ TRANSACTIONS);
      if ((jumps | transactions) != 0) {
        long following = from(eight, next, Byte.SIZE);
        found |=
            jumps & zeros(following & HIGH_NIBBLES ^ HIGH_BITS)
                | transactions & zeros(following ^ TRANSACTIONS_SECOND);
      }
      while (found != 0) {
        int shift = shift(found);
        opcode(
            piece.from + begin + (long) i * Long.BYTES + shift / Byte.SIZE,
            from(eight, next, shift),
            Long.BYTES,
            places);
        found &= found - 1;
      }
    }
    for (int at = last * Long.BYTES; at < count * Long.BYTES; at++) {
      slowly(piece, begin + at, places);
    }
  }

  /**
   * Returns the number of bits below the byte of the lowest bit that is set.
   *
   * @param found only the highest bits of bytes are set
   */
  private static int shift(long found) {
    // The fast compiler of the JVM does not know the instruction for it.
    return (int) (((found & -found) >>> Byte.SIZE - 1) * SHIFTS >>> Long.SIZE - Byte.SIZE);
  }

  /** Returns the eight bytes that begin inside a number. */
  private static long from(long eight, long next, int shift) {
    return eight >>> shift | next << 1 << Long.SIZE - 1 - shift;
  }

  private boolean isMarked(long block) {
    return block >= 0 && block <= last && (blocks[(int) (block >> 6)] >>> block & 1) != 0;
  }

  /** Looks at a byte near the end of a piece. */
  private void slowly(Piece piece, int at, LongList places) {
    int available = Math.min(Long.BYTES, piece.bytes.length() - at);
    long bytes = 0;
    for (int i = 0; i < available; i++) {
      bytes |= (long) piece.bytes.u8(at + i) << Byte.SIZE * i;
    }
    opcode(piece.from + at, bytes, available, places);
  }

  /**
   * Returns the highest bit of each byte of a number that is zero, and of some that are 1: the byte
   * below them is zero or one of these.
   */
  private static long zeros(long bytes) {
    return bytes - ONES & ~bytes & HIGH_BITS;
  }

  /**
   * Looks at a byte that may be the first one of an opcode.
   *
   * @param rva where it is
   * @param bytes the byte and those that follow
   * @param available how many bytes these are
   */
  private void opcode(long rva, long bytes, int available, LongList places) {
    int first = (int) bytes & 0xFF;
    int second = (int) (bytes >> Byte.SIZE) & 0xFF;
    boolean isFound =
        switch (first) {
          case CALL, JMP ->
              available > DISTANCE
                  && reaches(rva + 1 + DISTANCE + (int) (bytes >> Byte.SIZE), first == CALL);
          case TWO_BYTES ->
              (second & 0xF0) == CONDITIONAL
                  && available > 1 + DISTANCE
                  && reaches(rva + 2 + DISTANCE + (int) (bytes >> 2 * Byte.SIZE), false);
          case XBEGIN -> second == XBEGIN_SECOND && begins(rva + 2, bytes >> 2 * Byte.SIZE);
          default -> false;
        };
    if (isFound) {
      places.add(rva);
    }
  }

  /**
   * Returns true if the begin of a transaction matters, with a distance of 32 or of 16 bits.
   *
   * @param at where the distance is
   * @param bytes it, and what follows
   */
  private boolean begins(long at, long bytes) {
    return reaches(at + DISTANCE + (int) bytes, false) || reaches(at + 2 + (short) bytes, false);
  }

  /** Returns true if a branch to a target matters. */
  private boolean reaches(long target, boolean isCall) {
    long block = target >> BLOCK;
    if (!isMarked(block)) {
      return false;
    }
    int function = Search.floor(starts, starts.length, target);
    if (function < 0) {
      return false;
    }
    long offset = target - starts[function];
    // A call of a function matters to nobody, and there are many.
    return offset < CodeSweep.NEAR && (offset > 0 || !isCall);
  }
}

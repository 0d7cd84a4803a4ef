package io.ntrail.programs.patchability;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.CodeRanges;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Search for code of x64 that may branch to the first bytes of some functions, without decoding all
 * of it.
 *
 * <p>A branch has a distance of 8 bits, and is near its target; or one of 32 bits, which can be
 * looked for at each byte. All segments with bytes that could be such a distance are found; some of
 * them have no branch. The begin of a transaction may have a distance of 16 bits: all of these are
 * found.
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

  /** The furthest source of a distance of 8 bits: its instruction, and the distance. */
  private static final int SHORT = 128 + InstructionDecoder.LONGEST;

  /** Addresses in blocks of so many bytes, as a power of two, have one bit. */
  private static final int BLOCK = 5;

  private final PeImage image;
  private final ImageFunctions functions;
  private final CodeSegments segments;
  private final BitSet wanted;
  private final long[] blocks;
  private final long last;

  /**
   * Prepares a search.
   *
   * @param wanted the functions
   */
  BranchSearch(PeImage image, ImageFunctions functions, CodeSegments segments, BitSet wanted) {
    this.image = image;
    this.functions = functions;
    this.segments = segments;
    this.wanted = wanted;
    this.last =
        wanted.isEmpty() ? -1 : functions.start(wanted.length() - 1) + CodeSweep.NEAR - 1 >> BLOCK;
    this.blocks = new long[(int) (last + Long.SIZE >> 6) + 1];
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      mark(functions.start(i) >> BLOCK);
      mark(functions.start(i) + CodeSweep.NEAR - 1 >> BLOCK);
    }
  }

  private void mark(long block) {
    blocks[(int) (block >> 6)] |= 1L << block;
  }

  /** Passes on the segments that may have such branches; some more than once. */
  void run(IntConsumer each) {
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      long start = functions.start(i);
      segments.between(start - SHORT, start + CodeSweep.NEAR + SHORT, each);
    }
    // Wherever the code is, several threads look for it.
    BitSet found =
        pieces().parallelStream().map(this::search).reduce(new BitSet(), BranchSearch::or);
    found.stream().forEach(each);
  }

  private static BitSet or(BitSet some, BitSet others) {
    BitSet all = (BitSet) some.clone();
    all.or(others);
    return all;
  }

  /** Bytes of the image in which the opcodes of a piece of the code are looked for. */
  private record Piece(Bytes bytes, long from, int begin, int end) {}

  private List<Piece> pieces() {
    List<Piece> pieces = new ArrayList<>();
    for (CodeRanges.Range range : functions.code().list()) {
      long from = range.begin();
      while (from < range.end()) {
        long stored = Math.min(range.end() - from, image.view().stored(from));
        if (stored > 0) {
          Bytes bytes = image.view().window(from, stored);
          for (int at = 0; at < bytes.length(); at += PIECE) {
            pieces.add(new Piece(bytes, from, at, Math.min(bytes.length(), at + PIECE)));
          }
        }
        from += Math.max(stored, 1);
        from = Math.max(from, next(from));
      }
    }
    return pieces;
  }

  /** Returns the next address from one on that has stored bytes. */
  private long next(long from) {
    ImageView view = image.view();
    long zeros = view.zeros(from);
    return zeros > 0
        ? from + zeros
        : view.missing(from) == Long.MAX_VALUE ? Long.MAX_VALUE : from + view.missing(from);
  }

  /** Returns the segments of a piece's branches. */
  private BitSet search(Piece piece) {
    BitSet found = new BitSet();
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

  private void search(Piece piece, long[] words, int count, int begin, BitSet segmentsFound) {
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
            segmentsFound);
        found &= found - 1;
      }
    }
    for (int at = last * Long.BYTES; at < count * Long.BYTES; at++) {
      slowly(piece, begin + at, segmentsFound);
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
  private void slowly(Piece piece, int at, BitSet segmentsFound) {
    int available = Math.min(Long.BYTES, piece.bytes.length() - at);
    long bytes = 0;
    for (int i = 0; i < available; i++) {
      bytes |= (long) piece.bytes.u8(at + i) << Byte.SIZE * i;
    }
    opcode(piece.from + at, bytes, available, segmentsFound);
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
  private void opcode(long rva, long bytes, int available, BitSet segmentsFound) {
    int first = (int) bytes & 0xFF;
    int second = (int) (bytes >> Byte.SIZE) & 0xFF;
    boolean isFound =
        switch (first) {
          case CALL, JMP ->
              available > DISTANCE && reaches(rva + 1, (int) (bytes >> Byte.SIZE), first == CALL);
          case TWO_BYTES ->
              (second & 0xF0) == CONDITIONAL
                  && available > 1 + DISTANCE
                  && reaches(rva + 2, (int) (bytes >> 2 * Byte.SIZE), false);
          case XBEGIN -> second == XBEGIN_SECOND;
          default -> false;
        };
    if (isFound) {
      segments.between(rva - InstructionDecoder.LONGEST, rva + 1, segmentsFound::set);
    }
  }

  /** Returns true if a branch with a distance, which lies at an address, matters. */
  private boolean reaches(long at, int distance, boolean isCall) {
    long target = at + DISTANCE + distance;
    long block = target >> BLOCK;
    if (!isMarked(block)) {
      return false;
    }
    int function = functions.indexUpTo(target);
    if (function < 0 || !wanted.get(function)) {
      return false;
    }
    long offset = target - functions.start(function);
    // A call of a function matters to nobody, and there are many.
    return offset < CodeSweep.NEAR && (offset > 0 || !isCall);
  }
}

package io.ntrail.programs.patchability;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.CodeRanges;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.BitSet;
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

  /** Bytes that are searched by one call. */
  private static final int AT_ONCE = 1 << 12;

  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long SEVEN_BITS = 0x7F7F_7F7F_7F7F_7F7FL;

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
    for (CodeRanges.Range range : functions.code().list()) {
      long from = range.begin();
      while (from < range.end()) {
        long stored = Math.min(range.end() - from, image.view().stored(from));
        if (stored > 0) {
          search(from, stored, each);
        }
        from += Math.max(stored, 1);
        from = Math.max(from, next(from));
      }
    }
  }

  /** Returns the next address from one on that has stored bytes. */
  private long next(long from) {
    ImageView view = image.view();
    long zeros = view.zeros(from);
    return zeros > 0
        ? from + zeros
        : view.missing(from) == Long.MAX_VALUE ? Long.MAX_VALUE : from + view.missing(from);
  }

  private void search(long from, long length, IntConsumer each) {
    Bytes bytes = image.view().window(from, length);
    int whole = bytes.length() & -Long.BYTES;
    for (int at = 0; at < whole; at += AT_ONCE) {
      search(bytes, at, Math.min(whole, at + AT_ONCE), from, each);
    }
    for (int at = whole; at < bytes.length(); at++) {
      opcode(bytes, at, from, each);
    }
  }

  /** Searches a part: many short calls are compiled by the JVM sooner than one long one. */
  private void search(Bytes bytes, int begin, int end, long from, IntConsumer each) {
    for (int at = begin; at < end; at += Long.BYTES) {
      long eight = bytes.i64(at);
      long found =
          equal(eight | ONES, JMP * ONES)
              | equal(eight, TWO_BYTES * ONES)
              | equal(eight, XBEGIN * ONES);
      while (found != 0) {
        opcode(bytes, at + (Long.numberOfTrailingZeros(found) >> 3), from, each);
        found &= found - 1;
      }
    }
  }

  /** Returns a bit for each byte of a number that is that of another one. */
  private static long equal(long bytes, long others) {
    long difference = bytes ^ others;
    return ~((difference & SEVEN_BITS) + SEVEN_BITS | difference | SEVEN_BITS);
  }

  /** Looks at a byte that may be the first one of an opcode. */
  private void opcode(Bytes bytes, int at, long from, IntConsumer each) {
    int first = bytes.u8(at);
    int second = at + 1 < bytes.length() ? bytes.u8(at + 1) : 0;
    boolean isFound =
        switch (first) {
          case CALL, JMP -> reaches(bytes, at + 1, from, first == CALL);
          case TWO_BYTES -> second >> 4 == 8 && reaches(bytes, at + 2, from, false);
          case XBEGIN -> second == XBEGIN_SECOND;
          default -> false;
        };
    if (isFound) {
      segments.between(from + at - InstructionDecoder.LONGEST, from + at + 1, each);
    }
  }

  /** Returns true if a branch with the distance at a place matters. */
  private boolean reaches(Bytes bytes, int at, long from, boolean isCall) {
    if (!bytes.has(at, DISTANCE)) {
      return false;
    }
    long target = from + at + DISTANCE + bytes.i32(at);
    long block = target >> BLOCK;
    if (block < 0 || block > last || (blocks[(int) (block >> 6)] >>> block & 1) == 0) {
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

package io.ntrail.programs.patchability;

import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.BitSet;

/**
 * Code that decides how some functions can be patched: that of the functions themselves, the
 * padding in front of them and near, the functions that may take it first, and whatever may branch
 * to the first bytes of these.
 */
final class RelatedCode {
  /** Functions at least so far apart do not compete for the same padding. */
  private static final int APART =
      PaddingAllocator.FORTH - PaddingAllocator.BACK + FunctionPadding.JUMP;

  /** The furthest source of a distance of 8 bits: its instruction, and the distance. */
  private static final int SHORT = 128 + InstructionDecoder.LONGEST;

  private final PeImage image;
  private final ImageFunctions functions;
  private final CodeSegments segments;
  private final CodeSweep sweep;
  private final BitSet related;
  private final BitSet code = new BitSet();

  /** Functions without padding of their own whose rivals are added. */
  private final BitSet done = new BitSet();

  /**
   * Finds the code.
   *
   * @param sweep one that has decoded nothing; of no use afterwards
   * @param wanted the functions to patch
   */
  RelatedCode(
      PeImage image,
      ImageFunctions functions,
      CodeSegments segments,
      CodeSweep sweep,
      BitSet wanted) {
    this.image = image;
    this.functions = functions;
    this.segments = segments;
    this.sweep = sweep;
    this.related = (BitSet) wanted.clone();
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      if (own(i) < FunctionPadding.JUMP) {
        addRivals(i);
      }
    }
    for (int i = related.nextSetBit(0); i >= 0; i = related.nextSetBit(i + 1)) {
      own(i);
    }
  }

  /** Adds the code that may branch to the functions. */
  void addBranches(BranchFinder finder) {
    for (int i = related.nextSetBit(0); i >= 0; i = related.nextSetBit(i + 1)) {
      long start = functions.start(i);
      segments.between(start - SHORT, start + CodeSweep.NEAR + SHORT, code::set);
    }
    for (long place : finder.find(image, functions.code().list(), starts())) {
      segments.between(place - InstructionDecoder.LONGEST, place + 1, code::set);
    }
  }

  /**
   * Returns where the functions start, ascending, whose place for a jump depends on one another.
   */
  long[] starts() {
    return related.stream().mapToLong(functions::start).toArray();
  }

  /** Returns the functions whose place for a jump depends on one another. */
  BitSet functions() {
    return related;
  }

  /** Returns the segments to decode. */
  BitSet segments() {
    return code;
  }

  /** Returns the padding in front of a function. */
  private int own(int function) {
    long start = functions.start(function);
    segments.between(start - 1, start + 1, this::decode);
    return sweep.own(function);
  }

  private void decode(int segment) {
    if (!code.get(segment)) {
      code.set(segment);
      sweep.decode(segment);
    }
  }

  /**
   * Adds the functions that may take padding before a function without its own can, and those that
   * keep what is in reach.
   */
  private void addRivals(int function) {
    addNear(function);
    int last = function;
    for (int i = function - 1; i >= 0 && !isApart(i, last); i--) {
      if (done.get(i)) {
        return;
      }
      related.set(i);
      if (own(i) < FunctionPadding.JUMP) {
        addNear(i);
        last = i;
      }
    }
  }

  private boolean isApart(int function, int from) {
    return functions.start(from) - functions.start(function) >= APART;
  }

  /** Adds the padding in reach of a function, and the functions after it. */
  private void addNear(int function) {
    done.set(function);
    long start = functions.start(function);
    segments.between(
        start + PaddingAllocator.BACK,
        start + PaddingAllocator.FORTH + 1,
        segment -> {
          decode(segment);
          long end = segments.end(segment);
          int next = functions.indexUpTo(end);
          if (next >= 0 && functions.start(next) == end) {
            related.set(next);
          }
        });
  }
}

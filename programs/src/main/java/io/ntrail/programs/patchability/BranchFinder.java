package io.ntrail.programs.patchability;

import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.CodeRanges;
import java.util.List;

/** Search of all code of an x64 image for what may branch to the first bytes of some functions. */
@FunctionalInterface
public interface BranchFinder {
  /** Number of these first bytes. */
  int NEAR = CodeSweep.NEAR;

  /** Searches in this process, by several threads. */
  BranchFinder HERE = BranchSearch::find;

  /**
   * Finds each byte with which a jump to one of these bytes begins, or a call of one but the first,
   * if it has a distance of more than 8 bits; and others.
   *
   * @param code where to search
   * @param starts RVAs of the functions, ascending
   * @return RVAs in any order
   */
  long[] find(PeImage image, List<CodeRanges.Range> code, long[] starts);

  /**
   * Returns those of some places that {@link #HERE} finds, too.
   *
   * @param starts RVAs of the functions, ascending
   */
  static long[] narrowed(PeImage image, long[] places, long[] starts) {
    return BranchSearch.narrowed(image, places, starts);
  }

  /**
   * Returns the stretches of code whose bytes are stored, each in one piece. A branch is in one of
   * them as a whole.
   */
  static List<CodeRanges.Range> stored(PeImage image, List<CodeRanges.Range> code) {
    return BranchSearch.stored(image.view(), code);
  }
}

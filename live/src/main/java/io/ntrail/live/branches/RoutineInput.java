package io.ntrail.live.branches;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.patchability.BranchFinder;
import java.util.List;

/** Block for {@link BranchRoutine}. */
final class RoutineInput {
  /** Room for places that are found. */
  static final int ROOM = 1 << 16;

  /** Room for entries of the function table that continue a function. */
  static final int MOST_CONTINUING = 1 << 16;

  /** Bytes that functions take up at most where pieces far from them are searched at once. */
  private static final long NARROW = 1 << 17;

  /** Bytes from them to these pieces. */
  private static final long FAR = 1 << 17;

  private RoutineInput() {}

  /** Bytes of the file that are searched as a whole, but for the last ones. */
  record Piece(long offset, long rva, long length) {
    /** Returns whether it is far from all of some functions, and these near one another. */
    boolean isDistant(long[] starts) {
      if (starts.length == 0 || starts[starts.length - 1] - starts[0] > NARROW) {
        return false;
      }
      return rva + length + FAR < starts[0] || rva > starts[starts.length - 1] + FAR;
    }
  }

  /**
   * Place of a function table and its unwind information in a file.
   *
   * @param table offset of the table
   * @param entries number of its entries; 0: it is not looked at
   * @param unwind RVA of the bytes that have the unwind information
   * @param bytes their number
   * @param offset their offset
   */
  record UnwindPlace(long table, long entries, long unwind, long bytes, long offset) {
    static final UnwindPlace NONE = new UnwindPlace(0, 0, 0, 0, 0);

    static UnwindPlace of(PeImage image) {
      DataDirectory.Range range = image.directory(DataDirectory.EXCEPTION);
      long count = range.size() / RuntimeFunction.SIZE;
      if (count == 0 || image.view().stored(range.rva()) / RuntimeFunction.SIZE < count) {
        return NONE;
      }
      long first = image.view().u32(range.rva() + 8);
      for (ImageView.Extent extent : image.view().extents()) {
        if (extent.rva() <= first && first - extent.rva() < extent.storedLength()) {
          return new UnwindPlace(
              image.view().offset(range.rva()),
              count,
              extent.rva(),
              extent.storedLength(),
              image.view().offset(extent.rva()));
        }
      }
      return NONE;
    }
  }

  /**
   * Returns the block of the routine, behind which the places follow.
   *
   * @param view address of the file
   * @param block where the block lies
   */
  static byte[] of(
      List<Piece> pieces,
      long[] starts,
      long imageSize,
      long view,
      long block,
      UnwindPlace unwind) {
    int marksAt = RoutineBlock.FIRST_PIECE + RoutineBlock.PIECE * pieces.size();
    long parts = (imageSize >> RoutineBlock.MARK_SHIFT) + 1;
    byte[] marks = new byte[(int) Math.max(Integer.BYTES, Long.highestOneBit(2 * parts - 1))];
    for (long start : starts) {
      mark(marks, start);
      mark(marks, start + BranchFinder.NEAR - 1);
    }
    int startsAt = marksAt + marks.length;
    int size = startsAt + Integer.BYTES * starts.length;
    BytesBuilder out = new BytesBuilder(size);
    out.u64(0).u64(pieces.size()).u64(0).u64(ROOM).u64(0);
    out.u64(block + marksAt).u64(marks.length - 1);
    out.u64(block + startsAt).u64(starts.length).u64(block + size);
    out.u64(0).u64(view + unwind.table).u64(unwind.entries).u64(unwind.unwind);
    out.u64(unwind.bytes).u64(view + unwind.offset - unwind.unwind);
    out.u64(0).u64(0).u64(MOST_CONTINUING).u64(block + size + (long) ROOM * Integer.BYTES);
    for (Piece piece : pieces) {
      long distant = piece.isDistant(starts) ? RoutineBlock.DISTANT : 0;
      out.u64(view + piece.offset).u64(piece.rva).u64(piece.length | distant);
    }
    out.bytes(marks);
    for (long start : starts) {
      out.u32((int) start);
    }
    return out.toArray();
  }

  private static void mark(byte[] marks, long rva) {
    long part = rva >> RoutineBlock.MARK_SHIFT;
    if (part < marks.length) {
      marks[(int) part] = 1;
    }
  }
}

package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.PeImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Images as they lie in a target's memory. */
public final class TargetImage {
  private static final int PAGE = 0x1000;
  private static final int PIECE = 0x10_0000;

  private TargetImage() {}

  /**
   * Copies the image of a module. Pages that cannot be read are missing in the image.
   *
   * @throws io.ntrail.formats.bytes.CannotGoOn if no image is there
   */
  public static PeImage read(TargetMemory memory, TargetModule module) {
    List<Extent> extents = new ArrayList<>();
    long at = 0;
    while (at < module.size()) {
      int wanted = (int) Math.min(PIECE, module.size() - at);
      byte[] piece = memory.readUpTo(module.base() + at, wanted);
      if (piece.length == 0) {
        // The piece may begin with a page that is not there: find the next one that is.
        at = skip(memory, module, at, at + wanted, extents);
        continue;
      }
      if (piece.length < wanted) {
        piece = Arrays.copyOf(piece, piece.length & -PAGE);
      }
      extents.add(extent(at, piece, module));
      at += Math.max(PAGE, piece.length);
    }
    return PeImage.ofMemory(ImageView.of(module.name(), extents));
  }

  private static long skip(
      TargetMemory memory, TargetModule module, long from, long to, List<Extent> extents) {
    for (long at = from; at < to; at += PAGE) {
      byte[] page = memory.readUpTo(module.base() + at, PAGE);
      if (page.length == PAGE) {
        extents.add(extent(at, page, module));
      }
    }
    return to;
  }

  private static Extent extent(long at, byte[] bytes, TargetModule module) {
    return new Extent(at, bytes.length, Bytes.copyOf(bytes, module.name()));
  }
}

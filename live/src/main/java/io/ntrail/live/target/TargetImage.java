package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.windows.TargetMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Images as they lie in a target's memory. */
public final class TargetImage {
  private static final int PAGE = 0x1000;
  private static final int PIECE = 0x10_0000;

  // In the headers: where the PE header is, and from there on.
  private static final int PE_AT = 0x3C;
  private static final int OPTIONAL = 24;
  private static final int MAGIC_32 = 0x10B;
  private static final int MAGIC_64 = 0x20B;
  private static final int BASE_32 = 28;
  private static final int BASE_64 = 24;

  private TargetImage() {}

  /**
   * Copies the image of a module. Pages that cannot be read are missing in the image.
   *
   * @throws io.ntrail.formats.bytes.CannotGoOn if no image is there
   */
  public static PeImage read(TargetMemory memory, TargetModule module) {
    Pieces pieces = new Pieces(module);
    for (long at = 0; at < module.size(); ) {
      int wanted = (int) Math.min(PIECE, module.size() - at);
      byte[] piece = memory.readUpTo(module.base() + at, wanted);
      if (piece.length == 0) {
        // The piece may begin with a page that is not there: find the next one that is.
        skip(memory, at, at + wanted, pieces);
        at += wanted;
        continue;
      }
      if (at == 0) {
        setBase(piece, module.base());
      }
      int whole = piece.length < wanted ? piece.length & -PAGE : wanted;
      pieces.add(at, piece, whole);
      at += Math.max(PAGE, whole);
    }
    return PeImage.ofMemory(ImageView.of(module.name(), pieces.extents()));
  }

  /**
   * Copies the first page of a module, which has its headers.
   *
   * @throws io.ntrail.formats.bytes.CannotGoOn if no image is there
   */
  public static PeImage headers(TargetMemory memory, TargetModule module) {
    long size = Math.min(PAGE, module.size());
    return read(memory, new TargetModule(module.base(), size, module.path(), module.name()));
  }

  /**
   * Sets the base in copied headers to where the image lies. Windows does so with those in memory
   * when it relocates an image; Wine leaves the one of the file, and pointers would be misread.
   */
  static void setBase(byte[] headers, long base) {
    Bytes bytes = Bytes.copyOf(headers, "headers");
    if (!bytes.has(PE_AT, Integer.BYTES)) {
      return;
    }
    int optional = bytes.i32(PE_AT) + OPTIONAL;
    if (optional < OPTIONAL || !bytes.has(optional, BASE_32 + Long.BYTES)) {
      return;
    }
    BytesBuilder changed = new BytesBuilder(Long.BYTES);
    int at;
    switch (bytes.u16(optional)) {
      case MAGIC_32 -> {
        at = optional + BASE_32;
        changed.u32((int) base);
      }
      case MAGIC_64 -> {
        at = optional + BASE_64;
        changed.u64(base);
      }
      default -> {
        return;
      }
    }
    System.arraycopy(changed.array(), 0, headers, at, changed.size());
  }

  private static void skip(TargetMemory memory, long from, long to, Pieces pieces) {
    for (long at = from; at < to; at += PAGE) {
      byte[] page = memory.readUpTo(pieces.module.base() + at, PAGE);
      if (page.length == PAGE) {
        pieces.add(at, page, PAGE);
      }
    }
  }

  /**
   * Pages that were read; those next to each other are one extent, as functions cross any border.
   */
  private static final class Pieces {
    private final TargetModule module;
    private final List<Extent> extents = new ArrayList<>();
    private final List<byte[]> row = new ArrayList<>();
    private long begin;
    private long end;

    Pieces(TargetModule module) {
      this.module = module;
    }

    void add(long at, byte[] bytes, int length) {
      if (at != end) {
        endRow();
        begin = at;
      }
      row.add(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
      end = at + length;
    }

    private void endRow() {
      if (end > begin) {
        Bytes joined = Bytes.joined(row, module.name());
        extents.add(new Extent(begin, end - begin, joined));
        row.clear();
      }
    }

    List<Extent> extents() {
      endRow();
      return extents;
    }
  }
}

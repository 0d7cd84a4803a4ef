package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.collections.Search;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of an image by RVA, as they are in memory after the loader mapped it: the one way to
 * resolve an RVA, whether the image comes from a file or from memory.
 *
 * <p>An image is a list of {@link Extent extents}. An address in none of them is not part of the
 * image, or was not recorded: reading it is {@link DamagedInput}, never zero. After the bytes that
 * were stored, an extent continues with zeros, as the loader fills a page.
 */
public final class ImageView {
  /** Windows are at most this long, since a {@link Bytes} is. */
  private static final long MOST = Integer.MAX_VALUE - 15L;

  /**
   * A contiguous range of the image.
   *
   * @param rva its start
   * @param length bytes in memory, from 1
   * @param stored its first bytes as they were stored; zeros follow them
   */
  public record Extent(long rva, long length, Bytes stored) {
    /** Returns the RVA past its last byte. */
    public long end() {
      return rva + length;
    }

    /** Returns the number of its stored bytes. */
    public long storedLength() {
      return Math.min(length, stored.length());
    }

    private Extent part(long from, long to) {
      int skipped = (int) Math.min(from - rva, stored.length());
      int kept = (int) Math.min(stored.length() - skipped, to - from);
      return new Extent(from, to - from, stored.slice(skipped, kept));
    }
  }

  private final String name;
  private final Extent[] extents;
  private final long[] starts;

  /** Per extent, the end of the contiguous range that it is in. */
  private final long[] ends;

  private ImageView(String name, List<Extent> apart) {
    this.name = name;
    this.extents = apart.toArray(Extent[]::new);
    this.starts = apart.stream().mapToLong(Extent::rva).toArray();
    this.ends = apart.stream().mapToLong(Extent::end).toArray();
    for (int i = ends.length - 2; i >= 0; i--) {
      if (ends[i] == starts[i + 1]) {
        ends[i] = ends[i + 1];
      }
    }
  }

  /**
   * An image made of extents, as parts of a dump are. Where they overlap, the first in the list
   * counts.
   */
  public static ImageView of(String name, List<Extent> extents) {
    return new ImageView(name, apart(extents));
  }

  /** Returns an image that is laid out as in memory: every offset is an RVA. */
  public static ImageView flat(InputFile input) {
    List<Extent> extents = new ArrayList<>();
    for (long at = 0; at < input.size(); at += MOST) {
      int length = (int) Math.min(MOST, input.size() - at);
      extents.add(new Extent(at, length, input.window(at, length)));
    }
    return new ImageView(input.name(), extents);
  }

  /** Cuts what overlaps, in favour of the earlier one, and sorts. */
  private static List<Extent> apart(List<Extent> extents) {
    DisjointRanges pieces = new DisjointRanges();
    extents.forEach(extent -> pieces.add(extent.rva, extent.end()));
    return pieces.sorted().stream()
        .map(piece -> extents.get(piece.source()).part(piece.begin(), piece.end()))
        .toList();
  }

  /** The name of the input, for messages. */
  public String name() {
    return name;
  }

  /** The extents, by RVA; they do not overlap. */
  public List<Extent> extents() {
    return List.of(extents);
  }

  private int index(long rva) {
    int at = DisjointRanges.find(starts, rva);
    return at >= 0 && rva < extents[at].end() ? at : -1;
  }

  /**
   * Returns the number of bytes that can be read from {@code rva} on without a hole, the loader's
   * zeros included.
   */
  public long available(long rva) {
    int i = index(rva);
    return i < 0 ? 0 : ends[i] - rva;
  }

  /** Returns true if {@code length} bytes at {@code rva} are part of the image. */
  public boolean has(long rva, long length) {
    return length >= 0 && rva >= 0 && available(rva) >= length;
  }

  /**
   * Returns the number of bytes at {@code rva} that were stored, in one piece: the useful extent of
   * a table, since all after it is zero.
   */
  public long stored(long rva) {
    int i = index(rva);
    return i < 0 ? 0 : Math.max(0, extents[i].rva + extents[i].storedLength() - rva);
  }

  /**
   * Returns the number of stored bytes of the whole image, which bounds the work on hostile tables.
   */
  public long storedBytes() {
    long sum = 0;
    for (Extent extent : extents) {
      sum += extent.storedLength();
    }
    return sum;
  }

  /**
   * Returns the number of bytes at {@code rva} that were not stored, but are zeros of the loader.
   */
  public long zeros(long rva) {
    int i = index(rva);
    return i < 0 || rva - extents[i].rva < extents[i].storedLength() ? 0 : extents[i].end() - rva;
  }

  /**
   * Returns the number of bytes from {@code rva} on that are not part of the image; without an end
   * if none follows.
   */
  public long missing(long rva) {
    if (index(rva) >= 0) {
      return 0;
    }
    int next = Search.ceiling(starts, starts.length, rva);
    return next < starts.length ? starts[next] - rva : Long.MAX_VALUE;
  }

  /** Returns the offset in the input of the byte at {@code rva}, or -1 if it was not stored. */
  public long offset(long rva) {
    int i = index(rva);
    if (i < 0 || rva - extents[i].rva >= extents[i].storedLength()) {
      return -1;
    }
    return extents[i].stored.base() + rva - extents[i].rva;
  }

  /**
   * The stored bytes at {@code rva} in one piece, at most {@code most} of them.
   *
   * @throws DamagedInput if none is stored there
   */
  public Bytes window(long rva, long most) {
    int i = index(rva);
    long left = i < 0 ? 0 : extents[i].rva + extents[i].storedLength() - rva;
    if (left <= 0) {
      throw outside(rva, 1);
    }
    return extents[i].stored.slice((int) (rva - extents[i].rva), (int) Math.min(most, left));
  }

  /**
   * Returns {@code length} bytes at {@code rva}, the loader's zeros included; a copy where they are
   * not stored in one piece. Only for lengths that were checked to be small.
   *
   * @throws DamagedInput if not all of them are part of the image
   */
  public Bytes bytes(long rva, int length) {
    if (stored(rva) >= length && length > 0) {
      return window(rva, length);
    }
    if (!has(rva, length)) {
      throw outside(rva, length);
    }
    byte[] copy = new byte[length];
    for (int at = 0; at < length; ) {
      Extent extent = extents[index(rva + at)];
      long from = rva + at - extent.rva;
      int part = (int) Math.min(length - at, extent.length - from);
      int stored = Math.clamp(extent.storedLength() - from, 0, part);
      extent.stored.copyTo((int) Math.min(from, extent.stored.length()), copy, at, stored);
      at += part;
    }
    return Bytes.copyOf(copy, name);
  }

  /** Unsigned byte. */
  public int u8(long rva) {
    int i = index(rva);
    if (i < 0) {
      throw outside(rva, 1);
    }
    long at = rva - extents[i].rva;
    return at < extents[i].storedLength() ? extents[i].stored.u8((int) at) : 0;
  }

  /** Unsigned 16-bit number. */
  public int u16(long rva) {
    int i = whole(rva, 2);
    return i >= 0 ? extents[i].stored.u16((int) (rva - extents[i].rva)) : (int) assembled(rva, 2);
  }

  /** Signed 32-bit number. */
  public int i32(long rva) {
    int i = whole(rva, 4);
    return i >= 0 ? extents[i].stored.i32((int) (rva - extents[i].rva)) : (int) assembled(rva, 4);
  }

  /** Unsigned 32-bit number. */
  public long u32(long rva) {
    return i32(rva) & 0xFFFF_FFFFL;
  }

  /** 64-bit number. */
  public long i64(long rva) {
    int i = whole(rva, 8);
    return i >= 0 ? extents[i].stored.i64((int) (rva - extents[i].rva)) : assembled(rva, 8);
  }

  /**
   * A pointer, zero-extended.
   *
   * @param pointerBytes 4 or 8
   */
  public long pointer(long rva, int pointerBytes) {
    return pointerBytes == 8 ? i64(rva) : u32(rva);
  }

  /** The extent in which all of it was stored, or -1. */
  private int whole(long rva, int length) {
    int i = index(rva);
    return i >= 0 && rva - extents[i].rva <= extents[i].storedLength() - length ? i : -1;
  }

  private long assembled(long rva, int length) {
    if (!has(rva, length)) {
      throw outside(rva, length);
    }
    long value = 0;
    for (int i = length - 1; i >= 0; i--) {
      value = value << 8 | u8(rva + i);
    }
    return value;
  }

  /**
   * Reads 8-bit text up to a NUL, one character per byte where it is not UTF-8.
   *
   * @param most bytes after which it ends in any case
   * @throws DamagedInput if it starts outside the image
   */
  public String text(long rva, int most) {
    if (index(rva) < 0) {
      throw outside(rva, 1);
    }
    long end = rva + Math.min(most, available(rva));
    int length = 0;
    while (rva + length < end && u8(rva + length) != 0) {
      length++;
    }
    byte[] text = new byte[length];
    for (int i = 0; i < length; i++) {
      text[i] = (byte) u8(rva + i);
    }
    String decoded = new String(text, StandardCharsets.UTF_8);
    return decoded.indexOf('\uFFFD') < 0 ? decoded : new String(text, StandardCharsets.ISO_8859_1);
  }

  /**
   * Returns the exception for {@code length} bytes at {@code rva} that are not part of the image.
   */
  public DamagedInput outside(long rva, long length) {
    return new DamagedInput(
        name,
        Math.max(0, offset(rva)),
        "needs "
            + length
            + " bytes at RVA 0x"
            + Long.toHexString(rva)
            + ", where "
            + (available(rva) == 0 ? "the image has nothing" : "only " + available(rva) + " are"));
  }
}

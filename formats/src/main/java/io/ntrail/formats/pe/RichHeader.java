package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The Rich header, which Microsoft's linker writes between the 16-bit program and the PE headers:
 * which compilers, of which builds, made how many of the object files.
 *
 * <p>{@code DanS}, three zeros, pairs {@code u32 product << 16 | build, u32 count}, all combined by
 * exclusive or with a key; then {@code Rich} and the key, not combined. The key is a checksum of
 * the headers before it and of the pairs, so that a header that was copied from another image
 * shows.
 *
 * <p>Microsoft does not document it. Source: the analyses that were published since 2004 (Pistelli;
 * Webster and others, "Finding the needle", 2017); keys of real images come out as computed here.
 *
 * @param offset of {@code DanS}, from the start of the image
 * @param key as stored
 * @param computed the right key
 * @param entries in the order of the header
 */
public record RichHeader(long offset, long key, long computed, List<Entry> entries) {
  private static final int RICH = 0x6863_6952;
  private static final int DANS = 0x536E_6144;

  /** The DOS header, before which no such header can be. */
  private static final int FIRST = 0x40;

  /** Bound of its end: real ones end before 400h; one far beyond would only cost time. */
  private static final int LAST = 0x1_0000;

  /**
   * Number of objects of one tool.
   *
   * @param product the tool, by Microsoft's own numbers
   * @param build of that tool
   * @param count of object files or imports
   */
  public record Entry(int product, int build, long count) {}

  /** Reads that of an image; empty if another linker made it. */
  public static Optional<RichHeader> of(PeImage image) {
    long length = Math.min(LAST, Math.min(image.headers().peOffset(), image.view().stored(0)));
    if (length < FIRST) {
      return Optional.empty();
    }
    Bytes bytes = image.view().window(0, length);
    for (int at = FIRST; at + 8 <= bytes.length(); at += 4) {
      if (bytes.i32(at) == RICH) {
        return before(bytes, at);
      }
    }
    return Optional.empty();
  }

  /** Goes back from the end to the beginning, which only the key shows. */
  private static Optional<RichHeader> before(Bytes bytes, int end) {
    int key = bytes.i32(end + 4);
    int begin = end - 4;
    while (begin >= FIRST && (bytes.i32(begin) ^ key) != DANS) {
      begin -= 4;
    }
    if (begin < FIRST) {
      return Optional.empty();
    }
    List<Entry> entries = new ArrayList<>();
    int sum = begin;
    for (int i = 0; i < begin; i++) {
      // Where the PE headers lie is decided later.
      if (i < 0x3C || i >= 0x40) {
        sum += Integer.rotateLeft(bytes.u8(i), i);
      }
    }
    for (int at = begin + 16; at + 8 <= end; at += 8) {
      int tool = bytes.i32(at) ^ key;
      int count = bytes.i32(at + 4) ^ key;
      sum += Integer.rotateLeft(tool, count);
      entries.add(new Entry(tool >>> 16, tool & 0xFFFF, count & 0xFFFF_FFFFL));
    }
    return Optional.of(
        new RichHeader(begin, key & 0xFFFF_FFFFL, sum & 0xFFFF_FFFFL, List.copyOf(entries)));
  }

  /** Returns true if the key belongs to these headers. */
  public boolean isGenuine() {
    return key == computed;
  }
}

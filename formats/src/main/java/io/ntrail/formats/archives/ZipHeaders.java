package io.ntrail.formats.archives;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import java.nio.charset.StandardCharsets;

/** Headers of members in a zip: those of its directory, and the local ones before the data. */
final class ZipHeaders {
  /** {@code PK\3\4}. */
  static final int LOCAL_SIGNATURE = 0x0403_4B50;

  /** {@code PK\1\2}. */
  static final int CENTRAL_SIGNATURE = 0x0201_4B50;

  private static final int LOCAL = 30;
  private static final int CENTRAL = 46;
  private static final int ZIP64_EXTRA = 1;
  private static final long IN_EXTRA = 0xFFFF_FFFFL;
  private static final char REPLACEMENT = '\uFFFD';

  private final InputFile zip;

  /**
   * Entry of the directory.
   *
   * @param member without the place of its data, which its local header has
   * @param end offset behind the entry
   */
  record Entry(ZipMember member, long end) {}

  ZipHeaders(InputFile zip) {
    this.zip = zip;
  }

  /** Returns the 4 bytes at an offset; 0 behind the end. */
  int signature(long at) {
    return at < 0 || at > zip.size() - 4 ? 0 : zip.window(at, 4).i32(0);
  }

  /**
   * Reads an entry of the directory.
   *
   * @param base offset of the zip in the file, which may begin with something else
   * @param limit offset behind the directory
   */
  Entry entry(long at, long base, long limit) {
    Bytes header = zip.window(at, CENTRAL);
    if (header.i32(0) != CENTRAL_SIGNATURE) {
      throw damaged(at, "no entry of the directory starts here");
    }
    int nameLength = header.u16(28);
    int extraLength = header.u16(30);
    long end = at + CENTRAL + nameLength + extraLength + header.u16(32);
    if (end > limit) {
      throw damaged(at, "an entry extends past the directory");
    }
    Sizes sizes =
        new Sizes(header.u32(24), header.u32(20), header.u32(42))
            .with(zip.window(at + CENTRAL + nameLength, extraLength));
    ZipMember member =
        new ZipMember(
            name(zip.window(at + CENTRAL, nameLength)),
            header.u16(8),
            header.u16(10),
            base + sizes.offset,
            -1,
            sizes.packed,
            sizes.plain,
            header.i32(16));
    if (sizes.areImpossible() || member.headerAt() > limit) {
      throw damaged(at, "an entry has impossible sizes");
    }
    return new Entry(member, end);
  }

  /** Returns the offset of a member's data, which is behind its local header. */
  long dataOf(ZipMember member) {
    Bytes header = localHeader(member.headerAt());
    return member.headerAt() + LOCAL + header.u16(26) + header.u16(28);
  }

  /** Reads the member at a local header, without a directory. */
  ZipMember member(long at) {
    Bytes header = localHeader(at);
    int nameLength = header.u16(26);
    int extraLength = header.u16(28);
    Sizes sizes =
        new Sizes(header.u32(22), header.u32(18), 0)
            .with(zip.window(at + LOCAL + nameLength, extraLength));
    boolean follow = (header.u16(6) & 8) != 0;
    if (!follow && sizes.areImpossible()) {
      throw damaged(at, "a member has impossible sizes");
    }
    return new ZipMember(
        name(zip.window(at + LOCAL, nameLength)),
        header.u16(6),
        header.u16(8),
        at,
        at + LOCAL + nameLength + extraLength,
        follow ? -1 : sizes.packed,
        follow ? -1 : sizes.plain,
        header.i32(14));
  }

  private Bytes localHeader(long at) {
    Bytes header = zip.window(at, LOCAL);
    if (header.i32(0) != LOCAL_SIGNATURE) {
      throw damaged(at, "no member starts here");
    }
    return header;
  }

  private DamagedInput damaged(long at, String what) {
    return new DamagedInput(zip.name(), at, what);
  }

  /** Numbers that a header of a large member has in its extra field. */
  private record Sizes(long plain, long packed, long offset) {
    boolean areImpossible() {
      long most = Long.MAX_VALUE / 4;
      return Math.min(plain, Math.min(packed, offset)) < 0
          || Math.max(plain, Math.max(packed, offset)) > most;
    }

    Sizes with(Bytes extra) {
      for (int at = 0; extra.has(at, 4); at += 4 + extra.u16(at + 2)) {
        int length = extra.u16(at + 2);
        if (extra.u16(at) == ZIP64_EXTRA && extra.has(at + 4, length)) {
          return zip64(extra.slice(at + 4, length));
        }
      }
      return this;
    }

    private Sizes zip64(Bytes large) {
      int at = 0;
      long[] numbers = {plain, packed, offset};
      for (int i = 0; i < numbers.length; i++) {
        if (numbers[i] == IN_EXTRA && large.has(at, 8)) {
          numbers[i] = large.i64(at);
          at += 8;
        }
      }
      return new Sizes(numbers[0], numbers[1], numbers[2]);
    }
  }

  /** Old packers write names in a code page that they do not tell. */
  private static String name(Bytes name) {
    byte[] bytes = name.array(0, name.length());
    String text = new String(bytes, StandardCharsets.UTF_8);
    return text.indexOf(REPLACEMENT) < 0 ? text : new String(bytes, StandardCharsets.ISO_8859_1);
  }
}

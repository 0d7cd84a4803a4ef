package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reads parts of a dump within bounds, and remembers what could not be read. Not safe for several
 * threads.
 */
public final class DumpReader {
  /** Bytes of the longest text: that of a UNICODE_STRING. */
  private static final int LONGEST_TEXT = 0x1_0000;

  private static final int MOST = Integer.MAX_VALUE - 15;

  private final InputFile input;
  private final Gaps gaps;
  private final Map<Long, String> texts = new HashMap<>();

  /** Bytes of texts that may still be read: they do not overlap in what was not made to harm. */
  private long textLeft;

  DumpReader(InputFile input, Gaps gaps) {
    this.input = input;
    this.gaps = gaps;
    this.textLeft = input.size();
  }

  /** Rows of equal size in a stream. */
  public record Rows(Bytes bytes, int first, int rowBytes, int count) {
    /** Returns the offset of a row in the bytes. */
    public int at(int row) {
      return first + row * rowBytes;
    }
  }

  /** Returns the size of the file in bytes. */
  public long size() {
    return input.size();
  }

  /** Returns the bytes of a stream, at most 2 GB of them. */
  public Bytes bytes(DumpStream stream) {
    return bytes(new FileRange(stream.offset(), stream.size()), MOST);
  }

  /**
   * Returns bytes of the file, as far as it has them.
   *
   * @param most limit
   */
  public Bytes bytes(FileRange range, int most) {
    long offset = Math.clamp(range.offset(), 0, input.size());
    long length = Math.min(Math.min(range.size(), most), input.size() - offset);
    return input.window(offset, (int) Math.max(0, length));
  }

  /**
   * Returns bytes of the file.
   *
   * @throws DamagedInput if it does not have all of them
   */
  public Bytes window(long offset, long length) {
    return input.window(offset, (int) Math.min(length, MOST));
  }

  /**
   * Finds out how many rows a list has.
   *
   * @param what name of the list, for messages
   * @param first offset of the first row
   * @param rowBytes from 1
   * @param claimed number of rows that the list says
   * @param limit rows that no process exceeds
   */
  public Rows rows(Bytes bytes, String what, int first, long rowBytes, long claimed, int limit) {
    long room = rowBytes < 1 ? 0 : Math.max(0, bytes.length() - (long) first) / rowBytes;
    if (Long.compareUnsigned(claimed, Math.min(room, limit)) <= 0) {
      checkEnd(bytes, what, first + claimed * rowBytes, rowBytes, claimed);
      return new Rows(bytes, first, Math.clamp(rowBytes, 0, MOST), (int) claimed);
    }
    boolean isLimit = limit < room;
    long count = isLimit ? limit : room;
    long at = Math.min(first + count * Math.max(0, rowBytes), bytes.length());
    gap(
        bytes.base() + at,
        -1,
        what,
        "it claims "
            + Long.toUnsignedString(claimed)
            + " entries of "
            + rowBytes
            + " bytes, and "
            + (isLimit ? "no more than " + limit + " are read" : "there is room for " + room));
    return new Rows(bytes, first, Math.clamp(rowBytes, 0, MOST), (int) count);
  }

  /**
   * Reports what lies behind the rows that a list counts: the lists of all writers end there, so
   * that room for more, with anything in it, shows a count that is too small.
   *
   * @param end offset behind the last row
   * @param rowBytes the least bytes of a row; less than 1 if there are none
   * @param claimed number of rows that the list says
   */
  public void checkEnd(Bytes bytes, String what, long end, long rowBytes, long claimed) {
    long more = rowBytes < 1 ? 0 : (bytes.length() - end) / rowBytes;
    if (more > 0 && !bytes.isZero((int) end, (int) (more * rowBytes))) {
      gap(
          bytes.base() + end,
          more * rowBytes,
          what,
          "it claims %d entries, and has room behind them for %d more, which is not empty"
              .formatted(claimed, more));
    }
  }

  /**
   * Finds out how many rows a list has that begins with the sizes of its header and of a row.
   *
   * @param leastRowBytes those of the first version
   * @param claimed number of rows that the list says
   * @param limit rows that no process exceeds
   */
  public Rows table(Bytes bytes, StreamType type, int leastRowBytes, long claimed, int limit) {
    int first = (int) Math.min(bytes.u32(0), bytes.length());
    long rowBytes = Math.max(leastRowBytes, bytes.u32(4));
    if (bytes.u32(4) < leastRowBytes && claimed != 0) {
      gap(
          bytes.base() + 4,
          -1,
          type.title(),
          "it claims entries of %d bytes; they are read as %d, the least that they have"
              .formatted(bytes.u32(4), leastRowBytes));
    }
    return rows(bytes, type.title(), first, rowBytes, claimed, limit);
  }

  /**
   * Returns a text of the dump (MINIDUMP_STRING: length in bytes, then UTF-16).
   *
   * @param rva its place; 0: none
   * @return empty, and a gap, if it cannot be read
   */
  public String string(long rva) {
    return text(rva, true);
  }

  /** Returns a text as Crashpad stores them: length in bytes, then UTF-8. */
  public String utf8String(long rva) {
    return text(rva, false);
  }

  private String text(long rva, boolean isWide) {
    if (rva == 0) {
      return "";
    }
    long key = isWide ? rva : ~rva;
    String known = texts.get(key);
    if (known != null) {
      return known;
    }
    String text = "";
    try {
      long length = input.window(rva, 4).u32(0);
      if (length > LONGEST_TEXT) {
        throw new DamagedInput(input.name(), rva, "a text of " + length + " bytes");
      }
      textLeft -= length + 4;
      if (textLeft < 0) {
        throw new DamagedInput(input.name(), rva, "all texts together are longer than the file");
      }
      Bytes bytes = input.window(rva + 4, (int) length);
      text =
          isWide
              ? bytes.utf16z(0, bytes.length())
              : new String(bytes.array(0, bytes.length()), StandardCharsets.UTF_8);
    } catch (DamagedInput e) {
      gap(rva, -1, "text", e.what());
    }
    texts.put(key, text);
    return text;
  }

  /**
   * Applies a reader to a part of the dump; {@code nothing}, and a gap, if the file does not hold
   * what it needs.
   */
  public <T> T reading(String what, T nothing, Supplier<T> reader) {
    try {
      return reader.get();
    } catch (DamagedInput e) {
      gap(e.offset(), -1, what, e.what());
      return nothing;
    }
  }

  /**
   * Remembers a stretch that could not be read.
   *
   * @param bytes its length; -1 if unknown
   */
  public void gap(long offset, long bytes, String what, String why) {
    gaps.add(new Gap(input.name(), Math.clamp(offset, 0, input.size()), bytes, what, why));
  }
}

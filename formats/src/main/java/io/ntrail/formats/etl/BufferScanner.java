package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.util.Optional;
import java.util.function.ObjIntConsumer;

/**
 * Finds the buffers of a file, and finds back to them after bytes that are none.
 *
 * <p>The next buffer begins where this one's BufferSize says. A header is accepted if its size is
 * the session's, or if another header (or the end of the file) is where it ends. If only the size
 * is wrong and the session's size leads to a good header, that is used, unless a shorter one leads
 * to a header with a record behind it: tools write uncompressed buffers without the room that was
 * left in them. Else the next place where a header can be believed is searched byte by byte, and
 * what lies between is a gap. Zeros up to the end of the file are space that the logger set aside
 * and never used: no gap.
 */
final class BufferScanner implements AutoCloseable {
  /** Windows for searching; a header may straddle two, so they overlap by one header. */
  private static final int SEARCH_WINDOW = 1 << 20;

  private static final int[] USUAL_SIZES = {
    4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20,
    2 << 20, 4 << 20, 8 << 20, 16 << 20
  };

  private final InputFile input;
  private final HeaderWindow window;
  private final long sessionSize;
  private final boolean headerDestroyed;
  private final Gaps gaps;
  private final BufferIndex index = new BufferIndex();
  private final BufferCopies copies;
  private final long size;
  private long usedEnd;
  private int skipped;

  BufferScanner(InputFile input, long sessionSize, boolean headerDestroyed, Gaps gaps) {
    this.input = input;
    this.window = new HeaderWindow(input);
    this.sessionSize = sessionSize;
    this.headerDestroyed = headerDestroyed;
    this.gaps = gaps;
    this.size = input.size();
    this.usedEnd = size;
    this.copies = new BufferCopies(input, index);
  }

  /**
   * The buffer size of a file whose header buffer is destroyed: the first usual size at whose
   * multiples headers of that size stand.
   *
   * @return 0 if the file does not look like a recording at all
   */
  static long guessBufferSize(InputFile input) {
    for (int candidate : USUAL_SIZES) {
      if (candidate + (long) EtlLayout.BUFFER_HEADER + 8 > input.size()) {
        break;
      }
      Bytes bytes = input.window(candidate, EtlLayout.BUFFER_HEADER + 8);
      BufferHeader header = BufferHeader.read(bytes, 0);
      if (header.bufferSize() == candidate
          && header.plausibleFields()
          && header.offset() >= EtlLayout.BUFFER_HEADER
          && header.offset() <= candidate
          && RecordKind.ofMarker(bytes.i32(EtlLayout.BUFFER_HEADER)) >= 0) {
        return candidate;
      }
    }
    return 0;
  }

  /** The buffers that were found so far. */
  BufferIndex index() {
    return index;
  }

  /**
   * Finds all buffers.
   *
   * @param found called with the number of each and a window that is close to its header
   */
  void scan(ObjIntConsumer<HeaderWindow> found) {
    long at = headerDestroyed ? sessionSize : 0;
    while (at < size) {
      if (size - at < EtlLayout.BUFFER_HEADER) {
        remainder(at);
        break;
      }
      int before = index.count();
      BufferHeader header = header(at);
      if (believable(header, at)) {
        at = take(header, at, header.bufferSize());
      } else if (couldBeCompressed(header)) {
        at = takeCompressed(header, at);
      } else if (header.bufferSize() == 0 && zeros(at, at + EtlLayout.BUFFER_HEADER)) {
        at = skipZeros(at);
      } else if (onlySizeIsWrong(header, at)) {
        reportSize(header, at, sessionSize);
        at = take(header, at, sessionSize);
      } else if (at == 0 && !headerDestroyed) {
        at = take(header, at, headerBufferSize(header));
      } else {
        at = skipGarbage(at, at + 1, "no buffer header: it starts with 0x");
      }
      if (index.count() > before) {
        found.accept(window, before);
      }
    }
  }

  /** Returns the start of the zeros at the end of the file; the file's size if there are none. */
  long usedEnd() {
    return usedEnd;
  }

  /** Returns the number of ranges in which no buffer was found: each held at least one. */
  int skipped() {
    return skipped;
  }

  private BufferHeader header(long at) {
    int where = window.moveTo(at, EtlLayout.BUFFER_HEADER);
    BufferHeader header = BufferHeader.read(window.bytes(), where);
    // The header record was read uncompressed: this buffer is not compressed, whatever it says.
    return at == 0 && !headerDestroyed ? header.notCompressed() : header;
  }

  private boolean believable(BufferHeader header, long at) {
    boolean known = at == 0 && !headerDestroyed;
    if (!header.plausibleSize() || !(known || header.plausibleFields())) {
      return false;
    }
    if (header.bufferSize() == sessionSize && !header.compressed()) {
      return true;
    }
    long end = at + header.bufferSize();
    return leadsToHeader(end)
        && (header.compressed()
            || leadsToCompressed(end)
            || isShort(header, known) && leadsToRecords(end)
            || !onlySizeIsWrong(header, at));
  }

  /**
   * Returns true if it could be an uncompressed buffer that ends before the session's size.
   *
   * @param isHeader whether it is the header buffer, in which the end of the records may be missing
   */
  private boolean isShort(BufferHeader header, boolean isHeader) {
    return !header.compressed()
        && header.bufferSize() < sessionSize
        && (isHeader
            || header.offset() >= EtlLayout.BUFFER_HEADER
                && header.offset() <= header.bufferSize());
  }

  /** Returns true if the file ends at {@code at}, or a buffer begins there that holds records. */
  private boolean leadsToRecords(long at) {
    if (at == size) {
      return true;
    }
    if (at > size - EtlLayout.BUFFER_HEADER - Integer.BYTES) {
      return false;
    }
    BufferHeader next = header(at);
    return next.plausibleSize()
        && next.plausibleFields()
        && !next.compressed()
        && next.offset() >= EtlLayout.BUFFER_HEADER
        && next.offset() <= next.bufferSize()
        && firstRecord(at);
  }

  private boolean onlySizeIsWrong(BufferHeader header, long at) {
    return !header.compressed()
        && header.plausibleFields()
        && header.offset() >= EtlLayout.BUFFER_HEADER
        && header.offset() <= sessionSize
        && leadsToSessionHeader(at + sessionSize);
  }

  /** Like {@link #leadsToHeader}, for an uncompressed buffer of the session's size. */
  private boolean leadsToSessionHeader(long at) {
    if (at == size) {
      return true;
    }
    if (at > size - EtlLayout.BUFFER_HEADER) {
      return false;
    }
    BufferHeader next = header(at);
    return next.plausibleFields() && next.bufferSize() == sessionSize && !next.compressed()
        || zeros(at, at + EtlLayout.BUFFER_HEADER);
  }

  private boolean couldBeCompressed(BufferHeader header) {
    return header.compressed()
        && header.plausibleFields()
        && header.type() != EtlLayout.ETW_BUFFER_TYPE_HEADER
        && header.savedOffset() > EtlLayout.BUFFER_HEADER;
  }

  /** Takes a compressed buffer that no header follows: either its size is wrong, or that header. */
  private long takeCompressed(BufferHeader header, long at) {
    long next = search(at + EtlLayout.BUFFER_HEADER);
    long end = at + header.bufferSize();
    if (header.plausibleSize() && (end <= next || next == size)) {
      return take(header, at, header.bufferSize());
    }
    if (next - at > EtlLayout.BUFFER_MAXIMUM) {
      return skipGarbage(at, at + 1, "no buffer header: it starts with 0x");
    }
    reportSize(header, at, next - at);
    return take(header, at, next - at);
  }

  private void reportSize(BufferHeader header, long at, long used) {
    gaps.add(
        new Gap(
            input.name(),
            at,
            4,
            "buffer header",
            "BufferSize is 0x"
                + Long.toHexString(header.bufferSize())
                + "; read with 0x"
                + Long.toHexString(used)));
  }

  /**
   * The size of the header buffer where no buffer follows it: in compressed files it has just the
   * room that its records need.
   */
  private long headerBufferSize(BufferHeader header) {
    long end = header.offset();
    if (end < lowestEnd(0) || end > EtlLayout.BUFFER_MAXIMUM) {
      end = lowestEnd(0);
    }
    long room = header.bufferSize() - end;
    return room >= 0 && room < 1024 ? header.bufferSize() : end;
  }

  /**
   * Returns true if the file ends at {@code at}, or something that looks like a header is there.
   */
  private boolean leadsToHeader(long at) {
    if (at == size) {
      return true;
    }
    if (at > size - EtlLayout.BUFFER_HEADER) {
      return at < size;
    }
    BufferHeader next = header(at);
    return (next.plausibleSize() && next.plausibleFields())
        || (next.bufferSize() == 0 && zeros(at, at + EtlLayout.BUFFER_HEADER));
  }

  private long take(BufferHeader header, long at, long bufferSize) {
    int present = (int) Math.min(bufferSize, size - at);
    long end = header.offset();
    boolean endUnknown = false;
    if (header.offset() != header.savedOffset()
        && header.type() != EtlLayout.ETW_BUFFER_TYPE_HEADER) {
      // All recorders write both alike: the number of records is unknown.
      reportEnds(header, at, present);
    }
    if (!header.compressed()) {
      long lowest = lowestEnd(at);
      if (end < lowest || end > bufferSize) {
        // In the header buffer it covers the first record only, or is 0.
        end = header.type() == EtlLayout.ETW_BUFFER_TYPE_HEADER ? 0 : header.savedOffset();
      }
      if (end < lowest || end > bufferSize) {
        end = bufferSize;
        endUnknown = true;
        gaps.add(
            new Gap(
                input.name(),
                at + EtlLayout.Offset,
                4,
                "end of records",
                "the buffer at offset " + at + " has no end-of-records offset"));
      }
      if (end > present) {
        gaps.add(
            new Gap(
                input.name(),
                size,
                at + end - size,
                "buffer",
                "the file ends in the middle of the buffer at offset " + at));
        end = present;
      }
    } else if (present < bufferSize) {
      gaps.add(
          new Gap(
              input.name(),
              size,
              bufferSize - present,
              "buffer",
              "the file ends in the middle of the compressed buffer at offset " + at));
    }
    Optional<Gap> copy = copies.add(header, at, present);
    if (copy.isPresent()) {
      gaps.add(copy.get());
      skipped++;
    } else {
      index.add(at, present, header, header.compressed() ? 0 : (int) end, endUnknown);
    }
    return at + bufferSize;
  }

  /** Returns the lowest possible end of a buffer's records: the header record has been read. */
  private long lowestEnd(long at) {
    int record = EtlLayout.BUFFER_HEADER;
    if (at > 0 || headerDestroyed) {
      return record;
    }
    return (long) record + input.window(record + RecordKind.SYSTEM64.sizeOffset(), 2).u16(0);
  }

  private void reportEnds(BufferHeader header, long at, int present) {
    long from = Math.min(header.offset(), header.savedOffset());
    long to = Math.max(header.offset(), header.savedOffset());
    long clipped = header.compressed() ? 0 : Math.min(from, present);
    gaps.add(
        new Gap(
            input.name(),
            at + clipped,
            Math.min(to, present) - clipped,
            "end of records",
            "the buffer at offset %d has conflicting offsets 0x%x and 0x%x"
                .formatted(at, header.offset(), header.savedOffset())));
  }

  private long skipZeros(long from) {
    long at = from;
    while (at < size) {
      int length = (int) Math.min(SEARCH_WINDOW, size - at);
      Bytes bytes = input.window(at, length);
      int zeros = bytes.leadingZeros();
      at += zeros;
      if (zeros < length) {
        return skipGarbage(from, Math.max(from + 1, at - 7), "zeros instead of a buffer: 0x");
      }
    }
    usedEnd = from;
    return size;
  }

  private boolean zeros(long from, long to) {
    return input.window(from, (int) (to - from)).isZero(0, (int) (to - from));
  }

  /** Goes to the next header from {@code search} on; the gap begins at {@code from}. */
  private long skipGarbage(long from, long search, String why) {
    long found = search(search);
    report(from, found, why);
    skipped++;
    return found;
  }

  /** Returns the offset of the next plausible header; the file's size if there is none. */
  private long search(long from) {
    long at = from;
    while (size - at >= EtlLayout.BUFFER_HEADER) {
      int length = (int) Math.min(SEARCH_WINDOW, size - at);
      Bytes bytes = input.window(at, length);
      int last = length - EtlLayout.BUFFER_HEADER;
      for (int i = 0; i <= last; i++) {
        if (bytes.i32(i) == (int) sessionSize
            || (bytes.u8(i + EtlLayout.BufferFlag) & EtlLayout.ETW_BUFFER_FLAG_COMPRESSED) != 0
            || endsAgree(bytes, i)) {
          BufferHeader header = BufferHeader.read(bytes, i);
          if (strong(header, at + i)) {
            return at + i;
          }
        }
      }
      at += last + 1;
    }
    return size;
  }

  /** Returns true if both ends of records are the same, in a buffer shorter than the session's. */
  private boolean endsAgree(Bytes bytes, int at) {
    long end = bytes.u32(at + EtlLayout.Offset);
    long bufferSize = bytes.u32(at);
    return end >= EtlLayout.BUFFER_HEADER
        && end <= bufferSize
        && bufferSize < sessionSize
        && end == bytes.u32(at + EtlLayout.SavedOffset);
  }

  /** Found in the middle of anything, a header must convince by more than its size. */
  private boolean strong(BufferHeader header, long at) {
    if (!header.plausibleSize() || !header.plausibleFields() || header.type() == 4) {
      return false;
    }
    long end = at + header.bufferSize();
    if (header.compressed()) {
      return header.savedOffset() <= Math.max(sessionSize, 1 << 20)
          && header.bufferSize() > EtlLayout.BUFFER_HEADER
          && header.savedOffset() > EtlLayout.BUFFER_HEADER
          && header.state() >= 0
          && (end == size || leadsToCompressed(end));
    }
    return header.offset() >= EtlLayout.BUFFER_HEADER
        && header.offset() <= header.bufferSize()
        && firstRecord(at)
        && (header.bufferSize() < sessionSize
            ? leadsToRecords(end)
            : end >= size || leadsToHeader(end));
  }

  private boolean leadsToCompressed(long at) {
    return size - at >= EtlLayout.BUFFER_HEADER && leadsToHeader(at) && header(at).compressed();
  }

  private boolean firstRecord(long at) {
    long record = at + EtlLayout.BUFFER_HEADER;
    return record + 4 <= size && RecordKind.ofMarker(input.window(record, 4).i32(0)) >= 0;
  }

  private void report(long from, long to, String why) {
    gaps.add(
        new Gap(
            input.name(),
            from,
            to - from,
            "buffer",
            why + Integer.toHexString(input.window(from, 4).i32(0))));
  }

  @Override
  public void close() {
    window.close();
  }

  private void remainder(long at) {
    int left = (int) (size - at);
    if (!zeros(at, size)) {
      gaps.add(
          new Gap(
              input.name(), at, left, "buffer", "the file ends in the middle of a buffer header"));
    }
  }
}

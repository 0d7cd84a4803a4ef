package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.DumpReader.Rows;
import java.util.Optional;

/** Collects the memory of a dump: of its two lists, and of the stacks of its threads. */
final class MemoryStreams {
  private static final int DESCRIPTOR = 16;

  /** Bytes that are looked at together. */
  private static final int PIECE = 1 << 20;

  /** Bytes behind the memory that are looked at: a range that is too short leaves pages of it. */
  private static final long LOOKED_AT = 1L << 24;

  private final Minidump dump;
  private final DumpReader reader;
  private final InputFile input;
  private final MemoryRanges.Builder ranges;

  /** Offset behind the bytes of the list with 64-bit places; 0 if there is none. */
  private long end;

  /** Largest place of anything else that the dump names. */
  private long last;

  MemoryStreams(Minidump dump, InputFile input, DumpReader reader) {
    this.dump = dump;
    this.reader = reader;
    this.input = input;
    this.ranges = new MemoryRanges.Builder(input);
  }

  MemoryRanges read() {
    reader.reading("Memory64ListStream", 0, this::addMemory64);
    reader.reading("MemoryListStream", 0, this::addMemory);
    for (DumpThread thread : dump.threads()) {
      add(thread.stackStart(), thread.stack());
      add(thread.backingStart(), thread.backingStore());
    }
    checkEnd();
    return ranges.build(reader);
  }

  /**
   * Reports bytes behind the list with 64-bit places, if those are the last of the file: writers
   * put nothing there, so that a range is shorter in the list than in the file, and what follows it
   * at the wrong addresses.
   */
  private void checkEnd() {
    for (DumpStream stream : dump.streams()) {
      last = Math.max(last, stream.offset());
    }
    for (DumpThread thread : dump.threads()) {
      last = Math.max(last, thread.context().offset());
    }
    last = Math.max(last, dump.header().directory());
    last = Math.max(last, dump.exception().map(e -> e.context().offset()).orElse(0L));
    long left = input.size() - end;
    if (end <= last || left <= 0) {
      return;
    }
    for (long done = 0; done < Math.min(left, LOOKED_AT); done += PIECE) {
      int length = (int) Math.min(PIECE, left - done);
      if (!input.window(end + done, length).isZero(0, length)) {
        reader.gap(
            end,
            left,
            StreamType.MEMORY64_LIST.title(),
            "its ranges end here, and %d bytes follow, which are not empty".formatted(left));
        return;
      }
    }
  }

  /** Reports memory that begins where something else is: then all of it is at wrong addresses. */
  private void checkBegin(long begin) {
    String what = "";
    if (begin < MinidumpHeader.BYTES) {
      what = "the header";
    }
    for (DumpStream stream : dump.streams()) {
      if (begin >= stream.offset() && begin - stream.offset() < stream.size()) {
        what = stream.title();
      }
    }
    if (!what.isEmpty()) {
      reader.gap(begin, -1, StreamType.MEMORY64_LIST.title(), "its ranges begin inside " + what);
    }
  }

  private void add(long start, FileRange range) {
    if (!range.isEmpty()) {
      last = Math.max(last, range.offset());
      ranges.add(start, range.size(), range.offset());
    }
  }

  /** Ranges whose bytes follow each other from one place on. */
  private int addMemory64() {
    Optional<DumpStream> stream = dump.stream(StreamType.MEMORY64_LIST);
    if (stream.isEmpty()) {
      return 0;
    }
    Bytes bytes = reader.bytes(stream.get());
    Rows rows =
        reader.rows(bytes, stream.get().title(), 16, DESCRIPTOR, bytes.i64(0), MemoryRanges.MOST);
    long offset = bytes.i64(8);
    for (int row = 0; row < rows.count(); row++) {
      long size = bytes.i64(rows.at(row) + 8);
      ranges.add(bytes.i64(rows.at(row)), size, offset);
      // Past the largest file it stays there, whatever is added.
      offset = offset < 0 || size < 0 || offset + size < 0 ? Long.MAX_VALUE : offset + size;
    }
    end = offset;
    if (Long.compareUnsigned(offset, bytes.i64(8)) > 0) {
      checkBegin(bytes.i64(8));
    }
    return rows.count();
  }

  private int addMemory() {
    Optional<DumpStream> stream = dump.stream(StreamType.MEMORY_LIST);
    if (stream.isEmpty()) {
      return 0;
    }
    Bytes bytes = reader.bytes(stream.get());
    long count = bytes.u32(0);
    int first = bytes.length() == 8 + count * DESCRIPTOR ? 8 : 4;
    Rows rows =
        reader.rows(bytes, stream.get().title(), first, DESCRIPTOR, count, MemoryRanges.MOST);
    for (int row = 0; row < rows.count(); row++) {
      int at = rows.at(row);
      ranges.add(bytes.i64(at), bytes.u32(at + 8), bytes.u32(at + 12));
      last = Math.max(last, bytes.u32(at + 12));
    }
    return rows.count();
  }
}

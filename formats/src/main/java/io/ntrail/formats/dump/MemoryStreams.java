package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.DumpReader.Rows;
import java.util.Optional;

/** Collects the memory of a dump: of its two lists, and of the stacks of its threads. */
final class MemoryStreams {
  private static final int DESCRIPTOR = 16;

  private final Minidump dump;
  private final DumpReader reader;
  private final MemoryRanges.Builder ranges;

  MemoryStreams(Minidump dump, InputFile input, DumpReader reader) {
    this.dump = dump;
    this.reader = reader;
    this.ranges = new MemoryRanges.Builder(input);
  }

  MemoryRanges read() {
    reader.reading("Memory64ListStream", 0, this::addMemory64);
    reader.reading("MemoryListStream", 0, this::addMemory);
    for (DumpThread thread : dump.threads()) {
      add(thread.stackStart(), thread.stack());
      add(thread.backingStart(), thread.backingStore());
    }
    return ranges.build(reader);
  }

  private void add(long start, FileRange range) {
    if (!range.isEmpty()) {
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
    }
    return rows.count();
  }
}

package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the directory of a dump, and reports the streams that it hides. */
final class DumpDirectory {
  /** Streams that are read: writers make a dozen. */
  private static final int MOST_STREAMS = 1 << 12;

  /** Bytes of an entry. */
  static final int ENTRY = 12;

  private final InputFile input;
  private final MinidumpHeader header;
  private final DumpReader reader;

  DumpDirectory(InputFile input, MinidumpHeader header, DumpReader reader) {
    this.input = input;
    this.header = header;
    this.reader = reader;
  }

  /** Returns the streams without unused entries, in their order, as far as the file has them. */
  List<DumpStream> read() {
    long there = (input.size() - header.directory()) / ENTRY;
    int count = (int) Math.min(Math.min(header.streams(), there), MOST_STREAMS);
    if (count < header.streams()) {
      reader.gap(
          header.directory() + (long) count * ENTRY,
          -1,
          "directory",
          "it claims " + header.streams() + " streams, of which " + count + " are read");
    }
    Bytes table = input.window(Math.min(header.directory(), input.size()), count * ENTRY);
    List<DumpStream> streams = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      DumpStream claimed = entry(table, i * ENTRY);
      if (claimed.is(StreamType.UNUSED)) {
        continue;
      }
      long left = Math.max(0, input.size() - claimed.offset());
      if (claimed.size() > left) {
        reader.gap(
            claimed.offset() + left,
            claimed.size() - left,
            claimed.title(),
            "it has " + claimed.size() + " bytes, of which the file has " + left);
      }
      streams.add(
          new DumpStream(claimed.number(), Math.min(claimed.size(), left), claimed.offset()));
    }
    checkRepeats(streams);
    return List.copyOf(streams);
  }

  private static DumpStream entry(Bytes table, int at) {
    return new DumpStream(table.i32(at), table.u32(at + 4), table.u32(at + 8));
  }

  /** Reports streams behind the first one of their kind, which alone is read. */
  private void checkRepeats(List<DumpStream> streams) {
    Map<Integer, DumpStream> firsts = new HashMap<>();
    for (DumpStream stream : streams) {
      if (stream.size() == 0 || StreamType.of(stream.number()).isEmpty()) {
        continue;
      }
      DumpStream first = firsts.putIfAbsent(stream.number(), stream);
      if (first != null && !first.equals(stream)) {
        reader.gap(
            stream.offset(),
            stream.size(),
            stream.title(),
            "a second " + stream.title() + " of " + stream.size() + " bytes is not read");
      }
    }
  }

  /**
   * Reports entries behind those that the header counts. Writers put a stream there; what looks
   * like an entry, and lies in no stream and no memory, shows a count that is too small.
   *
   * @param streams that are counted
   * @param memory of the dump
   */
  void checkEnd(List<DumpStream> streams, MemoryRanges memory) {
    long end = header.directory() + header.streams() * ENTRY;
    int more = 0;
    while (more < MOST_STREAMS && isEntry(end + (long) more * ENTRY, streams)) {
      more++;
    }
    if (more > 0 && !memory.haveByteOfFile(end)) {
      reader.gap(
          end,
          (long) more * ENTRY,
          "directory",
          "it claims %d streams, and entries of %d more follow".formatted(header.streams(), more));
    }
  }

  private boolean isEntry(long at, List<DumpStream> streams) {
    long behind = at + ENTRY;
    if (behind > input.size() || isIn(at, behind, streams)) {
      return false;
    }
    DumpStream entry = entry(input.window(at, ENTRY), 0);
    Optional<StreamType> type = StreamType.of(entry.number());
    long end = entry.offset() + entry.size();
    return type.isPresent()
        && type.get() != StreamType.UNUSED
        && entry.size() > 0
        && entry.offset() >= MinidumpHeader.BYTES
        && end <= input.size()
        && (end <= header.directory() || entry.offset() >= behind)
        && !isIn(entry.offset(), end, streams);
  }

  /** Returns true if a stretch of the file and a stream have bytes in common. */
  private static boolean isIn(long from, long to, List<DumpStream> streams) {
    return streams.stream()
        .anyMatch(stream -> from < stream.offset() + stream.size() && stream.offset() < to);
  }
}

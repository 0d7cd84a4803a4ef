package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Finds the chunks of a file: by its index, or by going from header to header and searching after
 * damage (docs/ntr.md sections 8 and 9).
 */
final class ChunkScanner {
  private static final int WINDOW = 1 << 20;

  /** Receives chunks in the order of the file. */
  interface Visitor {
    /** A chunk that is not one of events, with a right header. */
    void chunk(NtrChunkReader.Header header);

    /** A chunk of events, with a right head. */
    void events(EventChunk head);
  }

  private record IndexPart(NtrChunkReader.Header header, long from, long fromNumber, int entries) {}

  private final InputFile input;
  private final NtrChunkReader reader;
  private final Gaps gaps;
  private final int recording;

  ChunkScanner(InputFile input, NtrChunkReader reader, int recording, Gaps gaps) {
    this.input = input;
    this.reader = reader;
    this.recording = recording;
    this.gaps = gaps;
  }

  /** Returns the first valid header near the start of a file, or null if it is not a recording. */
  static NtrChunkReader.@Nullable Header first(InputFile input, NtrChunkReader reader) {
    int length = (int) Math.min(input.size(), NtrLayout.SEARCHED_AT_START);
    Bytes start = input.window(0, length);
    for (int at = 0; at + NtrLayout.CHUNK_HEADER <= length; at += 8) {
      NtrChunkReader.Header header = reader.header(start, at, at);
      if (header != null) {
        return header;
      }
    }
    return null;
  }

  /** Goes through the file from header to header. */
  void scan(Visitor visitor) {
    long at = 0;
    long last = -1;
    boolean searching = false;
    long from = 0;
    String why = "";
    while (at < input.size()) {
      NtrChunkReader.Header header = right(at, last);
      if (header == null || header.end() > input.size()) {
        if (!searching) {
          searching = true;
          from = at;
          why = header == null ? "no chunk starts here" : "the chunk is truncated";
        }
        at = next(at + 8);
        continue;
      }
      if (searching) {
        gap(from, at - from, "chunks", why);
        searching = false;
      } else if (header.number() != last + 1) {
        gap(at, 0, "chunks", header.number() - last - 1 + " chunks are missing here");
      }
      last = header.number();
      at = header.end();
      visit(header, visitor);
    }
    if (searching) {
      gap(from, input.size() - from, "chunks", why);
    }
  }

  private NtrChunkReader.@Nullable Header right(long at, long last) {
    NtrChunkReader.Header header = reader.header(at);
    return header != null && header.recording() == recording && header.number() > last
        ? header
        : null;
  }

  /** The next offset from here on where a marker is, or the end of the file. */
  private long next(long from) {
    long at = from;
    while (at < input.size()) {
      int length = (int) Math.min(WINDOW, input.size() - at);
      Bytes window = input.window(at, length);
      for (int i = 0; i + 8 <= length; i += 8) {
        if (window.i32(i) == NtrLayout.MARKER) {
          return at + i;
        }
      }
      at += length;
    }
    return input.size();
  }

  private void visit(NtrChunkReader.Header header, Visitor visitor) {
    if (header.kind() != NtrLayout.EVENTS || (header.flags() & ~NtrLayout.ESSENTIAL) != 0) {
      visitor.chunk(header);
      return;
    }
    EventChunk head;
    try {
      head = reader.eventHead(header);
    } catch (DamagedInput e) {
      gap(header.offset(), header.size(), "chunk of events", e.what());
      return;
    }
    visitor.events(head);
  }

  private void gap(long offset, long bytes, String what, String why) {
    gaps.add(new Gap(input.name(), offset, bytes, what, why));
  }

  /**
   * Visits all chunks by the index; returns false if the file does not end in a valid end chunk
   * with indexes that cover it.
   */
  boolean byIndex(Visitor visitor) {
    try {
      Deque<IndexPart> parts = parts();
      if (parts == null) {
        return false;
      }
      // Once to see whether the index can be believed, and once to use it.
      for (IndexPart part : parts) {
        walk(part, null);
      }
      for (IndexPart part : parts) {
        walk(part, visitor);
      }
      return true;
    } catch (DamagedInput e) {
      return false;
    }
  }

  private @Nullable Deque<IndexPart> parts() {
    long endAt = input.size() - NtrLayout.chunkSize(NtrLayout.END_PAYLOAD);
    NtrChunkReader.Header end = right(endAt, -1);
    if (end == null || end.kind() != NtrLayout.END || end.end() != input.size()) {
      return null;
    }
    ColumnReader in =
        new ColumnReader("the end").on(reader.payload(end), 0, 32, input.name(), endAt);
    long indexAt = in.u64();
    if (in.u64() != end.number()) {
      return null;
    }
    in.u64();
    if (in.u64() != input.size()) {
      return null;
    }
    Deque<IndexPart> parts = new ArrayDeque<>();
    long before = endAt;
    long numberBefore = end.number();
    while (true) {
      NtrChunkReader.Header header = indexAt < before ? right(indexAt, -1) : null;
      if (header == null || header.kind() != NtrLayout.INDEX || header.flags() != 0) {
        return null;
      }
      // Behind the last index comes the end; an index in between is covered by the one after it.
      if (parts.isEmpty() && header.end() != endAt || header.payload() < NtrLayout.INDEX_HEAD) {
        return null;
      }
      ColumnReader head =
          new ColumnReader("the index")
              .on(reader.payload(header), 0, header.payload(), input.name(), indexAt);
      long previous = head.u64();
      long from = head.u64();
      long fromNumber = head.u64();
      int entries = head.u32();
      if (head.u32() != 0 || from != previous || from > indexAt || entries < 0) {
        return null;
      }
      if (!parts.isEmpty() && parts.getFirst().from() != indexAt
          || header.number() >= numberBefore) {
        return null;
      }
      if (Long.compareUnsigned(header.number() - fromNumber, entries) != 0) {
        return null;
      }
      parts.addFirst(new IndexPart(header, from, fromNumber, entries));
      before = indexAt;
      numberBefore = header.number();
      indexAt = previous;
      if (indexAt == 0) {
        return from == 0 && fromNumber == 0 ? parts : null;
      }
    }
  }

  /** Goes through the entries of an index; without a visitor only to check them. */
  private void walk(IndexPart part, @Nullable Visitor visitor) {
    NtrChunkReader.Header header = part.header();
    ColumnReader in =
        new ColumnReader("the index")
            .on(reader.payload(header), 0, header.payload(), input.name(), header.offset());
    in.skipTo(NtrLayout.INDEX_HEAD);
    long at = part.from();
    for (int i = 0; i < part.entries(); i++) {
      long kind = in.var();
      int length = in.bounded(NtrLayout.MAX_PAYLOAD, "bytes of a chunk");
      long number = part.fromNumber() + i;
      EventChunk head = null;
      if (kind == NtrLayout.EVENTS) {
        head = entry(in, at, length, number);
      }
      if (visitor != null) {
        if (head != null) {
          visitor.events(head);
        } else {
          other(at, length, number, visitor);
        }
      }
      at += NtrLayout.chunkSize(length);
      if (at > header.offset()) {
        throw in.damaged("extends past the end of the file");
      }
    }
    if (at != header.offset() || !in.atEnd()) {
      throw in.damaged("does not cover the file");
    }
  }

  private void other(long at, int length, long number, Visitor visitor) {
    NtrChunkReader.Header header = reader.header(at);
    if (header == null
        || header.recording() != recording
        || header.payload() != length
        || header.number() != number) {
      gap(at, NtrLayout.chunkSize(length), "chunk", "its header is damaged");
    } else {
      visitor.chunk(header);
    }
  }

  private static EventChunk entry(ColumnReader in, long at, int length, long number) {
    long thread = in.var();
    long sequence = in.var();
    long firstEvent = in.var();
    long firstCall = in.var();
    long earliest = in.var();
    long latest = in.var() + earliest;
    EventChunk head =
        new EventChunk(
            at,
            length,
            number,
            thread,
            sequence,
            firstEvent,
            firstCall,
            earliest,
            latest,
            in.var(),
            in.var32("number of events"),
            in.var32("number of calls"),
            in.var32("number of frames"),
            in.var32("number of frames"),
            in.var32("number of frames"),
            in.var32("flags"));
    NtrChunkReader.checkHead(head, in);
    if (length < NtrLayout.EVENT_HEAD) {
      throw in.damaged("has a chunk of events without a head");
    }
    return head;
  }
}

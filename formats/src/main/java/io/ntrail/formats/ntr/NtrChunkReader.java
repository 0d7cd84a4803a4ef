package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads chunks and checks their headers and checksums (docs/ntr.md sections 2 and 5). */
final class NtrChunkReader {
  /**
   * A header whose checksum is right.
   *
   * @param offset where it is
   * @param recording the id of the recording that it belongs to
   */
  record Header(
      long offset, int kind, int flags, int payload, int checksum, long number, int recording) {
    long size() {
      return NtrLayout.chunkSize(payload);
    }

    long end() {
      return offset + size();
    }

    boolean essential() {
      return (flags & NtrLayout.ESSENTIAL) != 0;
    }
  }

  private final InputFile input;
  private final CRC32C crc = new CRC32C();
  private final byte[] small = new byte[NtrLayout.EVENT_HEAD];
  private byte[] payload = {};

  NtrChunkReader(InputFile input) {
    this.input = input;
  }

  /** The header at an offset, or null if there is none that is right. */
  @Nullable Header header(long offset) {
    if (offset < 0 || offset > input.size() - NtrLayout.CHUNK_HEADER) {
      return null;
    }
    return header(input.window(offset, NtrLayout.CHUNK_HEADER), 0, offset);
  }

  /** The header at {@code at} of a window, or null if there is none that is right. */
  @Nullable Header header(Bytes bytes, int at, long offset) {
    if (bytes.i32(at) != NtrLayout.MARKER) {
      return null;
    }
    bytes.copyTo(at, small, 0, 28);
    int length = bytes.i32(at + 8);
    if (checksum(small, 0, 28) != bytes.i32(at + 28)
        || length < 0
        || length > NtrLayout.MAX_PAYLOAD) {
      return null;
    }
    return new Header(
        offset,
        bytes.u16(at + 4),
        bytes.u16(at + 6),
        length,
        bytes.i32(at + 12),
        bytes.i64(at + 16),
        bytes.i32(at + 24));
  }

  /**
   * Copies the payload of a chunk.
   *
   * @return an array that is used again by the next call
   * @throws DamagedInput if it is outside the file or its checksum is wrong
   */
  byte[] payload(Header header) {
    int length = (int) (header.size() - NtrLayout.CHUNK_HEADER);
    Bytes bytes = input.window(header.offset() + NtrLayout.CHUNK_HEADER, length);
    if (payload.length < length + ColumnReader.ROOM) {
      payload = new byte[length + ColumnReader.ROOM];
    }
    bytes.copyTo(0, payload, 0, length);
    if (checksum(payload, 0, length) != header.checksum()) {
      throw new DamagedInput(input.name(), header.offset(), "its checksum is wrong");
    }
    return payload;
  }

  /**
   * Reads the head of a chunk of events.
   *
   * @throws DamagedInput if its checksum is wrong or its values are impossible
   */
  EventChunk eventHead(Header header) {
    if (header.payload() < NtrLayout.EVENT_HEAD) {
      throw new DamagedInput(input.name(), header.offset(), "it is shorter than its head");
    }
    input
        .window(header.offset() + NtrLayout.CHUNK_HEADER, NtrLayout.EVENT_HEAD)
        .copyTo(0, small, 0, NtrLayout.EVENT_HEAD);
    ColumnReader in =
        new ColumnReader("its head")
            .on(small, 0, NtrLayout.EVENT_HEAD, input.name(), header.offset());
    in.skipTo(NtrLayout.HEAD_CHECKSUM);
    if (checksum(small, 0, NtrLayout.HEAD_CHECKSUM) != in.u32()) {
      throw in.damaged("has a wrong checksum");
    }
    in.skipTo(0);
    return eventHead(in, header.offset(), header.payload(), header.number());
  }

  static EventChunk eventHead(ColumnReader in, long offset, int payload, long number) {
    long thread = in.u64();
    long sequence = in.u64();
    long firstEvent = in.u64();
    long firstCall = in.u64();
    long earliest = in.u64();
    long latest = in.u64();
    long lost = in.u64();
    int events = in.u32();
    in.u32();
    EventChunk head =
        new EventChunk(
            offset,
            payload,
            number,
            thread,
            sequence,
            firstEvent,
            firstCall,
            earliest,
            latest,
            lost,
            events,
            in.u32(),
            in.u32(),
            in.u32(),
            in.u32(),
            in.u32());
    checkHead(head, in);
    return head;
  }

  /** Refuses a head that cannot be. */
  static void checkHead(EventChunk head, ColumnReader in) {
    if (head.events() < 0 || head.events() > NtrLayout.MAX_EVENTS) {
      throw in.damaged("claims " + Integer.toUnsignedString(head.events()) + " events");
    }
    if (head.flags() != 0 && head.flags() != NtrLayout.OPEN_INCOMPLETE) {
      throw in.damaged("has unknown flags: " + head.flags());
    }
  }

  private int checksum(byte[] bytes, int from, int length) {
    crc.reset();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }
}

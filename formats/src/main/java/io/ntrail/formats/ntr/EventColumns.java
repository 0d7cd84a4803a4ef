package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Columns of one chunk of events, inflated where they are compressed (docs/ntr.md section 6). Keeps
 * its memory from chunk to chunk; {@link #close} frees that of the inflater.
 */
final class EventColumns implements AutoCloseable {
  private static final String[] NAMES = {
    "the open frames",
    "the operations",
    "the times",
    "the references",
    "the sites",
    "the values",
    "the other events"
  };

  private final InputFile input;
  private final int recording;
  private final NtrChunkReader reader;
  private final byte[][] inflated = new byte[NtrLayout.COLUMNS][0];
  private final ColumnReader[] columns = new ColumnReader[NtrLayout.COLUMNS];
  private @Nullable Inflater inflater;

  /** Bytes with the operations, two in a byte, from {@link #operationsFrom} on. */
  byte[] operations = {};

  int operationsFrom;
  int operationCount;

  EventColumns(InputFile input, int recording) {
    this.input = input;
    this.recording = recording;
    this.reader = new NtrChunkReader(input);
    for (int i = 0; i < columns.length; i++) {
      columns[i] = new ColumnReader(NAMES[i]);
    }
  }

  /** Returns the reader of a column. */
  ColumnReader get(int column) {
    return columns[column];
  }

  /**
   * Reads the payload of a chunk.
   *
   * @throws DamagedInput if it or its header is damaged
   */
  byte[] payload(EventChunk in) {
    NtrChunkReader.Header header = reader.header(in.offset());
    if (header == null
        || header.recording() != recording
        || header.number() != in.number()
        || header.payload() != in.payload()
        || header.kind() != NtrLayout.EVENTS) {
      throw new DamagedInput(input.name(), in.offset(), "its header is damaged");
    }
    if (header.flags() != NtrLayout.ESSENTIAL && header.flags() != 0) {
      throw new DamagedInput(input.name(), in.offset(), "its flags are " + header.flags());
    }
    byte[] payload = reader.payload(header);
    if (!reader.eventHead(header).equals(in)) {
      throw new DamagedInput(input.name(), in.offset(), "its head differs from the index");
    }
    return payload;
  }

  /** Returns a chunk that is damaged as what could not be read. */
  Gap gap(EventChunk in, DamagedInput why) {
    return new Gap(input.name(), in.offset(), in.size(), "chunk of events", why.what());
  }

  /**
   * Sets the columns to those of a chunk.
   *
   * @throws DamagedInput if they are damaged
   */
  void open(EventChunk in, byte[] payload) {
    ColumnReader head =
        new ColumnReader("the head")
            .on(payload, 60, NtrLayout.EVENT_HEAD - 60, input.name(), in.offset());
    operationCount = head.u32();
    head.skipTo(NtrLayout.HEAD_COLUMNS);
    long at = NtrLayout.EVENT_HEAD;
    int all = 0;
    for (int i = 0; i < columns.length; i++) {
      int stored = head.u32();
      int plain = head.u32();
      if (stored < 0
          || stored > plain
          || plain > NtrLayout.MAX_PLAIN - all
          || at + stored > in.payload()) {
        throw head.damaged("has a column of %d and %d bytes".formatted(stored, plain));
      }
      byte[] bytes = payload;
      int from = (int) at;
      if (stored < plain) {
        bytes = inflate(i, payload, from, stored, plain);
        from = 0;
      }
      columns[i].on(bytes, from, plain, input.name(), in.offset());
      if (i == NtrLayout.OPERATIONS) {
        operations = bytes;
        operationsFrom = from;
        if (operationCount < 0 || (operationCount + 1L) / 2 != plain) {
          throw head.damaged("claims " + Integer.toUnsignedString(operationCount) + " operations");
        }
      }
      at += stored;
      all += plain;
    }
    if (at != in.payload()) {
      throw head.damaged("has column sizes that do not add up to the chunk");
    }
  }

  private byte[] inflate(int column, byte[] payload, int from, int stored, int plain) {
    if (inflater == null) {
      inflater = new Inflater(true);
    }
    if (inflated[column].length < plain + ColumnReader.ROOM) {
      inflated[column] = new byte[plain + ColumnReader.ROOM];
    }
    Inflater unpack = inflater;
    unpack.reset();
    unpack.setInput(payload, from, stored);
    try {
      int got = unpack.inflate(inflated[column], 0, plain);
      // The end of the stream shows only when more is requested.
      if (got == plain && !unpack.finished() && unpack.inflate(new byte[1]) != 0) {
        got++;
      }
      if (got != plain || !unpack.finished() || unpack.getRemaining() != 0) {
        throw columns[column].damaged("do not decompress to the stored size");
      }
    } catch (DataFormatException e) {
      throw columns[column].damaged("cannot be decompressed: " + e.getMessage());
    }
    return inflated[column];
  }

  @Override
  public void close() {
    if (inflater != null) {
      inflater.end();
    }
  }
}

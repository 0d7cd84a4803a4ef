package io.ntrail.formats.cab;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.cab.CabinetFolder.Piece;
import java.util.Optional;

/** Unpacks a folder from its beginning, block by block. */
final class FolderReader implements AutoCloseable {
  private static final int HEADER = 8;

  private final CabinetFolder folder;
  private final Unpacker unpacker;
  private final byte[] packed = new byte[0xFFFF];
  private final byte[] block = new byte[Unpacker.BLOCK];

  private int piece;
  private int blocksDone;
  private long at;

  /** Number of bytes of the folder before {@link #block}. */
  private long before;

  private int size;

  /** The damage that was met; nothing after it can be read. */
  private Optional<DamagedInput> damage = Optional.empty();

  private boolean closed;

  FolderReader(CabinetFolder folder) {
    this.folder = folder;
    this.unpacker = folder.unpacker();
    this.at = folder.pieces().getFirst().at();
  }

  /** Returns the number of bytes of the folder before the current block. */
  long before() {
    return before;
  }

  /**
   * Copies bytes of the folder.
   *
   * @param from their offset in the folder; never before {@link #before}
   * @param most number of bytes wanted, at least 1
   * @return number of bytes copied, at least 1
   * @throws DamagedInput if there are none or they cannot be read
   */
  int read(long from, byte[] target, int to, int most) {
    if (closed || from < before) {
      throw new IllegalStateException("another file of the cabinet was opened, or it was closed");
    }
    while (from >= before + size) {
      next();
    }
    int skip = (int) (from - before);
    int count = Math.min(most, size - skip);
    System.arraycopy(block, skip, target, to, count);
    return count;
  }

  private void next() {
    if (damage.isPresent()) {
      throw damage.get();
    }
    before += size;
    size = 0;
    try {
      size = unpack();
    } catch (DamagedInput e) {
      damage = Optional.of(e);
      throw e;
    }
  }

  /** Unpacks the next block, whose compressed bytes may be in two cabinets or more. */
  private int unpack() {
    Piece first = piece();
    long start = at;
    int length = 0;
    while (true) {
      Piece part = piece();
      Bytes header = part.input().window(at, HEADER + part.reserve());
      int packedHere = header.u16(4);
      int whole = header.u16(6);
      long data = at + HEADER + part.reserve();
      Bytes bytes = part.input().window(data, packedHere);
      check(header, bytes, part);
      if (packedHere > packed.length - length) {
        throw damaged(part, at, "the parts of a block exceed the largest block size");
      }
      bytes.copyTo(0, packed, length, packedHere);
      length += packedHere;
      at = data + packedHere;
      blocksDone++;
      if (whole > Unpacker.BLOCK) {
        throw damaged(first, start, "a block claims " + whole + " bytes");
      }
      // A block without bytes continues in the next cabinet.
      if (whole > 0) {
        try {
          unpacker.unpack(packed, length, block, whole);
        } catch (DamagedBlock e) {
          throw damaged(first, start, e.why());
        }
        return whole;
      }
      if (blocksDone < part.blocks()) {
        throw damaged(part, start, "a block is empty");
      }
    }
  }

  /** The cabinet that the next block is in. */
  private Piece piece() {
    Piece now = folder.pieces().get(piece);
    while (blocksDone >= now.blocks()) {
      if (piece + 1 == folder.pieces().size()) {
        String where =
            folder.lackingBehind().isEmpty() ? "" : ": it continues in " + folder.lackingBehind();
        throw damaged(now, at, "the compressed data is truncated" + where);
      }
      now = folder.pieces().get(++piece);
      blocksDone = 0;
      at = now.at();
    }
    return now;
  }

  private void check(Bytes header, Bytes data, Piece part) {
    int told = header.i32(0);
    if (told == 0) {
      return;
    }
    int sum = checksum(header, 4, header.length(), checksum(data, 0, data.length(), 0));
    if (sum != told) {
      throw damaged(part, at, "the checksum of a block is %08x, not %08x".formatted(sum, told));
    }
  }

  /** CSUMCompute of MS-CAB: the last bytes of a stretch are in reverse order. */
  private static int checksum(Bytes bytes, int from, int to, int seed) {
    int sum = seed;
    int at = from;
    for (; at + 4 <= to; at += 4) {
      sum ^= bytes.i32(at);
    }
    int rest = 0;
    for (; at < to; at++) {
      rest = rest << 8 | bytes.u8(at);
    }
    return sum ^ rest;
  }

  private static DamagedInput damaged(Piece part, long at, String why) {
    return new DamagedInput(part.input().name(), at, why);
  }

  @Override
  public void close() {
    closed = true;
    unpacker.close();
  }
}

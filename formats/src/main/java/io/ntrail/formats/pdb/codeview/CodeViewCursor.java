package io.ntrail.formats.pdb.codeview;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.msf.MsfStream;

/**
 * Walks records of symbols or types, which have the same shape, as a flyweight: it is the record it
 * is on. A record is {@code u16 length}, {@code u16 kind} and a body; the length counts what
 * follows it. Reads the stream in pieces that grow from 4 to 256 KiB. For one thread.
 */
public final class CodeViewCursor {
  private static final int FIRST_PIECE = 4 << 10;
  private static final int LAST_PIECE = 256 << 10;
  private static final int HEAD = 4;

  /** Bytes of a record alone that are read with its head: most records are not longer. */
  private static final int ONE_RECORD = 256;

  private static final Bytes NOTHING = Bytes.copyOf(new byte[0], "nothing");

  private final MsfStream stream;
  private final long end;

  private Bytes piece;
  private long pieceAt;
  private int pieceBytes = FIRST_PIECE;
  private long next;
  private long offset;
  private int body;
  private int bodyLength;
  private int kind;

  /**
   * Starts before the first record of a range.
   *
   * @param begin offset of the first record in the stream
   * @param end end of the last one, clipped to the stream
   */
  public CodeViewCursor(MsfStream stream, long begin, long end) {
    this.stream = stream;
    this.end = Math.min(end, stream.length());
    this.next = begin;
    this.piece = NOTHING;
  }

  /**
   * One record alone, of which nothing around is read.
   *
   * @throws DamagedInput if there is none
   */
  public static CodeViewCursor at(MsfStream stream, long offset) {
    Bytes head = stream.window(offset, 2, ONE_RECORD);
    CodeViewCursor cursor = new CodeViewCursor(stream, offset, offset + 2 + head.u16(0));
    cursor.piece = head;
    cursor.pieceAt = offset;
    if (!cursor.next()) {
      throw new DamagedInput(stream.name(), stream.fileOffset(offset), "no record at this offset");
    }
    return cursor;
  }

  /**
   * Goes to the next record.
   *
   * @return false after the last one
   * @throws DamagedInput if there are bytes, but no record
   */
  public boolean next() {
    if (next > end - HEAD) {
      return false;
    }
    need(HEAD);
    int at = (int) (next - pieceAt);
    int length = piece.u16(at);
    if (length < 2 || length > end - next - 2) {
      throw new DamagedInput(
          stream.name(),
          stream.fileOffset(next),
          "a record of " + length + " bytes, but only " + (end - next - 2) + " are left");
    }
    need(2 + length);
    at = (int) (next - pieceAt);
    kind = piece.u16(at + 2);
    offset = next;
    body = at + HEAD;
    bodyLength = length - 2;
    next += 2 + length;
    return true;
  }

  private void need(int bytes) {
    if (next < pieceAt || next + bytes > pieceAt + piece.length()) {
      piece = stream.window(next, (int) Math.min(Math.max(pieceBytes, bytes), end - next));
      pieceBytes = Math.min(LAST_PIECE, 2 * pieceBytes);
      pieceAt = next;
    }
  }

  /**
   * Makes {@link #next} go to another record, further on.
   *
   * @throws DamagedInput if it is not: a walk always ends
   */
  public void skipTo(long record) {
    if (record < next) {
      throw new DamagedInput(
          stream.name(), stream.fileOffset(offset), "a scope that ends before it starts");
    }
    next = record;
  }

  /** Returns the offset of the record in the stream. */
  public long offset() {
    return offset;
  }

  /** Returns the kind: one of {@link SymbolKind} or another number. */
  public int kind() {
    return kind;
  }

  /** Returns the number of bytes after the kind. */
  public int length() {
    return bodyLength;
  }

  /** Returns the bytes after the kind. */
  public Bytes body() {
    return piece.slice(body, bodyLength);
  }

  /** Unsigned byte of the body. */
  public int u8(int at) {
    inside(at, 1);
    return piece.u8(body + at);
  }

  /** Unsigned 16-bit number of the body. */
  public int u16(int at) {
    inside(at, 2);
    return piece.u16(body + at);
  }

  /** Signed 32-bit number of the body. */
  public int i32(int at) {
    inside(at, 4);
    return piece.i32(body + at);
  }

  /** Unsigned 32-bit number of the body. */
  public long u32(int at) {
    return i32(at) & 0xFFFF_FFFFL;
  }

  /** The text from an offset of the body up to a NUL or the end of the record. */
  public String text(int at) {
    inside(at, 0);
    return piece.utf8z(body + at, body + bodyLength);
  }

  private void inside(int at, int bytes) {
    if (at < 0 || at > bodyLength - bytes) {
      throw new DamagedInput(
          stream.name(),
          stream.fileOffset(offset),
          "a record of kind %04Xh with %d bytes, which needs %d"
              .formatted(kind, bodyLength, at + bytes));
    }
  }
}

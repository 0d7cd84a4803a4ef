package io.ntrail.analysis.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Memory that the arguments of an entry pointed to, as far as it was recorded. Immutable.
 *
 * <p>Source: events of kind 12 (docs/ntr.md section 5).
 */
public final class ArgumentMemory {
  /** No memory. */
  public static final ArgumentMemory NONE = new ArgumentMemory(List.of());

  private static final byte[] NOTHING = {};

  private final List<Piece> pieces;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Piece(long address, byte[] bytes) {}

  private ArgumentMemory(List<Piece> pieces) {
    this.pieces = pieces;
  }

  /** Returns bytes at an address, fewer if not all were recorded. */
  public byte[] read(long address, int length) {
    byte[] most = NOTHING;
    for (Piece piece : pieces) {
      long from = address - piece.address;
      if (from >= 0 && from < piece.bytes.length) {
        int end = (int) Math.min(piece.bytes.length, from + length);
        if (end - (int) from > most.length) {
          most = Arrays.copyOfRange(piece.bytes, (int) from, end);
        }
      }
    }
    return most;
  }

  /**
   * Memory on its way to the entry that follows it. What lies in front of another event, as the
   * entry was lost, is none of that event's.
   */
  public static final class Collector {
    /** A recorder copies less than 1 KiB of a call. */
    private static final int MOST_BYTES = 1 << 12;

    private static final int MOST_PIECES = 1 << 8;

    private List<Piece> pieces = new ArrayList<>();
    private int bytes;
    private long ticks;
    private long key;

    /** Nothing was added yet. */
    public Collector() {}

    /**
     * Adds memory; beyond a limit nothing is added.
     *
     * @param itsTicks of the event, as the entry has them
     * @param itsKey of the event, as the entry has it
     * @param values further values of the event: how many bytes, then these, eight in a value
     */
    public void add(long itsTicks, long itsKey, long address, long[] values) {
      if (!isOf(itsTicks, itsKey)) {
        clear();
        ticks = itsTicks;
        key = itsKey;
      }
      byte[] more = bytes(values);
      if (more.length > MOST_BYTES - bytes || pieces.size() >= MOST_PIECES) {
        return;
      }
      bytes += more.length;
      Piece last = pieces.isEmpty() ? null : pieces.getLast();
      if (last != null && last.address + last.bytes.length == address) {
        byte[] joined = Arrays.copyOf(last.bytes, last.bytes.length + more.length);
        System.arraycopy(more, 0, joined, last.bytes.length, more.length);
        pieces.set(pieces.size() - 1, new Piece(last.address, joined));
      } else {
        pieces.add(new Piece(address, more));
      }
    }

    /** Returns the bytes of an event; none if it has not as many as it says. */
    private static byte[] bytes(long[] values) {
      long length = values.length == 0 ? 0 : values[0];
      if (length < 0 || length > (values.length - 1L) * Long.BYTES) {
        return NOTHING;
      }
      byte[] bytes = new byte[(int) length];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (values[1 + i / Long.BYTES] >>> 8 * (i % Long.BYTES));
      }
      return bytes;
    }

    private boolean isOf(long itsTicks, long itsKey) {
      return ticks == itsTicks && key == itsKey;
    }

    private void clear() {
      if (!pieces.isEmpty()) {
        pieces = new ArrayList<>();
        bytes = 0;
      }
    }

    /** Returns the memory of an event, and forgets it. */
    public ArgumentMemory take(long itsTicks, long itsKey) {
      if (pieces.isEmpty()) {
        return NONE;
      }
      ArgumentMemory memory = isOf(itsTicks, itsKey) ? new ArgumentMemory(pieces) : NONE;
      clear();
      return memory;
    }
  }
}

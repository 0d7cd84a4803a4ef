package io.ntrail.formats.pdb.codeview;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The stream of types or of items (TPI, IPI; HDR of tpi.h): records that are named by their number,
 * the first one usually 1000h. Where a record is, is looked up in a table of the hash stream that
 * has a place every few kilobytes; without it all records are walked once.
 */
public final class TypeTable {
  private static final int HEADER = 56;
  private static final int EVERY = 64;
  private static final int PLACE = 8;

  /** Versions of Visual C++ 4, 4.1, 5 (two), 7 and 8, which all later tools write (TPIIMPV). */
  private static final Set<Long> VERSIONS =
      Set.of(19950410L, 19951122L, 19960307L, 19961031L, 19990903L, 20040203L);

  /** A table without records. */
  public static final TypeTable EMPTY =
      new TypeTable(MsfStream.EMPTY, 0, 0, Bytes.copyOf(new byte[0], "no types"));

  /**
   * A record.
   *
   * @param leaf its kind (LEAF_ENUM_e)
   * @param body the bytes after the leaf
   */
  public record TypeRecord(int leaf, Bytes body) {}

  private final MsfStream records;
  private final long first;
  private final long end;

  /** Pairs of a number and the offset of its record, in ascending order. */
  private final Bytes places;

  private TypeTable(MsfStream records, long first, long end, Bytes places) {
    this.records = records;
    this.first = first;
    this.end = end;
    this.places = places;
  }

  /** The number of the stream with the hash, -1 if there is none. */
  public static int hashStream(MsfStream stream) {
    int number = stream.length() < HEADER ? 0xFFFF : stream.u16(20);
    return number == 0xFFFF ? -1 : number;
  }

  /**
   * Reads the header.
   *
   * @param hash the stream that {@link #hashStream} names, if there is one
   * @throws DamagedInput if it is none, or if the records are not there
   */
  public static TypeTable read(MsfStream stream, Optional<MsfStream> hash) {
    if (stream.length() == 0) {
      return EMPTY;
    }
    Bytes header = stream.window(0, HEADER);
    long first = header.u32(8);
    long end = header.u32(12);
    if (!VERSIONS.contains(header.u32(0))) {
      throw new DamagedInput(
          stream.name(), stream.fileOffset(0), "types of version " + header.u32(0));
    }
    MsfStream records = stream.part(header.u32(4), header.u32(16));
    // The shortest record has four bytes.
    boolean isWrong = end < first || end - first > records.length() / 4;
    if (isWrong || end == first && records.length() > 0) {
      throw new DamagedInput(
          stream.name(),
          stream.fileOffset(8),
          "types from %d to %d in %d bytes".formatted(first, end, records.length()));
    }
    long at = header.u32(40);
    long size = header.u32(44);
    if (hash.isPresent() && size >= PLACE && hash.get().has(at, size) && size < 1 << 30) {
      Bytes places = hash.get().window(at, (int) size);
      if (isInOrder(places, first)) {
        return new TypeTable(records, first, end, places);
      }
    }
    return new TypeTable(records, first, end, walked(records, first));
  }

  /** Returns true if places begin with that of the first record and ascend. */
  private static boolean isInOrder(Bytes places, long first) {
    if (places.u32(0) != first || places.u32(4) != 0) {
      return false;
    }
    for (int at = PLACE; places.has(at, PLACE); at += PLACE) {
      if (places.u32(at) <= places.u32(at - PLACE)
          || places.u32(at + 4) <= places.u32(at + 4 - PLACE)) {
        return false;
      }
    }
    return true;
  }

  private static Bytes walked(MsfStream records, long first) {
    List<long[]> found = new ArrayList<>();
    CodeViewCursor cursor = new CodeViewCursor(records, 0, records.length());
    for (long number = first; cursor.next(); number++) {
      if ((number - first) % EVERY == 0) {
        found.add(new long[] {number, cursor.offset()});
      }
    }
    byte[] table = new byte[found.size() * PLACE];
    for (int i = 0; i < found.size(); i++) {
      for (int k = 0; k < PLACE; k++) {
        table[PLACE * i + k] = (byte) (found.get(i)[k / 4] >> 8 * (k % 4));
      }
    }
    return Bytes.copyOf(table, records.name());
  }

  /** The number of the first record. */
  public long first() {
    return first;
  }

  /** Returns the number after the last record. */
  public long end() {
    return end;
  }

  /**
   * A record by its number; empty if there is none.
   *
   * @throws DamagedInput if it cannot be reached
   */
  public Optional<TypeRecord> type(long number) {
    if (number < first || number >= end) {
      return Optional.empty();
    }
    int last = Search.last(0, places.length() / PLACE, i -> places.u32(PLACE * i) <= number);
    if (last >= 0) {
      CodeViewCursor cursor =
          new CodeViewCursor(records, places.u32(PLACE * last + 4), records.length());
      for (long at = places.u32(PLACE * last); cursor.next(); at++) {
        if (at == number) {
          return Optional.of(new TypeRecord(cursor.kind(), cursor.body()));
        }
      }
    }
    throw new DamagedInput(
        records.name(),
        records.fileOffset(records.length()),
        "the records end before that of type %Xh".formatted(number));
  }
}

package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.codeview.CodeViewCursor;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A hash of symbols by name (GSI1 of gsi.cpp): {@code u32 -1}, {@code u32 version}, the sizes of
 * two tables, records of {@code u32 offset + 1} and {@code u32 references} grouped by bucket, one
 * bit per bucket for the non-empty ones, and for each of those the start of its records, times 12.
 */
final class SymbolHash {
  private static final int HEADER = 16;
  private static final int RECORD = 8;
  private static final long VERSION = 0xEFFE_0000L + 19990810;
  private static final int BUCKETS = 4096;
  private static final int BUCKETS_OF_MINIMAL = 0x3_FFFF;

  /** Starts of buckets count records of 12 bytes, as the linker has them in memory. */
  private static final int START_UNIT = 12;

  private final MsfStream entries;
  private final MsfStream symbols;
  private final Bytes present;
  private final MsfStream starts;
  private final int buckets;
  private final int count;

  private SymbolHash(
      MsfStream entries, MsfStream symbols, Bytes present, MsfStream starts, int buckets) {
    this.entries = entries;
    this.symbols = symbols;
    this.present = present;
    this.starts = starts;
    this.buckets = buckets;
    this.count = (int) (entries.length() / RECORD);
  }

  /**
   * Reads the header.
   *
   * @param table the hash, of which nothing follows
   * @param symbols the stream of the records
   * @param minimal whether the PDB is of /DEBUG:FASTLINK
   * @throws DamagedInput if it is none
   */
  static SymbolHash read(MsfStream table, MsfStream symbols, boolean minimal) {
    if (table.length() == 0) {
      return new SymbolHash(
          table.part(0, 0), symbols, Bytes.copyOf(new byte[0], ""), table.part(0, 0), BUCKETS);
    }
    if (table.i32(0) != -1 || table.u32(4) != VERSION) {
      throw new DamagedInput(table.name(), table.fileOffset(0), "not a symbol hash table");
    }
    long bytes = table.u32(8);
    if (bytes > table.length() - HEADER || bytes / RECORD > Integer.MAX_VALUE) {
      throw new DamagedInput(
          table.name(), table.fileOffset(8), "a hash of " + bytes + " bytes of records");
    }
    int buckets = minimal ? BUCKETS_OF_MINIMAL : BUCKETS;
    long bitmap = HEADER + bytes;
    int bitmapBytes = (buckets + 1 + 31) / 32 * 4;
    bitmapBytes = (int) Math.min(bitmapBytes, table.length() - bitmap);
    long starts = bitmap + bitmapBytes;
    return new SymbolHash(
        table.part(HEADER, bytes),
        symbols,
        table.window(bitmap, bitmapBytes),
        table.part(starts, table.length() - starts),
        buckets);
  }

  /** Returns the number of symbols. */
  int count() {
    return count;
  }

  /** One of them by its place in the hash. */
  Symbol get(int index) {
    long offset = entries.u32((long) index * RECORD) - 1;
    return Symbol.of(CodeViewCursor.at(symbols, offset));
  }

  /** Returns the symbols in the bucket of a name; few of them have exactly that name. */
  List<Symbol> bucket(String name) {
    int bucket = (int) (hash(name) % buckets);
    if (bucket / 8 >= present.length() || (present.u8(bucket / 8) >> bucket % 8 & 1) == 0) {
      return List.of();
    }
    int rank = 0;
    for (int i = 0; i < bucket / 8; i++) {
      rank += Integer.bitCount(present.u8(i));
    }
    rank += Integer.bitCount(present.u8(bucket / 8) & (1 << bucket % 8) - 1);
    long begin = starts.u32(4L * rank) / START_UNIT;
    long end = starts.has(4L * rank + 4, 4) ? starts.u32(4L * rank + 4) / START_UNIT : count;
    List<Symbol> found = new ArrayList<>();
    for (long i = begin; i < Math.min(end, count); i++) {
      found.add(get((int) i));
    }
    return found;
  }

  /** LHashPbCb of misc.h: blind to the case of ASCII letters. */
  private static long hash(String name) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    int hash = 0;
    int at = 0;
    for (; at + 4 <= text.length; at += 4) {
      hash ^=
          text[at] & 0xFF
              | (text[at + 1] & 0xFF) << 8
              | (text[at + 2] & 0xFF) << 16
              | text[at + 3] << 24;
    }
    if (at + 2 <= text.length) {
      hash ^= text[at] & 0xFF | (text[at + 1] & 0xFF) << 8;
      at += 2;
    }
    if (at < text.length) {
      hash ^= text[at] & 0xFF;
    }
    hash |= 0x2020_2020;
    hash ^= hash >>> 11;
    hash ^= hash >>> 16;
    return hash & 0xFFFF_FFFFL;
  }
}

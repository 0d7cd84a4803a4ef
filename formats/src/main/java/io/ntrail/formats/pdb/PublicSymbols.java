package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pdb.codeview.CodeViewCursor;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.formats.pdb.codeview.Symbol.Public;
import io.ntrail.formats.pdb.codeview.SymbolKind;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The public symbols: decorated names with addresses and no lengths. A stripped PDB has hardly
 * anything else.
 *
 * <p>The stream of the publics (PSGSIHDR of gsi.h) has a hash by name and the offsets of all
 * records sorted by address, so that a name or an address costs a search and no list.
 */
public final class PublicSymbols {
  private static final int HEADER = 28;

  /** Bytes of a thunk of incremental linking in its map. */
  private static final long THUNK = 4;

  /** Bytes of a section that has thunks in their map. */
  private static final long SECTION = 8;

  /** Order of preference among names of one address: a function, then the shortest one. */
  private static final Comparator<Public> BEST = PublicSymbols::byPreference;

  private static int byPreference(Public a, Public b) {
    int byKind = Boolean.compare(b.isFunction(), a.isFunction());
    int byCode = byKind != 0 ? byKind : Boolean.compare(b.isCode(), a.isCode());
    int byLength = byCode != 0 ? byCode : Integer.compare(a.name().length(), b.name().length());
    return byLength != 0 ? byLength : a.name().compareTo(b.name());
  }

  private final MsfStream symbols;
  private final Offsets offsets;
  private final Optional<SymbolHash> hash;

  /** Offsets of records in the order of addresses. */
  private interface Offsets {
    int count();

    long get(int index);
  }

  private record Stored(MsfStream map, int count) implements Offsets {
    @Override
    public long get(int index) {
      return map.u32(4L * index);
    }
  }

  private static final class Sorted implements Offsets {
    private final int[] offsets;

    Sorted(int[] offsets) {
      this.offsets = offsets;
    }

    @Override
    public int count() {
      return offsets.length;
    }

    @Override
    public long get(int index) {
      return offsets[index] & 0xFFFF_FFFFL;
    }
  }

  private PublicSymbols(MsfStream symbols, Offsets offsets, Optional<SymbolHash> hash) {
    this.symbols = symbols;
    this.offsets = offsets;
    this.hash = hash;
  }

  /**
   * Reads the header.
   *
   * @param stream of the publics
   * @param symbols the stream of the records
   * @throws DamagedInput if it is none
   */
  static PublicSymbols read(MsfStream stream, MsfStream symbols, boolean minimal) {
    if (stream.length() == 0) {
      return scanned(symbols);
    }
    Bytes header = stream.window(0, HEADER);
    long hashBytes = header.u32(0);
    long mapBytes = header.u32(4);
    if (hashBytes == 0) {
      throw new DamagedInput(
          stream.name(), stream.fileOffset(0), "a stream of public symbols without their hash");
    }
    long rest = stream.length() - HEADER - hashBytes - mapBytes;
    // Old linkers leave out the maps of incremental linking, and the sizes of these may be
    // anything.
    if (rest != 0 && rest != THUNK * header.u32(8) + SECTION * header.u32(24)) {
      throw new DamagedInput(
          stream.name(),
          stream.fileOffset(0),
          "the stream of the publics has %d bytes, its parts %d"
              .formatted(stream.length(), stream.length() - rest));
    }
    SymbolHash hash = SymbolHash.read(stream.part(HEADER, hashBytes), symbols, minimal);
    MsfStream map = stream.part(HEADER + hashBytes, mapBytes);
    int count = (int) Math.min(Integer.MAX_VALUE, mapBytes / 4);
    return new PublicSymbols(symbols, new Stored(map, count), Optional.of(hash));
  }

  /** Finds them all: for PDBs that have records and no stream of publics. */
  static PublicSymbols scanned(MsfStream symbols) {
    record Found(long address, int offset) {}

    List<Found> found = new ArrayList<>();
    CodeViewCursor cursor = new CodeViewCursor(symbols, 0, symbols.length());
    while (cursor.next()) {
      if (cursor.kind() == SymbolKind.S_PUB32) {
        found.add(new Found((long) cursor.u16(8) << 32 | cursor.u32(4), (int) cursor.offset()));
      }
    }
    found.sort(Comparator.comparingLong(Found::address));
    return new PublicSymbols(
        symbols, new Sorted(found.stream().mapToInt(Found::offset).toArray()), Optional.empty());
  }

  /** Returns the number of symbols. */
  public int count() {
    return offsets.count();
  }

  /**
   * One by its place in the order of addresses, from 0.
   *
   * @throws DamagedInput if there is no public symbol
   */
  public Public get(int index) {
    long at = offsets.get(index);
    if (index > 0 && offsets.get(index - 1) == at) {
      throw new DamagedInput(
          symbols.name(),
          symbols.fileOffset(at),
          "the address map of the publics names one record twice");
    }
    if (Symbol.of(CodeViewCursor.at(symbols, at)) instanceof Public symbol) {
      return symbol;
    }
    throw new DamagedInput(
        symbols.name(),
        symbols.fileOffset(at),
        "the address map of the publics refers to another kind of record");
  }

  private long key(int index) {
    CodeViewCursor cursor = CodeViewCursor.at(symbols, offsets.get(index));
    return (long) cursor.u16(8) << 32 | cursor.u32(4);
  }

  /**
   * Returns the symbols at the greatest address of a section that is at or before an offset, the
   * best first.
   */
  public List<Public> atOrBefore(int section, long offset) {
    int last = lastAtOrBefore((long) section << 32 | offset);
    if (last < 0) {
      return List.of();
    }
    Public first = get(last);
    if (first.section() != section) {
      return List.of();
    }
    List<Public> found = new ArrayList<>();
    for (int i = last; i >= 0 && found.size() < 256; i--) {
      Public other = get(i);
      if (other.section() != section || other.offset() != first.offset()) {
        break;
      }
      found.add(other);
    }
    found.sort(BEST);
    return found;
  }

  /** The least offset after another one of a section that has a symbol; -1 if there is none. */
  public long nextAfter(int section, long offset) {
    int next = lastAtOrBefore((long) section << 32 | offset) + 1;
    if (next >= count()) {
      return -1;
    }
    long key = key(next);
    return key >>> 32 == section ? key & 0xFFFF_FFFFL : -1;
  }

  private int lastAtOrBefore(long wanted) {
    return Search.last(0, count(), i -> key(i) <= wanted);
  }

  /** Returns the symbols with exactly this decorated name. */
  public List<Public> named(String name) {
    if (hash.isEmpty()) {
      return IntStream.range(0, count())
          .mapToObj(this::get)
          .filter(symbol -> symbol.name().equals(name))
          .toList();
    }
    return hash.get().bucket(name).stream()
        .filter(Public.class::isInstance)
        .map(Public.class::cast)
        .filter(symbol -> symbol.name().equals(name))
        .toList();
  }
}

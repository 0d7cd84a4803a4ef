package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.DebugDirectory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * FPO_DATA of old images for x86 (debug type {@link DebugDirectory#FPO}, and stream of a PDB):
 * which functions have no frame pointer, and how much they put on the stack. Sixteen bytes each.
 *
 * @param entries by address
 */
public record FpoTable(List<Fpo> entries) {
  private static final int ENTRY = 16;

  /** Kinds of frames. */
  public enum Frame {
    /** Without a frame pointer. */
    FPO,
    /** A trap frame of the kernel. */
    TRAP,
    /** A task state segment. */
    TSS,
    /** With a frame pointer. */
    NON_FPO
  }

  /**
   * One function.
   *
   * @param begin RVA
   * @param size bytes
   * @param locals bytes of its variables
   * @param parameters bytes of its parameters on the stack
   * @param prolog bytes of its prologue
   * @param savedRegisters number of registers it pushes
   * @param hasSeh whether it handles exceptions
   * @param usesEbp whether it uses ebp as an ordinary register, and so saves it
   */
  public record Fpo(
      long begin,
      long size,
      long locals,
      int parameters,
      int prolog,
      int savedRegisters,
      boolean hasSeh,
      boolean usesEbp,
      Frame frame) {
    /** Returns true if an address is in it. */
    public boolean contains(long address) {
      return address >= begin && address < begin + size;
    }
  }

  /** Reads an array; the rest at its end is not an entry. */
  public static FpoTable of(Bytes array) {
    List<Fpo> entries = new ArrayList<>(array.length() / ENTRY);
    for (int at = 0; array.has(at, ENTRY); at += ENTRY) {
      int bits = array.u16(at + 14);
      entries.add(
          new Fpo(
              array.u32(at),
              array.u32(at + 4),
              4 * array.u32(at + 8),
              4 * array.u16(at + 12),
              bits & 0xFF,
              bits >> 8 & 7,
              (bits >> 11 & 1) != 0,
              (bits >> 12 & 1) != 0,
              Frame.values()[bits >> 14]));
    }
    entries.sort(Comparator.comparingLong(Fpo::begin));
    return new FpoTable(List.copyOf(entries));
  }

  /** Returns the function that contains an address. */
  public Optional<Fpo> find(long address) {
    int last = Search.last(0, entries.size(), i -> entries.get(i).begin <= address);
    return last >= 0 && entries.get(last).contains(address)
        ? Optional.of(entries.get(last))
        : Optional.empty();
  }
}

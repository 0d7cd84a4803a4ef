package io.ntrail.formats.pe.handlers;

import io.ntrail.formats.pe.ImageView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Scope table, the data of {@code __C_specific_handler}: the {@code __try} blocks of a function,
 * inner ones first. A count of 32 bits, then four RVAs each.
 *
 * @param rva its RVA
 * @param stored the count as stored
 * @param scopes those that are there
 * @param damage why they are fewer
 */
public record ScopeTable(long rva, long stored, List<Scope> scopes, Optional<String> damage) {
  private static final int ENTRY = 16;

  /** More than any function has. */
  private static final int MOST = 1 << 16;

  /**
   * A {@code __try} block.
   *
   * @param begin its first byte
   * @param end past its last byte
   * @param handler RVA of the filter or of the termination handler; 1: a filter that is always true
   * @param target RVA of the {@code __except} block; 0: it is a {@code __finally}
   */
  public record Scope(long begin, long end, long handler, long target) {
    /** Returns true for a {@code __finally}, false for an {@code __except}. */
    public boolean isFinally() {
      return target == 0;
    }

    /** Returns true if it takes every exception, without a filter. */
    public boolean takesAll() {
      return target != 0 && handler == 1;
    }

    /** Returns true if an address is inside the block. */
    public boolean contains(long address) {
      return address >= begin && address < end;
    }
  }

  /** Reads the table at an RVA; never fails. */
  public static ScopeTable read(ImageView view, long rva) {
    if (!view.has(rva, 4)) {
      return new ScopeTable(rva, 0, List.of(), Optional.of(view.outside(rva, 4).what()));
    }
    long stored = view.u32(rva);
    long room = Math.min(MOST, Math.max(0, view.available(rva + 4)) / ENTRY);
    List<Scope> scopes = new ArrayList<>();
    for (long i = 0; i < Math.min(stored, room); i++) {
      long at = rva + 4 + i * ENTRY;
      scopes.add(new Scope(view.u32(at), view.u32(at + 4), view.u32(at + 8), view.u32(at + 12)));
    }
    return new ScopeTable(
        rva,
        stored,
        List.copyOf(scopes),
        stored > room
            ? Optional.of("it claims " + stored + " scopes, but has room for only " + room)
            : Optional.empty());
  }

  /** Returns the RVA past its end. */
  public long end() {
    return rva + 4 + stored * ENTRY;
  }
}

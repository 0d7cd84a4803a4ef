package io.ntrail.programs.symbols;

import java.util.List;

/**
 * Symbol of an address in an image.
 *
 * @param origin source of the symbol
 * @param begin RVA of the function; where the image was rearranged after it was linked: of its
 *     first byte that is still there
 * @param length bytes; of what has no end of its own those up to the next one; -1 if unknown
 * @param offset of the address in it
 * @param frames the innermost first; at least the function itself
 */
public record SymbolizedAddress(
    Origin origin, long begin, long length, long offset, List<SymbolFrame> frames) {
  /** Copies the list. */
  public SymbolizedAddress {
    frames = List.copyOf(frames);
  }

  /** Sources of symbols. */
  public enum Origin {
    /** A procedure of a PDB, with its exact bytes. */
    PROCEDURE("procedure", true),
    /** A few instructions that go elsewhere. */
    THUNK("thunk", true),
    /** Bytes of a procedure that are apart from it. */
    SEPARATED("separated code", true),
    /** Assembly code after a label, up to the next one. */
    LABEL("label", true),
    /** The nearest public symbol before the address. */
    PUBLIC("public symbol", false),
    /**
     * The nearest public symbol, for bytes that another object contributed, which have no name:
     * padding, tables.
     */
    NEAREST("nearest public symbol", false),
    /** The nearest name before the address that is exported, or in the image's symbol table. */
    EXPORT("export", false);

    private final String text;
    private final boolean exact;

    Origin(String text, boolean exact) {
      this.text = text;
      this.exact = exact;
    }

    /** For people and programs. */
    public String text() {
      return text;
    }

    /**
     * Returns true if the address is known to belong to the function. Else a function without a
     * name may be in between.
     */
    public boolean isExact() {
      return exact;
    }
  }

  /** The function that has the code, not what was inlined there. */
  public SymbolFrame function() {
    return frames.getLast();
  }
}

package io.ntrail.programs.symbols;

import java.util.List;

/**
 * What an address of an image means.
 *
 * @param origin who says it
 * @param begin RVA where the function begins; where the image was rearranged after it was linked:
 *     of its first byte that is still there
 * @param length bytes; of what has no end of its own those up to the next one; -1 if nobody knows
 * @param offset of the address in it
 * @param frames the innermost first; at least the function itself
 */
public record SymbolizedAddress(
    Origin origin, long begin, long length, long offset, List<SymbolFrame> frames) {
  /** Copies the list. */
  public SymbolizedAddress {
    frames = List.copyOf(frames);
  }

  /** Who says what an address means. */
  public enum Origin {
    /** A procedure of a PDB, with its exact bytes. */
    PROCEDURE("procedure", true),
    /** A few instructions that go elsewhere. */
    THUNK("thunk", true),
    /** Bytes of a procedure that lie apart from it. */
    SEPARATED("separated code", true),
    /** What follows a label of assembler code, up to the next one. */
    LABEL("label", true),
    /** The nearest public symbol before the address. */
    PUBLIC("public symbol", false),
    /** The same of bytes that another object brought, which have no name: padding, tables. */
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
     * Whether it is known that the address belongs to the function. Else a function without a name
     * may lie between.
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

package io.ntrail.programs.image;

import java.util.List;
import java.util.Set;

/**
 * A place where a function of an image begins.
 *
 * @param rva its first byte
 * @param end behind its last byte as far as the image says; never more than the start of the next
 *     function
 * @param bounded whether the function table or symbols say where it ends; else it is where the next
 *     function begins or the code ends, padding included
 * @param inside whether it lies behind the first byte of what the function table says is another
 *     function
 * @param names all that are exported, in the order of the export table, {@code #7} for one that is
 *     exported by ordinal alone; then those that symbols have
 * @param sources who says that it begins there
 * @param guardFlags of its entry in the guard table (1 FID_SUPPRESSED, 2 EXPORT_SUPPRESSED, 4
 *     LANGEXCPTHANDLER, 8 XFG); 0 without
 */
public record ImageFunction(
    long rva,
    long end,
    boolean bounded,
    boolean inside,
    List<String> names,
    Set<Source> sources,
    int guardFlags) {
  /** Who can say where functions begin. */
  public enum Source {
    /** The function table of x64: its first part, not what was moved out of it. */
    FUNCTION_TABLE,
    /** An export that lies in code and is not forwarded. */
    EXPORT,
    /** The table of functions that may be called through a pointer. */
    GUARD_TABLE,
    /** A PDB. */
    PDB,
    /** The COFF symbol table of the file. */
    SYMBOL_TABLE
  }

  /** Whether a source names it. */
  public boolean is(Source source) {
    return sources.contains(source);
  }

  /** Bytes up to its end. */
  public long size() {
    return end - rva;
  }
}

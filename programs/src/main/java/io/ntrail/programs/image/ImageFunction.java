package io.ntrail.programs.image;

import java.util.List;
import java.util.Set;

/**
 * A function of an image, by its start.
 *
 * @param rva its first byte
 * @param end past its last byte as far as the image shows; never more than the start of the next
 *     function
 * @param bounded whether the function table or symbols give the end; else it is where the next
 *     function starts or the code ends, padding included
 * @param inside whether it is after the first byte of another function of the function table
 * @param names all export names, in the order of the export table, {@code #7} for one that is
 *     exported by ordinal only; then those of symbols
 * @param sources evidence that it starts there
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
  /** Evidence for the start of a function. */
  public enum Source {
    /** The function table of x64: its first part, not what was moved out of it. */
    FUNCTION_TABLE,
    /** An export that is in code and is not forwarded. */
    EXPORT,
    /** The table of functions that may be called through a pointer. */
    GUARD_TABLE,
    /** A PDB. */
    PDB,
    /** The COFF symbol table of the file. */
    SYMBOL_TABLE,
    /** Frame data of x86, in the image or a PDB; it has no names. */
    FRAME_DATA
  }

  /** Returns true if a source lists it. */
  public boolean is(Source source) {
    return sources.contains(source);
  }

  /** Bytes up to its end. */
  public long size() {
    return end - rva;
  }
}

package io.ntrail.analysis.flow.calls;

import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A file of code at its address.
 *
 * @param path of the file
 * @param base its lowest address
 * @param size bytes that it takes
 * @param names of its functions
 * @param image identity of a PE file; null for others
 * @param pdb identity of its PDB; null if it has none
 * @param pdbName empty without one
 */
public record CodeModule(
    String path,
    long base,
    long size,
    Names names,
    @Nullable ImageId image,
    @Nullable PdbId pdb,
    String pdbName) {
  /** A function at an address. */
  public record Named(long start, String name) {}

  /** Names of functions. */
  public interface Names {
    /** Returns the function that an address relative to the base belongs to. */
    Optional<Named> at(long rva);
  }

  /** Returns true if an address is in it. */
  public boolean contains(long address) {
    return Long.compareUnsigned(address - base, size) < 0;
  }

  /** Returns the name of the file without its folder. */
  public String name() {
    return path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  }
}

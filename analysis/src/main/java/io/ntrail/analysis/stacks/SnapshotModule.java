package io.ntrail.analysis.stacks;

import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.PdbReference;
import io.ntrail.formats.pe.PeImage;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Module of a snapshot with its identity.
 *
 * @param base first address
 * @param size bytes, from 1
 * @param file that it was loaded from
 * @param pdb the one that belongs to it; empty if unknown
 * @param image its headers and tables, read when asked for; empty if they are not at hand
 */
public record SnapshotModule(
    long base,
    long size,
    ImageFile file,
    Optional<PdbReference> pdb,
    Supplier<Optional<PeImage>> image) {
  /** Returns the last part of its path. */
  public String name() {
    return file.name();
  }

  /** Returns the module for answers. */
  public StackModule toStackModule() {
    return new StackModule(name(), base, size, pdb, false);
  }
}

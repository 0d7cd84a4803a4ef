package io.ntrail.analysis.naming;

import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.identity.WindowsPath;

/**
 * The PDB that belongs to an image.
 *
 * @param name as the linker wrote it: the path of another machine, or a bare name
 */
public record PdbReference(PdbId id, String name) {
  // A record's own equals and hashCode, made by the JVM at the first call, cost milliseconds at the
  // start.

  @Override
  public boolean equals(Object other) {
    return other instanceof PdbReference pdb && pdb.id.equals(id) && pdb.name.equals(name);
  }

  @Override
  public int hashCode() {
    return id.hashCode() * 31 + name.hashCode();
  }

  /** Returns the last part of the name. */
  public String fileName() {
    return WindowsPath.lastPart(name);
  }
}

package io.ntrail.analysis.naming;

import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.identity.WindowsPath;

/**
 * The PDB that belongs to an image.
 *
 * @param name as the linker wrote it: the path of another machine, or a bare name
 */
public record PdbReference(PdbId id, String name) {
  /** Returns the last part of the name. */
  public String fileName() {
    return WindowsPath.lastPart(name);
  }
}

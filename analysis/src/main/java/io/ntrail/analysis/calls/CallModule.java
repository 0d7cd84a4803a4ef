package io.ntrail.analysis.calls;

import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.ntr.TracedModule;
import org.jspecify.annotations.Nullable;

/**
 * An image whose routines were recorded.
 *
 * @param name the last part of its path
 * @param path as the recorder saw it
 * @param base where it was loaded
 * @param size bytes that it takes there
 * @param timestamp when it was linked, in seconds since 1970; 0 if unknown
 * @param pdb which PDB belongs to it; null if unknown
 */
public record CallModule(
    String name, String path, long base, long size, long timestamp, @Nullable PdbId pdb) {
  /** Returns a recorded module as calls have it. */
  public static CallModule of(TracedModule module) {
    return new CallModule(
        WindowsPath.lastPart(module.path()),
        module.path(),
        module.base(),
        module.image().size(),
        module.image().timestamp(),
        module.pdb());
  }
}

package io.ntrail.formats.dump;

import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import java.util.Optional;

/**
 * A module that was loaded (MINIDUMP_MODULE).
 *
 * @param base address
 * @param size SizeOfImage; may be 0 in what other writers than Windows make
 * @param checksum of its header
 * @param timestamp TimeDateStamp of its header
 * @param path as the loader knew it
 * @param version from its version resource
 * @param symbols from its debug directory
 * @param debugFile name of a {@code .dbg} file (IMAGE_DEBUG_MISC); empty if there is none
 */
public record DumpModule(
    long base,
    long size,
    long checksum,
    long timestamp,
    String path,
    Optional<ModuleVersion> version,
    Optional<CodeViewRecord> symbols,
    String debugFile) {
  /** Returns its identity as an image. */
  public ImageId id() {
    return new ImageId(timestamp, size);
  }

  /** Returns the identity of its PDB; empty if it is not known, or older than GUIDs. */
  public Optional<PdbId> pdb() {
    return symbols.flatMap(record ->
        record instanceof CodeViewRecord.Pdb70 pdb ? Optional.of(pdb.id()) : Optional.empty());
  }
}

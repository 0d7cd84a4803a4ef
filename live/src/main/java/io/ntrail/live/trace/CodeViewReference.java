package io.ntrail.live.trace;

import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.PeImage;
import org.jspecify.annotations.Nullable;

/**
 * CodeView record (RSDS) of an image: the identity and the path of its PDB.
 *
 * @param id null if it names none
 * @param name of its file
 */
record CodeViewReference(@Nullable PdbId id, String name) {
  static CodeViewReference of(PeImage image) {
    return DebugDirectory.of(image).codeView().orElse(null)
            instanceof CodeView.Pdb70(var guid, long age, String path)
        ? new CodeViewReference(new PdbId(guid, age), path)
        : new CodeViewReference(null, "");
  }
}

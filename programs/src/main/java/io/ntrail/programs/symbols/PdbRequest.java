package io.ntrail.programs.symbols;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.PdbId;
import java.nio.file.Path;
import java.util.List;

/**
 * The PDB of an image: only one with the GUID and age that the image names is taken.
 *
 * @param kinds see {@link FileRequest#kinds}
 */
public record PdbRequest(StoreKey key, PdbId id, List<String> kinds)
    implements FileRequest<OpenPdb> {
  /** Copies the list. */
  public PdbRequest {
    kinds = List.copyOf(kinds);
  }

  @Override
  public OpenPdb open(Path file, String member, String name) {
    return open(file, member, name, id);
  }

  /** Opens a PDB that must have an identity. */
  static OpenPdb open(Path file, String member, String name, PdbId id) {
    OpenPdb open = OpenPdb.open(file, member, name);
    if (open.pdb().guid().equals(id.guid()) && open.pdb().age() == id.age()) {
      return open;
    }
    String why =
        "%s is a different build (%s age %d, not %s age %d)"
            .formatted(
                member.isEmpty() ? name : name + "!/" + LocalPath.printable(member),
                open.pdb().guid(),
                open.pdb().age(),
                id.guid(),
                id.age());
    open.close();
    throw new CannotGoOn(why, "");
  }
}

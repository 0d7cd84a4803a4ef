package io.ntrail.formats.pdb;

import io.ntrail.formats.pdb.codeview.TypeNames;
import io.ntrail.formats.pdb.codeview.TypeTable;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.Optional;

/**
 * The types of a PDB and its items, which name functions and files. Each of the two tables is read
 * when something in it is requested, and what cannot be read is a gap of the PDB.
 */
final class PdbTypes {
  private static final int TPI_STREAM = 2;
  private static final int IPI_STREAM = 4;

  private PdbTypes() {}

  static TypeNames names(PdbFile pdb) {
    return new TypeNames(
        new LazyValue<>(() -> table(pdb, "types", pdb.stream(TPI_STREAM, "TPI stream"))),
        new LazyValue<>(() -> table(pdb, "items", items(pdb))),
        damage -> pdb.gap("types", damage));
  }

  /** The stream of items; before Visual C++ 11 there is none, whatever has its number. */
  private static Optional<MsfStream> items(PdbFile pdb) {
    return pdb.info().hasItems() ? pdb.stream(IPI_STREAM, "IPI stream") : Optional.empty();
  }

  private static TypeTable table(PdbFile pdb, String what, Optional<MsfStream> stream) {
    return stream
        .map(s ->
            pdb.reading(
                what,
                s,
                TypeTable.EMPTY,
                t -> TypeTable.read(t, pdb.stream(TypeTable.hashStream(t), "hash of " + what))))
        .orElse(TypeTable.EMPTY);
  }
}

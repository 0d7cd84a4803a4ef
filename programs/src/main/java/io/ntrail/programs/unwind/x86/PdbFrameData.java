package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.pdb.FrameData;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FpoTable;
import java.util.List;
import java.util.Optional;

/**
 * Frame data of a module as its PDB has it, and FPO_DATA of its image where the PDB has none or is
 * missing. Records of programs that were rearranged after linking are found by the PDB's address
 * map.
 */
public final class PdbFrameData implements FrameDataTable {
  private static final FpoTable EMPTY = new FpoTable(List.of());

  private final Optional<PdbFile> pdb;
  private final FpoTable fpo;

  /** True if the addresses of {@link #fpo} are those of the program as it was linked. */
  private final boolean isOriginal;

  /**
   * @param pdb the PDB of the module; empty if it was not found
   * @param image the image; empty if it is not at hand
   */
  public PdbFrameData(Optional<PdbFile> pdb, Optional<PeImage> image) {
    this.pdb = pdb;
    FpoTable own = pdb.flatMap(PdbFile::fpoData).map(FpoTable::of).orElse(EMPTY);
    this.isOriginal = !own.entries().isEmpty();
    this.fpo = isOriginal ? own : image.map(PdbFrameData::fpoOf).orElse(EMPTY);
  }

  private static FpoTable fpoOf(PeImage image) {
    return DebugDirectory.of(image)
        .first(DebugDirectory.FPO)
        .map(DebugDirectory.Entry::data)
        .map(FpoTable::of)
        .orElse(EMPTY);
  }

  @Override
  public Optional<FrameData.Frame> program(long rva) {
    long original = pdb.map(file -> file.toOriginal(rva)).orElse(-1L);
    return original < 0
        ? Optional.empty()
        : pdb.get().frameData().find(original).filter(frame -> !frame.program().isEmpty());
  }

  @Override
  public Optional<FpoTable.Fpo> fpo(long rva) {
    long linked = isOriginal ? pdb.map(file -> file.toOriginal(rva)).orElse(rva) : rva;
    return linked < 0 ? Optional.empty() : fpo.find(linked);
  }
}

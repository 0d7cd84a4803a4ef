package io.ntrail.cli.symbols;

import io.ntrail.analysis.input.FileKind;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.identity.FileSignature;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFileNames;
import io.ntrail.programs.symbols.ImageSymbols;
import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.PdbSearch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Source of names: a PDB, or an image with its PDB or its own symbols. */
final class SymbolSource implements AutoCloseable {
  private final Path file;
  private final ImageSymbols symbols;
  private final @Nullable OpenPdb pdb;
  private final @Nullable PeImage image;
  private final List<InputFile> inputs;
  private final String tried;
  private final List<String> remarks;
  private final Gaps packed;

  private SymbolSource(
      Path file,
      ImageSymbols symbols,
      @Nullable OpenPdb pdb,
      @Nullable PeImage image,
      List<InputFile> inputs,
      String tried,
      List<String> remarks,
      Gaps packed) {
    this.remarks = List.copyOf(remarks);
    this.file = file;
    this.symbols = symbols;
    this.pdb = pdb;
    this.image = image;
    this.inputs = inputs;
    this.tried = tried;
    this.packed = packed;
  }

  /**
   * Opens a file.
   *
   * @param search where the PDB of an image may lie, besides its own folder
   * @throws CannotGoOn if it is neither a PDB nor an image
   */
  static SymbolSource open(Path file, PdbSearch search) {
    Gaps packed = new Gaps();
    List<InputFile> inputs = images(file, packed);
    boolean done = false;
    FileKind kind = FileKind.OTHER;
    try {
      kind = inputs.size() == 1 ? FileKind.of(inputs.getFirst()) : kind;
      if (inputs.size() == 1 && FileSignature.of(inputs.getFirst()) == FileSignature.IMAGE) {
        SymbolSource source = ofImage(file, inputs, search, packed);
        done = true;
        return source;
      }
    } finally {
      if (!done) {
        inputs.forEach(InputFile::close);
      }
    }
    OpenPdb pdb = openPdb(file, kind);
    return new SymbolSource(
        file, ImageSymbols.of(pdb.pdb()), pdb, null, List.of(), "", List.of(), packed);
  }

  /** Opens a PDB; another file is refused with the command for it. */
  private static OpenPdb openPdb(Path file, FileKind kind) {
    try {
      return OpenPdb.open(file);
    } catch (CannotGoOn e) {
      if (e.reason() != CannotGoOn.Reason.OTHER_KIND || kind.command().isEmpty()) {
        throw e;
      }
      String nextStep = "ntrail " + kind.command() + " " + ShellWords.file(file);
      throw CannotGoOn.of(e.reason(), e.file(), e.message(), nextStep);
    }
  }

  private static List<InputFile> images(Path file, Gaps packed) {
    try {
      return Archives.open(
          file, MemberChoice.of(ImageFileNames::isImageName, PeImage::refuseOthers), packed);
    } catch (CannotGoOn e) {
      if (e.reason() == CannotGoOn.Reason.OTHER_KIND) {
        return List.of();
      }
      throw e;
    }
  }

  private static SymbolSource ofImage(
      Path file, List<InputFile> inputs, PdbSearch search, Gaps packed) {
    PeImage image = PeImage.ofFile(inputs.getFirst());
    PdbSearch.Result result = search.find(file, image);
    OpenPdb pdb = result.pdb().orElse(null);
    ImageSymbols symbols = pdb == null ? ImageSymbols.of(image) : ImageSymbols.of(pdb.pdb());
    return new SymbolSource(
        file, symbols, pdb, image, inputs, result.why(), result.remarks(), packed);
  }

  /** The file that was named. */
  Path file() {
    return file;
  }

  /**
   * The PDB.
   *
   * @throws CannotGoOn if there is none
   */
  PdbFile pdb() {
    if (pdb == null) {
      throw new CannotGoOn(
          "no PDB found for " + file + ": " + tried, "-y FOLDER, the folder that has it");
    }
    return pdb.pdb();
  }

  /** Returns the image whose own names have to do, as it has no PDB here; empty if it has. */
  Optional<PeImage> imageAlone() {
    return pdb == null ? Optional.ofNullable(image) : Optional.empty();
  }

  /**
   * Refuses to name addresses by a PDB that has none.
   *
   * @throws CannotGoOn if it is that of a managed program
   */
  void mustHaveAddresses() {
    if (pdb != null && pdb.pdb().isManaged()) {
      throw new CannotGoOn(
          file
              + " is managed: its PDB has offsets in the intermediate language of methods, and no"
              + " addresses of code, which only the runtime makes",
          "ntrail symbols " + ShellWords.file(file) + " --lines");
    }
  }

  /** Returns the reason why names come from the image alone; empty if there is a PDB. */
  String missing() {
    return pdb == null ? tried : "";
  }

  /** Stores that should have kept a copy of its PDB and do not, each in a sentence. */
  List<String> remarks() {
    return remarks;
  }

  /** Its names. */
  ImageSymbols symbols() {
    return symbols;
  }

  /** Returns the parts that could not be read so far. */
  List<Gap> gaps() {
    List<Gap> gaps = new ArrayList<>(packed.list());
    if (pdb != null) {
      gaps.addAll(pdb.gaps());
    }
    if (image != null) {
      gaps.addAll(image.gaps());
    }
    return gaps;
  }

  @Override
  public void close() {
    if (pdb != null) {
      pdb.close();
    }
    inputs.forEach(InputFile::close);
  }
}

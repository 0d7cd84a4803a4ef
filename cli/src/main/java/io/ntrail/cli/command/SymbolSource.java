package io.ntrail.cli.command;

import io.ntrail.analysis.image.ImageContents;
import io.ntrail.analysis.image.ImageFunction;
import io.ntrail.analysis.image.ImageFunctions;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pdb.PdbAddresses;
import io.ntrail.formats.pdb.PdbAddresses.Frame;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.PeImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where names come from: a PDB, or an image with its PDB, or with what it exports alone. */
final class SymbolSource implements AutoCloseable {
  private final Path file;
  private final List<InputFile> inputs;
  private final @Nullable PdbFile pdb;
  private final @Nullable PdbAddresses addresses;
  private final @Nullable PeImage image;
  private final String tried;
  private final Gaps packed;
  private @Nullable ImageFunctions functions;

  private SymbolSource(
      Path file,
      List<InputFile> inputs,
      @Nullable PdbFile pdb,
      @Nullable PeImage image,
      String tried,
      Gaps packed) {
    this.packed = packed;
    this.file = file;
    this.inputs = inputs;
    this.pdb = pdb;
    this.addresses = pdb == null ? null : new PdbAddresses(pdb);
    this.image = image;
    this.tried = tried;
  }

  /**
   * Opens a file.
   *
   * @param places where the PDB of an image may lie, besides its own folder
   * @throws CannotGoOn if it is neither a PDB nor an image
   */
  static SymbolSource open(Path file, List<String> places) {
    List<InputFile> inputs = new ArrayList<>();
    Gaps packed = new Gaps();
    boolean done = false;
    try {
      InputFile input = only(file, inputs, packed);
      SymbolSource source =
          input.size() >= 2 && isImage(input)
              ? ofImage(file, PeImage.ofFile(input), places, inputs, packed)
              : new SymbolSource(file, inputs, PdbFile.open(input), null, "", packed);
      done = true;
      return source;
    } finally {
      if (!done) {
        inputs.forEach(InputFile::close);
      }
    }
  }

  private static boolean isImage(InputFile input) {
    byte[] first = input.window(0, 2).array(0, 2);
    return first[0] == 'M' && first[1] == 'Z';
  }

  private static InputFile only(Path file, List<InputFile> inputs, Gaps packed) {
    List<InputFile> found = Archives.open(file, SymbolSource::isWanted, packed);
    inputs.addAll(found);
    if (found.size() != 1) {
      throw new CannotGoOn(
          file + " holds " + found.size() + " PDBs and images", "unpack it and name one");
    }
    return found.getFirst();
  }

  private static boolean isWanted(String name) {
    return name.toLowerCase(Locale.ROOT).endsWith(".pdb") || ImageCommand.isImageName(name);
  }

  private static SymbolSource ofImage(
      Path file, PeImage image, List<String> places, List<InputFile> inputs, Gaps packed) {
    Optional<PdbId> id = ImageContents.of(image).pdb();
    if (id.isEmpty()
        || !(DebugDirectory.of(image).codeView().orElse(null)
            instanceof CodeView.Pdb70(var _, long _, String path))) {
      return new SymbolSource(file, inputs, null, image, file + " names no PDB", packed);
    }
    String name = path.substring(1 + Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/')));
    List<String> why = new ArrayList<>();
    for (Path place : candidates(file, name, places)) {
      if (!Files.isRegularFile(place)) {
        why.add(place + " is not there");
        continue;
      }
      InputFile input = only(place, inputs, packed);
      PdbFile pdb = PdbFile.open(input);
      if (pdb.guid().equals(id.get().guid()) && pdb.age() == id.get().age()) {
        return new SymbolSource(file, inputs, pdb, image, "", packed);
      }
      why.add("%s is of another build (%s age %d)".formatted(place, pdb.guid(), pdb.age()));
    }
    return new SymbolSource(file, inputs, null, image, String.join("; ", why), packed);
  }

  private static List<Path> candidates(Path file, String name, List<String> places) {
    List<Path> all = new ArrayList<>();
    for (String word : places) {
      Path place = Options.path(word);
      all.add(Files.isDirectory(place) ? place.resolve(name) : place);
    }
    all.add(file.resolveSibling(name));
    return all;
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
      throw new CannotGoOn("there is no PDB of " + file + ": " + tried, "-y FOLDER, where it lies");
    }
    return pdb;
  }

  /** Why names come from exports alone; empty if there is a PDB. */
  String missing() {
    return pdb == null ? tried : "";
  }

  /** The frames of an address, the innermost first; none if nothing is known. */
  List<Frame> frames(long rva) {
    if (addresses != null) {
      return addresses.find(rva).map(PdbAddresses.Found::frames).orElse(List.of());
    }
    if (image == null) {
      return List.of();
    }
    if (functions == null) {
      functions = ImageFunctions.of(image);
    }
    int index = functions.indexUpTo(rva);
    if (index < 0) {
      return List.of();
    }
    ImageFunction function = functions.list().get(index);
    return rva >= function.end() || function.names().isEmpty()
        ? List.of()
        : List.of(new Frame(function.names().getFirst(), "", 0, 0, false));
  }

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
    inputs.forEach(InputFile::close);
  }
}

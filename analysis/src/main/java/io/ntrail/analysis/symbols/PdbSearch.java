package io.ntrail.analysis.symbols;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.PeImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Looks for the PDB of an image: in the places that were named, then beside the image. Only one
 * with the GUID and age that the image names is taken.
 *
 * @param places files, and folders that the PDB may lie in
 */
public record PdbSearch(List<Path> places) {
  /** Copies the list. */
  public PdbSearch {
    places = List.copyOf(places);
  }

  /**
   * What was found.
   *
   * @param pdb to be closed by who asked; empty if there is none
   * @param tried the places that did not have it, in the order in which they were tried
   */
  public record Result(Optional<OpenPdb> pdb, List<Tried> tried) {
    /** Copies the list. */
    public Result {
      tried = List.copyOf(tried);
    }

    /** Why there is none, in one sentence. */
    public String why() {
      return tried.stream().map(Tried::why).distinct().collect(Collectors.joining("; "));
    }

    /** The files that are there and cannot be used, each in a sentence. */
    public List<String> unusable() {
      return tried.stream().filter(Tried::isThere).map(Tried::why).distinct().toList();
    }
  }

  /**
   * A place that did not have it.
   *
   * @param isThere whether there is a file, which cannot be used
   * @param why in a sentence
   */
  public record Tried(Path place, boolean isThere, String why) {}

  /**
   * Looks for the PDB of an image file, also beside it.
   *
   * @param file that the image was read from
   */
  public Result find(Path file, PeImage image) {
    if (!(DebugDirectory.of(image).codeView().orElse(null)
        instanceof CodeView.Pdb70(var guid, long age, String path))) {
      return new Result(Optional.empty(), List.of(new Tried(file, false, file + " names no PDB")));
    }
    List<Path> candidates = candidates(name(path));
    addIn(file.resolveSibling("."), name(path), candidates);
    return find(new PdbId(guid, age), candidates);
  }

  /**
   * Looks for a PDB in the places that were named.
   *
   * @param name of the file, without folders
   */
  public Result find(PdbId wanted, String name) {
    return find(wanted, candidates(name));
  }

  private static Result find(PdbId wanted, List<Path> candidates) {
    List<Tried> tried = new ArrayList<>();
    for (Path place : candidates) {
      Optional<OpenPdb> found = tryOne(place, wanted, tried);
      if (found.isPresent()) {
        return new Result(found, tried);
      }
    }
    return new Result(Optional.empty(), tried);
  }

  /** The last part of a path of the machine that linked or compiled it. */
  public static String name(String path) {
    return path.substring(1 + Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/')));
  }

  private List<Path> candidates(String name) {
    List<Path> all = new ArrayList<>();
    for (Path place : places) {
      if (Files.isDirectory(place)) {
        addIn(place, name, all);
      } else {
        all.add(place);
      }
    }
    return all;
  }

  /** As it is called, or packed. */
  private static void addIn(Path folder, String name, List<Path> all) {
    all.add(folder.resolve(name).normalize());
    Path packed = folder.resolve(name + ".gz").normalize();
    if (Files.exists(packed)) {
      all.add(packed);
    }
  }

  private static Optional<OpenPdb> tryOne(Path place, PdbId wanted, List<Tried> tried) {
    if (!Files.exists(place)) {
      tried.add(new Tried(place, false, place + " is not there"));
      return Optional.empty();
    }
    OpenPdb open;
    try {
      open = OpenPdb.open(place);
    } catch (CannotGoOn e) {
      tried.add(new Tried(place, true, String.valueOf(e.getMessage())));
      return Optional.empty();
    }
    if (open.pdb().guid().equals(wanted.guid()) && open.pdb().age() == wanted.age()) {
      return Optional.of(open);
    }
    String why =
        "%s is of another build (%s age %d, not %s age %d)"
            .formatted(place, open.pdb().guid(), open.pdb().age(), wanted.guid(), wanted.age());
    tried.add(new Tried(place, true, why));
    open.close();
    return Optional.empty();
  }
}

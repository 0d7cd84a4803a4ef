package io.ntrail.analysis.symbols;

import io.ntrail.analysis.machine.ImageFile;
import io.ntrail.analysis.machine.Images;
import io.ntrail.analysis.machine.PdbReference;
import io.ntrail.analysis.symbols.PdbSearch.Tried;
import io.ntrail.analysis.symbols.SymbolAt.Origin;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbSection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Names for the images of a recording. The PDB of an image is looked for when the first of its
 * addresses is asked for. May be used by one thread.
 */
public final class RecordingSymbols implements AutoCloseable {
  private final Images images;
  private final PdbSearch search;
  private final Map<Integer, Source> sources = new HashMap<>();

  /** PDBs are shared by files that differ in what the recording tells of them alone. */
  private final Map<PdbReference, Source> byPdb = new HashMap<>();

  /**
   * Where the names of an image come from.
   *
   * @param reference which PDB belongs to it; empty if the recording does not tell
   * @param pdb the PDB; empty if it was not found
   * @param tried where it was looked for, and why it was not taken from there
   */
  public record Source(Optional<PdbReference> reference, Optional<OpenPdb> pdb, List<Tried> tried) {
    /** Copies the list. */
    public Source {
      tried = List.copyOf(tried);
    }
  }

  private record Named(Source source, @Nullable ImageSymbols symbols) {}

  private final Map<Integer, Named> named = new HashMap<>();

  /** Looks for the PDBs of images that a recording tells of. */
  public RecordingSymbols(Images images, PdbSearch search) {
    this.images = images;
    this.search = search;
  }

  /**
   * What lies at an address; empty if nobody knows.
   *
   * @param file number of the image's file
   * @param rva in the image
   */
  public Optional<SymbolAt> at(int file, long rva) {
    Named names = named.computeIfAbsent(file, this::open);
    // What ran is no padding: it is a function without a name.
    return names.symbols == null
        ? Optional.empty()
        : names.symbols.at(rva).filter(symbol -> symbol.origin() != Origin.NEAREST);
  }

  private Named open(int file) {
    Source source = source(file);
    return new Named(source, source.pdb.map(pdb -> ImageSymbols.of(pdb.pdb())).orElse(null));
  }

  /**
   * Where the names of an image come from.
   *
   * @param file number of the image's file
   */
  public Source source(int file) {
    return sources.computeIfAbsent(
        file,
        number -> {
          Optional<PdbReference> reference = images.pdb(number);
          return reference
              .map(pdb -> byPdb.computeIfAbsent(pdb, p -> find(p, images.files().get(number))))
              .orElseGet(() -> new Source(reference, Optional.empty(), List.of()));
        });
  }

  private Source find(PdbReference reference, ImageFile file) {
    PdbSearch.Result found = search.find(reference.id(), reference.fileName());
    List<Tried> tried = new ArrayList<>(found.tried());
    Optional<OpenPdb> pdb = found.pdb();
    if (pdb.isPresent() && !fits(pdb.get().pdb(), file)) {
      tried.add(
          new Tried(
              pdb.get().path().toString(),
              true,
              pdb.get().path() + " does not say where the sections of " + file.name() + " lie"));
      pdb.get().close();
      pdb = Optional.empty();
    }
    return new Source(Optional.of(reference), pdb, tried);
  }

  /** Whether addresses in the image can be told by the PDB. */
  private static boolean fits(PdbFile pdb, ImageFile file) {
    return pdb.hasSectionTable() || PdbSection.imageSize(pdb.sections()) == file.size();
  }

  /** The images that were asked for, by the number of their files, and where their names are. */
  public Map<Integer, Source> sources() {
    return Map.copyOf(sources);
  }

  /** PDBs of images that were asked for which are there and cannot be used, each in a sentence. */
  public List<String> unusable() {
    return sources.values().stream()
        .filter(source -> source.pdb.isEmpty())
        .flatMap(source -> source.tried.stream())
        .filter(Tried::isThere)
        .map(Tried::why)
        .distinct()
        .toList();
  }

  /** How many images were asked for, each once, however often it was loaded. */
  public int hot() {
    return count(sources.keySet());
  }

  /** How many of them have a PDB that was found. */
  public int found() {
    return count(
        sources.entrySet().stream()
            .filter(source -> source.getValue().pdb.isPresent())
            .map(Map.Entry::getKey)
            .toList());
  }

  /** Lists of what is loaded tell no time stamps, and paths in another notation. */
  private int count(Collection<Integer> files) {
    return (int)
        files.stream()
            .map(images.files()::get)
            .map(file -> file.name().toLowerCase(Locale.ROOT) + "*" + file.size())
            .distinct()
            .count();
  }

  /** What of the PDBs could not be read so far. */
  public List<Gap> gaps() {
    return byPdb.values().stream()
        .flatMap(source -> source.pdb.stream())
        .flatMap(pdb -> pdb.gaps().stream())
        .toList();
  }

  @Override
  public void close() {
    byPdb.values().forEach(source -> source.pdb.ifPresent(OpenPdb::close));
  }
}

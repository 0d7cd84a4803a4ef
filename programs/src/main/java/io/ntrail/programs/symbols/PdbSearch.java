package io.ntrail.programs.symbols;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.PeImage;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Search for the PDB of an image: in archives, in given places, then beside the image, then in
 * symbol stores. Only one with the GUID and age of the image is taken.
 *
 * @param archives zips that the PDB may be in
 * @param places files, and folders that the PDB may be in
 * @param stores searched after them
 */
public record PdbSearch(List<ZipStore> archives, List<Path> places, SymbolStores stores) {
  /** The kinds of images, where that of an image is not known. */
  private static final List<String> ANY_KIND = List.of("exe", "dll", "sys");

  /** Copies the lists. */
  public PdbSearch {
    archives = List.copyOf(archives);
    places = List.copyOf(places);
  }

  /**
   * Makes a search that sniffs which of the places are archives.
   *
   * @param places files, folders and zips
   */
  public PdbSearch(List<Path> places, SymbolStores stores) {
    this(
        places.stream().filter(ZipStore::isZip).map(ZipStore::new).toList(),
        places.stream().filter(place -> !ZipStore.isZip(place)).toList(),
        stores);
  }

  /** A search without stores. */
  public PdbSearch(List<Path> places) {
    this(places, SymbolStores.none());
  }

  /** Returns the search without servers. */
  public PdbSearch offline() {
    return new PdbSearch(archives, places, stores.offline());
  }

  /**
   * Result of a search.
   *
   * @param pdb to be closed by the caller; empty if there is none
   * @param tried the places that did not have it, in the order in which they were tried
   * @param remarks stores that should have kept a copy and do not, each in a sentence
   */
  public record Result(Optional<OpenPdb> pdb, List<Tried> tried, List<String> remarks) {
    /** Copies the lists. */
    public Result {
      tried = List.copyOf(tried);
      remarks = List.copyOf(remarks);
    }

    /** Returns the reason why there is none, in one sentence. */
    public String why() {
      return tried.stream().map(Tried::why).distinct().collect(Collectors.joining("; "));
    }

    /** Returns the files that would be it as far as can be told, and are damaged. */
    public List<Tried> damaged() {
      return tried.stream().filter(Tried::isDamaged).distinct().toList();
    }

    /** The files that are there and cannot be used, each in a sentence. */
    public List<String> unusable() {
      return tried.stream().filter(Tried::isThere).map(Tried::why).distinct().toList();
    }
  }

  /**
   * A place that did not have what was looked for.
   *
   * @param place a file, a folder or the address of a server
   * @param isThere whether there is something, which cannot be used
   * @param isDamaged whether it is a file that is damaged
   * @param why in a sentence
   */
  public record Tried(String place, boolean isThere, boolean isDamaged, String why) {
    /** A place of which nothing is known to be damaged. */
    public Tried(String place, boolean isThere, String why) {
      this(place, isThere, false, why);
    }

    /** Returns a file that was refused. */
    static Tried refused(String place, CannotGoOn refusal) {
      return new Tried(place, true, refusal.reason() == Reason.DAMAGED, refusal.message());
    }
  }

  /**
   * Looks for the PDB of an image file, also beside it.
   *
   * @param file that the image was read from
   */
  public Result find(Path file, PeImage image) {
    DebugDirectory debug = DebugDirectory.of(image);
    if (!(debug.codeView().orElse(null)
        instanceof CodeView.Pdb70(var guid, long age, String path))) {
      return none(List.of(), file, "has no PDB id");
    }
    Optional<StoreKey> key = StoreKey.of(debug);
    List<Path> candidates = candidates(key);
    key.ifPresent(known -> addIn(file.resolveSibling("."), known.name(), candidates));
    return find(new PdbId(guid, age), key, kinds(file), candidates, file);
  }

  /**
   * Looks for a PDB in the places that were named and in the stores.
   *
   * @param name as a recording has it; only its last part is used
   */
  public Result find(PdbId wanted, String name) {
    Optional<StoreKey> key = StoreKey.pdb(name, wanted);
    return find(wanted, key, ANY_KIND, candidates(key), "the recording");
  }

  private Result find(
      PdbId wanted,
      Optional<StoreKey> key,
      List<String> kinds,
      List<Path> candidates,
      Object namedBy) {
    List<Tried> tried = new ArrayList<>();
    Optional<PdbRequest> sought = key.map(known -> new PdbRequest(known, wanted, kinds));
    if (sought.isPresent()) {
      for (ZipStore archive : archives) {
        Optional<OpenPdb> found = archive.find(sought.get(), tried);
        if (found.isPresent()) {
          return new Result(found, tried, List.of());
        }
      }
    }
    for (Path place : candidates) {
      Optional<OpenPdb> found = tryOne(place, wanted, tried);
      if (found.isPresent()) {
        return new Result(found, tried, List.of());
      }
    }
    if (sought.isEmpty()) {
      return none(tried, namedBy, "has a PDB name that is not a valid file name");
    }
    SymbolStores.Result<OpenPdb> stored = stores.find(sought.get());
    tried.addAll(stored.tried());
    return new Result(stored.found(), tried, stored.remarks());
  }

  private static Result none(List<Tried> before, Object place, String why) {
    List<Tried> tried = new ArrayList<>(before);
    tried.add(new Tried(place.toString(), false, place + " " + why));
    return new Result(Optional.empty(), tried, List.of());
  }

  /** Plain folders may have PDBs by the kinds of their images. */
  private static List<String> kinds(Path file) {
    Path name = file.getFileName();
    return name == null ? List.of() : SafeFileName.kind(name.toString()).stream().toList();
  }

  private List<Path> candidates(Optional<StoreKey> key) {
    List<Path> all = new ArrayList<>();
    for (Path place : places) {
      if (Files.isDirectory(place)) {
        key.ifPresent(known -> addIn(place, known.name(), all));
        key.ifPresent(known -> addStored(place, known, all));
      } else {
        all.add(place);
      }
    }
    return all;
  }

  /** Adds the files of a folder that is laid out as a store. */
  private static void addStored(Path folder, StoreKey key, List<Path> all) {
    boolean windows = SymbolPath.Host.here().windows();
    for (LocalStore.Entry entry : new LocalStore(folder, windows).entries(key)) {
      if (entry instanceof LocalStore.Entry.Candidate(Path file, _)) {
        all.add(file);
      }
    }
  }

  /** Adds a file under its own name, or that of its compressed form. */
  private static void addIn(Path folder, String name, List<Path> all) {
    try {
      all.add(folder.resolve(name).normalize());
      Path packed = folder.resolve(name + ".gz").normalize();
      if (Files.exists(packed)) {
        all.add(packed);
      }
    } catch (InvalidPathException e) {
      // A name that this system cannot spell: no folder has it.
    }
  }

  private static Optional<OpenPdb> tryOne(Path place, PdbId id, List<Tried> tried) {
    if (!Files.exists(place)) {
      tried.add(new Tried(place.toString(), false, place + " not found"));
      return Optional.empty();
    }
    try {
      return Optional.of(PdbRequest.open(place, "", place.toString(), id));
    } catch (CannotGoOn e) {
      tried.add(Tried.refused(place.toString(), e));
      return Optional.empty();
    }
  }
}

package io.ntrail.analysis.naming;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbSection;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.symbols.ImageFileRequest;
import io.ntrail.programs.symbols.ImageSymbols;
import io.ntrail.programs.symbols.OpenImage;
import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.programs.symbols.SymbolStores;
import io.ntrail.programs.symbols.SymbolizedAddress;
import io.ntrail.programs.symbols.SymbolizedAddress.Origin;
import io.ntrail.programs.symbols.TimedTasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Names for the images of a recording. The PDB of an image is looked for when the first of its
 * addresses is requested. May be used by one thread.
 */
public final class RecordingSymbols implements AutoCloseable {
  /** Addresses that are remembered, each a few hundred bytes. */
  private static final int MOST_ADDRESSES = 1 << 16;

  private final Images images;
  private PdbSearch search;

  /** Stores in which images without a PDB are looked for. */
  private final SymbolStores imageFiles;

  private Function<ImageFile, Optional<PeImage>> atHand = _ -> Optional.empty();

  private final Map<Integer, Names> byFile = new HashMap<>();

  /** PDBs are shared by files that differ only in what was recorded about them. */
  private final Map<PdbReference, Names> byPdb = new HashMap<>();

  /** Images whose names were not there in time, by the names of their PDBs. */
  private final List<String> late = new ArrayList<>();

  private record Address(int file, long rva) {}

  /** Results of addresses: stacks come again and again. */
  private final Map<Address, Optional<SymbolizedAddress>> known =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(
            Map.Entry<Address, Optional<SymbolizedAddress>> eldest) {
          return size() > MOST_ADDRESSES;
        }
      };

  /**
   * Origin of the names of an image.
   *
   * @param reference which PDB belongs to it; empty if not recorded
   * @param pdb the PDB; empty if it was not found
   * @param tried where it was looked for, and why it was not taken from there
   * @param remarks stores that should have kept a copy and do not, each in a sentence
   */
  public record Source(
      Optional<PdbReference> reference,
      Optional<OpenPdb> pdb,
      List<Tried> tried,
      List<String> remarks) {
    /** Copies the lists. */
    public Source {
      tried = List.copyOf(tried);
      remarks = List.copyOf(remarks);
    }
  }

  private record Names(Source source, Optional<ImageSymbols> symbols) {
    Names(Source source) {
      this(source, source.pdb.map(pdb -> ImageSymbols.of(pdb.pdb())));
    }
  }

  private static final Names NONE =
      new Names(new Source(Optional.empty(), Optional.empty(), List.of(), List.of()));

  /** Images whose own names are used, by what they are looked for. */
  private final Map<ImageFileRequest, Optional<OpenImage>> byImage = new HashMap<>();

  /** Looks for the PDBs of the images of a recording. */
  public RecordingSymbols(Images images, PdbSearch search) {
    this(images, search, SymbolStores.none());
  }

  /**
   * Looks for the PDBs of the images of a recording, and for images whose PDB is missing.
   *
   * @param imageFiles where images are looked for; their servers are not asked
   */
  public RecordingSymbols(Images images, PdbSearch search, SymbolStores imageFiles) {
    this.images = images;
    this.search = search;
    this.imageFiles = imageFiles.offline();
  }

  /**
   * Has names taken from images that are at hand, where neither the PDB nor the file is found.
   *
   * @param images returns the image of a file; it must stay open
   */
  public RecordingSymbols withImages(Function<ImageFile, Optional<PeImage>> images) {
    atHand = images;
    return this;
  }

  /**
   * Returns the function at an address, by the PDB of the image, else by what the image itself
   * exports; empty if unknown.
   *
   * @param file number of the image's file
   * @param rva in the image
   */
  public Optional<SymbolizedAddress> at(int file, long rva) {
    Optional<ImageSymbols> symbols = names(file).symbols;
    if (symbols.isEmpty()) {
      return Optional.empty();
    }
    return known.computeIfAbsent(
        new Address(file, rva),
        _ ->
            // Code that ran is not padding: it is a function without a name.
            symbols.get().at(rva).filter(symbol -> symbol.origin() != Origin.NEAREST));
  }

  /**
   * Returns the origin of the names of an image.
   *
   * @param file number of the image's file
   */
  public Source source(int file) {
    return names(file).source;
  }

  /**
   * Looks for the PDBs of images before the first address is requested, several at a time.
   * Downloads that are not complete in time are stopped, and listed by {@link #late}; no server is
   * queried afterwards.
   *
   * @param files numbers of the images' files, those first that matter most
   * @param wait how long; null: until all is known
   */
  public void prepare(List<Integer> files, @Nullable Duration wait) {
    prepare(files, wait, new StoppableWork<>(""));
  }

  /**
   * Looks for the PDBs of images as {@link #prepare(List, Duration)} does.
   *
   * @param work is told of each; what is found after a request to stop counts as left out
   */
  public <P> void prepare(List<Integer> files, @Nullable Duration wait, StoppableWork<P> work) {
    Map<PdbReference, ImageFile> wanted = new LinkedHashMap<>();
    for (int file : files) {
      images
          .pdb(file)
          .filter(pdb -> !byPdb.containsKey(pdb))
          .ifPresent(pdb -> wanted.putIfAbsent(pdb, images.files().get(file)));
    }
    PdbSearch asking = search;
    work.begin(wanted.size());
    TimedTasks<PdbSearch.Result> running =
        new TimedTasks<>(
            wanted.keySet().stream()
                .<Callable<PdbSearch.Result>>map(pdb -> () -> find(asking, pdb, work))
                .toList());
    List<Optional<PdbSearch.Result>> found =
        running.await(
            wait,
            result -> result.pdb().isPresent(),
            result -> result.pdb().ifPresent(OpenPdb::close));
    if (work.isStopping()) {
      work.stopped();
    }
    int next = 0;
    for (Map.Entry<PdbReference, ImageFile> entry : wanted.entrySet()) {
      PdbReference pdb = entry.getKey();
      Optional<PdbSearch.Result> result = found.get(next++);
      if (result.isEmpty()) {
        late.add(pdb.fileName());
      }
      byPdb.put(
          pdb, result.map(r -> names(r, pdb, entry.getValue())).orElseGet(() -> notInTime(pdb)));
    }
    search = search.offline();
  }

  private static PdbSearch.Result find(PdbSearch asking, PdbReference pdb, StoppableWork<?> work) {
    PdbSearch.Result result = asking.find(pdb.id(), pdb.fileName());
    if (!work.isStopping()) {
      work.done(1);
    }
    return result;
  }

  private static Names notInTime(PdbReference pdb) {
    Tried tried = new Tried("servers", false, pdb.fileName() + " timed out");
    return new Names(new Source(Optional.of(pdb), Optional.empty(), List.of(tried), List.of()));
  }

  /** Returns the PDBs that did not come in time, by their names, those first that matter most. */
  public List<String> late() {
    return List.copyOf(late);
  }

  /** Returns true if a requested PDB is missing, though the recording has the id of it. */
  public boolean lacksAny() {
    return byPdb.values().stream().anyMatch(names -> names.source.pdb.isEmpty());
  }

  private Names names(int file) {
    return byFile.computeIfAbsent(
        file,
        number ->
            withImage(
                images
                    .pdb(number)
                    .map(
                        pdb -> byPdb.computeIfAbsent(pdb, p -> find(p, images.files().get(number))))
                    .orElse(NONE),
                images.files().get(number)));
  }

  private Names withImage(Names names, ImageFile file) {
    if (names.symbols.isPresent()) {
      return names;
    }
    return ImageFileRequest.of(file.name(), file.id())
        .flatMap(sought -> byImage.computeIfAbsent(sought, s -> imageFiles.find(s).found()))
        .map(OpenImage::image)
        .or(() -> atHand.apply(file))
        .flatMap(RecordingSymbols::exported)
        .map(symbols -> new Names(names.source, Optional.of(symbols)))
        .orElse(names);
  }

  /** Returns the names that an image has itself; empty if they cannot be read. */
  private static Optional<ImageSymbols> exported(PeImage image) {
    try {
      return Optional.of(ImageSymbols.of(image));
    } catch (DamagedInput e) {
      return Optional.empty();
    }
  }

  private Names find(PdbReference reference, ImageFile file) {
    return names(search.find(reference.id(), reference.fileName()), reference, file);
  }

  private static Names names(PdbSearch.Result found, PdbReference reference, ImageFile file) {
    List<Tried> tried = new ArrayList<>(found.tried());
    Optional<OpenPdb> pdb = found.pdb();
    if (pdb.isPresent() && !fits(pdb.get().pdb(), file)) {
      tried.add(
          new Tried(
              pdb.get().path().toString(),
              true,
              pdb.get().path() + " has no section headers for " + file.name()));
      pdb.get().close();
      pdb = Optional.empty();
    }
    return new Names(new Source(Optional.of(reference), pdb, tried, found.remarks()));
  }

  /** Returns true if the PDB can name addresses in the image. */
  private static boolean fits(PdbFile pdb, ImageFile file) {
    return pdb.hasSectionTable() || PdbSection.imageSize(pdb.sections()) == file.size();
  }

  /**
   * Returns what was not as it should be, each in a sentence: PDBs that are there and cannot be
   * used, stores that keep no copy.
   */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    for (Names names : byPdb.values()) {
      if (names.source.pdb.isEmpty()) {
        names.source.tried.stream().filter(Tried::isThere).map(Tried::why).forEach(warnings::add);
      }
    }
    warnings.addAll(remarks());
    return warnings.stream().distinct().sorted().toList();
  }

  /** Returns the stores that should have kept a copy and do not, each in a sentence. */
  public List<String> remarks() {
    return byPdb.values().stream().flatMap(names -> names.source.remarks.stream()).toList();
  }

  /** Returns how many images were requested, each once, however often it was loaded. */
  public int hot() {
    return count(byFile.keySet());
  }

  /** Returns how many of them have a PDB that was found. */
  public int found() {
    return count(
        byFile.entrySet().stream()
            .filter(names -> names.getValue().source.pdb.isPresent())
            .map(Map.Entry::getKey)
            .toList());
  }

  /** Returns how many of them have no PDB, but names that they export. */
  public int exporting() {
    return count(
        byFile.entrySet().stream()
            .filter(names -> names.getValue().source.pdb.isEmpty())
            .filter(names -> names.getValue().symbols.isPresent())
            .map(Map.Entry::getKey)
            .toList());
  }

  /**
   * Counts images by name and size: lists of loaded images have no time stamps, and other paths.
   */
  private int count(Collection<Integer> files) {
    return (int)
        files.stream()
            .map(images.files()::get)
            .map(file -> file.name().toLowerCase(Locale.ROOT) + "*" + file.size())
            .distinct()
            .count();
  }

  /** Returns the parts of the PDBs that could not be read so far. */
  public List<Gap> gaps() {
    return byPdb.values().stream()
        .flatMap(names -> names.source.pdb.stream())
        .flatMap(pdb -> pdb.gaps().stream())
        .toList();
  }

  @Override
  public void close() {
    byPdb.values().forEach(names -> names.source.pdb.ifPresent(OpenPdb::close));
    byImage.values().forEach(image -> image.ifPresent(OpenImage::close));
  }
}

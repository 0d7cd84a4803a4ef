package io.ntrail.analysis.etw;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.etw.weights.Variant;
import io.ntrail.analysis.etw.weights.WeightSource;
import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.Images;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.naming.RecordingSymbols.Source;
import io.ntrail.analysis.profile.ImageProfile;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.programs.symbols.StoreKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The images of a recording with the samples in them, those with the most first, and where the
 * names of each come from.
 */
public final class RecordedImages implements AutoCloseable {
  /** State of an image's symbols. */
  public enum State {
    FOUND("found"),
    WRONG("wrong"),
    MISSING("missing"),
    NO_ID("noPdbId");

    private final String text;

    State(String text) {
      this.text = text;
    }

    /** Returns its word in JSON. */
    public String text() {
      return text;
    }
  }

  /**
   * One image, however often it was loaded.
   *
   * @param file its number
   * @param samples of CPUs that were busy in it
   */
  public record Candidate(int file, ImageFile image, long samples) {
    /** Returns the sum of two candidates of the same image, with the better description. */
    Candidate plus(Candidate same) {
      ImageFile told = MORE_TOLD.compare(image, same.image) >= 0 ? image : same.image;
      return new Candidate(file, told, samples + same.samples);
    }

    String lowerName() {
      return image.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the place of the image in a store; empty if its time stamp is not recorded. */
    public Optional<StoreKey> imageKey() {
      return image.timeDateStamp() == 0
          ? Optional.empty()
          : StoreKey.image(image.name(), imageId());
    }

    /** Returns its time stamp and size. */
    public ImageId imageId() {
      return new ImageId(Integer.toUnsignedLong(image.timeDateStamp()), image.size());
    }
  }

  /** An image with what was found for it. */
  public record Row(Candidate candidate, State state, Source source) {
    /** Returns the image. */
    public ImageFile image() {
      return candidate.image;
    }

    /** Returns the samples in it. */
    public long samples() {
      return candidate.samples;
    }

    /** Returns the place of its PDB in a store. */
    public Optional<StoreKey> pdbKey() {
      return source.reference().flatMap(pdb -> StoreKey.pdb(pdb.fileName(), pdb.id()));
    }
  }

  /** Order of files by how much is known of them: events of one file differ in detail. */
  private static final Comparator<ImageFile> MORE_TOLD =
      Comparator.comparingLong((ImageFile image) -> Integer.toUnsignedLong(image.timeDateStamp()))
          .thenComparing(ImageFile::path);

  private final List<Candidate> all;
  private final RecordingSymbols symbols;
  private final long busy;

  private RecordedImages(List<Candidate> all, RecordingSymbols symbols, long busy) {
    this.all = all;
    this.symbols = symbols;
    this.busy = busy;
  }

  /** Counts the samples in each image; nothing is looked for yet. */
  public static RecordedImages of(EtwRecording recording, PdbSearch pdbs, int cores) {
    ProfileInput input =
        ProfileInput.of(recording, new SchemaSources(UserSchemas.NONE), cores, false);
    ImageProfile hits = new ImageProfile();
    long busy = 0;
    WeightSource samples = WeightSources.usual();
    if (samples.events(input.inventory()) > 0) {
      Profiler profiler =
          new Profiler(
              input,
              new Profiler.Request(
                  samples, samples.metric().unitOfHits(), Variant.ONLY, ProfileScope.ALL),
              null);
      profiler.run(hits);
      busy = profiler.total();
    }
    Images images = input.machine().images();
    return new RecordedImages(candidates(images, hits), new RecordingSymbols(images, pdbs), busy);
  }

  private static List<Candidate> candidates(Images images, ImageProfile hits) {
    Map<String, Candidate> byBuild = new LinkedHashMap<>();
    Map<String, String> identified = new HashMap<>();
    for (int i = 0; i < images.files().size(); i++) {
      ImageFile image = images.files().get(i);
      Candidate candidate = new Candidate(i, image, hits.of(i));
      String build = candidate.lowerName() + "*" + image.size();
      String key = build + images.pdb(i);
      byBuild.merge(key, candidate, Candidate::plus);
      images.pdb(i).ifPresent(_ -> identified.putIfAbsent(build, key));
    }
    // Lists of loaded images have less of an image than its load event.
    identified.forEach((build, key) -> {
      Candidate unidentified = byBuild.remove(build + Optional.empty());
      if (unidentified != null) {
        byBuild.merge(key, unidentified, Candidate::plus);
      }
    });
    Comparator<Candidate> order =
        Comparator.comparingLong((Candidate candidate) -> -candidate.samples)
            .thenComparing(Candidate::lowerName)
            .thenComparingLong(candidate -> candidate.image.size());
    // The keys part builds that are equal in all of this: the files come in no order.
    return byBuild.entrySet().stream()
        .sorted(
            Map.Entry.<String, Candidate>comparingByValue(order)
                .thenComparing(Map.Entry.comparingByKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** Samples of CPUs that were busy. */
  public long busy() {
    return busy;
  }

  /** The images with the most samples. */
  public List<Candidate> hottest(long limit) {
    return all.stream()
        .filter(candidate -> candidate.samples > 0)
        .limit(limit == 0 ? Long.MAX_VALUE : limit)
        .toList();
  }

  /** All images. */
  public List<Candidate> all() {
    return all;
  }

  /** Looks for the PDBs of some of the images. */
  public List<Row> find(List<Candidate> wanted) {
    return find(wanted, new StoppableWork<>(""));
  }

  /**
   * Looks for the PDBs of some of the images.
   *
   * @param work is told of each
   */
  public List<Row> find(List<Candidate> wanted, StoppableWork<?> work) {
    symbols.prepare(wanted.stream().map(Candidate::file).toList(), null, work);
    List<Row> rows = new ArrayList<>();
    for (Candidate candidate : wanted) {
      Source source = symbols.source(candidate.file);
      rows.add(new Row(candidate, state(source), source));
    }
    return rows;
  }

  private static State state(Source source) {
    return source.reference().isEmpty()
        ? State.NO_ID
        : source.pdb().isPresent()
            ? State.FOUND
            : source.tried().stream().anyMatch(Tried::isThere) ? State.WRONG : State.MISSING;
  }

  /** Returns the parts of PDBs that could not be read. */
  public List<Gap> gaps() {
    return symbols.gaps();
  }

  /** Stores that should have kept a copy and do not, each in a sentence. */
  public List<String> remarks() {
    return symbols.remarks();
  }

  @Override
  public void close() {
    symbols.close();
  }
}

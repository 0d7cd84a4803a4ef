package io.ntrail.analysis.etw;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.weights.MetricInventory;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.etw.weights.Variant;
import io.ntrail.analysis.etw.weights.WeightSource;
import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.analysis.naming.FrameRules;
import io.ntrail.analysis.naming.ModuleBuilds;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.profile.CallTree;
import io.ntrail.analysis.profile.CallerCalleeProfile;
import io.ntrail.analysis.profile.FlatProfile;
import io.ntrail.analysis.profile.OwnerProfile;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.StackFrequencies;
import io.ntrail.analysis.profile.WeightSubject;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.analysis.profile.ZoomProfile;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.SymbolStores;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Profile of an ETW recording: a survey, names for the images that matter, and weights added up in
 * one or several shapes. Each shape is a pass over the recording. Names that were looked up stay
 * after {@link #close}, which closes the PDBs.
 */
public final class EtwProfile implements AutoCloseable {
  /**
   * Question to a recording, before anything is known about it.
   *
   * @param source what to add up
   * @param unit one of the source's units
   * @param scope which part of the recording
   * @param rules what frames are shown as
   * @param subject what weights can be told apart by, beside their owners
   */
  public record Query(
      WeightSource source,
      WeightUnit unit,
      ProfileScope scope,
      FrameRules rules,
      WeightSubject subject) {
    /** Creates a question about weights that are not told apart by what their events are about. */
    public Query(WeightSource source, WeightUnit unit, ProfileScope scope, FrameRules rules) {
      this(source, unit, scope, rules, WeightSubject.NONE);
    }

    /** CPU samples of the whole recording. */
    public static Query cpu() {
      return of(WeightSources.usual());
    }

    /** Returns the question for a source in its usual unit, of the whole recording. */
    public static Query of(WeightSource source) {
      return new Query(
          source, source.metric().units().getFirst(), ProfileScope.ALL, FrameRules.USUAL);
    }

    /** Returns the same question about a part of the recording. */
    public Query in(ProfileScope part) {
      return new Query(source, unit, part, rules, subject);
    }
  }

  private final ProfileInput input;
  private final Profiler.Request request;
  private final RecordingSymbols symbols;
  private final Profiler profiler;

  private EtwProfile(
      ProfileInput input, Profiler.Request request, FrameRules rules, RecordingSymbols symbols) {
    this.input = input;
    this.request = request;
    this.symbols = symbols;
    this.profiler = new Profiler(input, request, symbols, rules);
  }

  /**
   * Surveys a recording for a profile of the usual variant of a metric.
   *
   * @param pdbs where PDBs are looked for
   * @param images where images are looked for whose PDB is not found
   * @param cores threads to use
   * @throws CannotGoOn if the recording has none of the events that the metric needs, and all of it
   *     could be read
   */
  public static EtwProfile of(
      EtwRecording recording, Query query, PdbSearch pdbs, SymbolStores images, int cores) {
    return of(recording, query, query.source::usualVariant, pdbs, images, cores);
  }

  /**
   * Surveys a recording for a profile.
   *
   * @param variant chooses one of the variants of the metric that the recording has
   * @param pdbs where PDBs are looked for
   * @param images where images are looked for whose PDB is not found
   * @param cores threads to use
   * @throws CannotGoOn if the recording has none of the events that the metric needs, and all of it
   *     could be read
   */
  public static EtwProfile of(
      EtwRecording recording,
      Query query,
      Function<MetricInventory, Variant> variant,
      PdbSearch pdbs,
      SymbolStores images,
      int cores) {
    SchemaSources schemas = new SchemaSources(UserSchemas.NONE);
    ProfileInput input =
        ProfileInput.of(
            recording, schemas, cores, query.source, query.unit, query.scope, query.subject);
    boolean hasNone = query.source.events(input.inventory()) == 0;
    // Where parts could not be read, no weights are an answer: nobody knows what is in those.
    boolean isAnswer =
        !recording.gaps().isEmpty() && !query.source.variants(input.inventory()).isEmpty();
    if (hasNone && !isAnswer) {
      throw CannotGoOn.notFound(
          without(recording, query.source), recording.gaps(), query.source.metric().toRecord());
    }
    Profiler.Request request =
        new Profiler.Request(
            query.source, query.unit, variant.apply(input.inventory()), query.scope, query.subject);
    RecordingSymbols symbols = new RecordingSymbols(input.machine().images(), pdbs, images);
    return new EtwProfile(input, request, query.rules, symbols);
  }

  private static String without(EtwRecording recording, WeightSource source) {
    return recording.fileNames().getFirst() + " holds no " + source.metric().things();
  }

  /**
   * Returns that there are no events of the metric in what could be read, as a sentence; empty if
   * there are some.
   */
  public String lack() {
    return request.source().events(input.inventory()) == 0
        ? without(input.recording(), request.source()) + CannotGoOn.AS_FAR_AS_READ
        : "";
  }

  /**
   * Looks for the PDBs of all images with weights at once, the heaviest first, and downloads them
   * if the search path names servers. Without this call each is looked for when its first address
   * is named.
   *
   * @param wait how long servers may take; null: until all have answered
   */
  public void fetchNames(@Nullable Duration wait) {
    symbols.prepare(HotImages.of(input, request), wait);
  }

  /**
   * Returns the weight of each function, source line or module.
   *
   * @param byModule whether rows are modules, and not functions (or lines, by the rules)
   * @param bySelf whether the heaviest by its own weight comes first, or else with its callees
   */
  public List<ProfileRow> rows(boolean byModule, boolean bySelf) {
    FlatProfile flat = new FlatProfile(profiler.functions(), byModule);
    profiler.run(flat);
    return flat.rows(bySelf, input.cores());
  }

  /**
   * Returns the weight of each process, thread or CPU, or of each file or type if that is what
   * weights can be told apart by.
   */
  public List<ProfileRow> owners(OwnerProfile.By by) {
    OwnerProfile owners = new OwnerProfile(input.machine(), by);
    profiler.run(owners);
    return owners.rows();
  }

  /**
   * Returns the call tree with all its nodes.
   *
   * @param byModule whether nodes are modules, and not functions
   */
  public CallTree tree(CallTree.Direction direction, boolean byModule) {
    return tree(direction, byModule, _ -> 0);
  }

  /**
   * Returns the call tree with the nodes that will be looked at, and what is above them.
   *
   * @param byModule whether nodes are modules, and not functions
   * @param least gives the inclusive weight of the nodes that will be looked at, of the total
   */
  public CallTree tree(CallTree.Direction direction, boolean byModule, LongUnaryOperator least) {
    CallTree tree = new CallTree(input.machine(), profiler.functions(), direction, byModule);
    profiler.run(tree);
    tree.settle(least.applyAsLong(profiler.total()), input.cores());
    return tree;
  }

  /** Returns the callers and callees of the functions that match one of some patterns. */
  public CallerCalleeProfile callers(List<NamePattern> functions) {
    CallerCalleeProfile callers = new CallerCalleeProfile(profiler.functions(), functions);
    profiler.run(callers);
    return callers;
  }

  /**
   * Returns the hits by module, and in some modules by function.
   *
   * @param bucket bytes of code that are counted together, a power of two
   */
  public ZoomProfile zoom(int bucket, List<NamePattern> modules) {
    ZoomProfile zoom = new ZoomProfile(bucket, modules);
    profiler.run(zoom);
    return zoom;
  }

  /** Returns the weight of each different stack. */
  public StackFrequencies stacks() {
    StackFrequencies stacks = new StackFrequencies(profiler.functions());
    profiler.run(stacks);
    return stacks;
  }

  /** Returns how many events one hit stands for; -1 if unknown or not constant. */
  public long eventsPerHit() {
    return request.source().eventsPerHit(input.inventory(), request.variant());
  }

  /** Returns what the survey learned. */
  public ProfileInput input() {
    return input;
  }

  /** Returns the totals, losses and diagnostics of the last shape. */
  public Profiler profiler() {
    return profiler;
  }

  /** Returns the builds of all images. */
  public ModuleBuilds builds() {
    return ModuleBuilds.of(input.machine().images());
  }

  /** Returns the names, where they come from, and what could not be found. */
  public RecordingSymbols symbols() {
    return symbols;
  }

  @Override
  public void close() {
    symbols.close();
  }
}

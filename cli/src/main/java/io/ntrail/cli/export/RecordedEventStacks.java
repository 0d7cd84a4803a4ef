package io.ntrail.cli.export;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.profile.CallTree;
import io.ntrail.analysis.profile.FlatProfile;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.WeightTree;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.HotImages;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.profile.EventProfilePage;
import io.ntrail.cli.profile.ProfilePage;
import io.ntrail.cli.profile.ProfileRemarks;
import io.ntrail.cli.profile.ProfileRequest;
import io.ntrail.cli.profile.ProfileShape;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.StackTree;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** The weights of a recording of events, as {@code profile} adds them up. */
final class RecordedEventStacks implements StackInput {
  private final EtwRecording recording;
  private final Path path;
  private final SymbolSearchPath places;
  private final RecordingSymbols symbols;
  private final EventProfilePage view;
  private final ProfileRemarks remarks;
  private final List<ProfileRow> rows;
  private final @Nullable WeightTree tree;
  private final ParseResult parsed;
  private final Terminal terminal;

  private RecordedEventStacks(
      EtwRecording recording,
      ProfileInput input,
      ProfileRequest request,
      Path path,
      SymbolSearchPath places,
      RecordingSymbols symbols,
      Profiler profiler,
      ParseResult parsed,
      Terminal terminal) {
    this.recording = recording;
    this.path = path;
    this.places = places;
    this.symbols = symbols;
    this.parsed = parsed;
    this.terminal = terminal;
    ProfileShape shape = request.shape();
    boolean byModule = shape.by() == ProfileShape.By.MODULE;
    view = new EventProfilePage(input, profiler, symbols, request, parsed, terminal);
    remarks = new ProfileRemarks(input, profiler, request, terminal);
    if (shape.look() == ProfileShape.Look.TREE) {
      CallTree paths =
          new CallTree(
              input.machine(), profiler.functions(), CallTree.Direction.TOP_DOWN, byModule);
      profiler.run(paths);
      paths.settle();
      tree = paths;
      rows = List.of();
    } else {
      FlatProfile flat = new FlatProfile(profiler.functions(), byModule);
      profiler.run(flat);
      rows = flat.rows(shape.bySelf());
      tree = null;
    }
  }

  /** Reads a recording of one file or several. */
  static RecordedEventStacks open(
      RecordingInput recorded, ProfileShape shape, ParseResult parsed, Terminal terminal) {
    List<Path> paths = recorded.paths();
    ProfileRequest request = ProfileRequest.of(parsed, shape);
    SchemaSources sources = new SchemaSources(UserSchemas.NONE);
    EtwRecording recording = recorded.open(EtwRecording.class);
    SymbolSearchPath places = SymbolSearchPath.of(paths, parsed, terminal);
    try (Progress _ = ReadingProgress.start(recording, places, parsed, terminal)) {
      ProfileInput input =
          ProfileInput.of(
              recording, sources, CommonOptions.cores(parsed), !request.scope().events().isEmpty());
      // What is printed later has its names then.
      try (RecordingSymbols symbols =
          new RecordingSymbols(input.machine().images(), places.search(), places.images())) {
        Profiler.Request complete = request.complete(input, recording);
        SymbolDownloads.fetch(
            places, symbols, () -> HotImages.of(input, complete), isText(parsed), parsed);
        Profiler profiler = new Profiler(input, complete, symbols, request.rules());
        return new RecordedEventStacks(
            recording,
            input,
            request,
            paths.getFirst(),
            places,
            symbols,
            profiler,
            parsed,
            terminal);
      }
    } catch (RuntimeException e) {
      places.close();
      recording.close();
      throw e;
    }
  }

  /** Returns whether people read the answer: formats for programs wait for all names. */
  private static boolean isText(ParseResult parsed) {
    boolean isTable = parsed.commandSpec().findOption("--format") != null;
    return isTable
        && !CommonOptions.has(parsed, "--to")
        && CommonOptions.format(parsed, CommonOptions.Format.values()) == CommonOptions.Format.TEXT;
  }

  @Override
  public ProfilePage page() {
    return view;
  }

  @Override
  public void addTo(StackTree into, int column, FrameNameOptions naming) {
    if (tree != null) {
      into.addAll(tree, column, naming);
    }
  }

  @Override
  public String remark() {
    return tree == null ? "" : cut(tree, view);
  }

  /** Says how much of a tree is cut; nothing if all is there. */
  static String cut(WeightTree tree, ProfilePage page) {
    return tree.cut() == 0
        ? ""
        : "memory limit reached: "
            + page.weight(tree.cut())
            + " "
            + page.unit()
            + " have truncated stacks (NTRAIL_JAVA_OPTS=-Xmx4g)";
  }

  @Override
  public List<ProfileRow> rows() {
    return rows;
  }

  @Override
  public int finish() {
    view.missing();
    SymbolDownloads.remarks(path, places, symbols, isText(parsed), parsed, terminal);
    remarks.warn(CommonOptions.cores(parsed), List.of());
    if (!remark().isEmpty()) {
      terminal.err().println("warning: " + remark());
    }
    return Losses.finish(recording, SymbolDownloads.lacking(places, symbols), parsed, terminal);
  }

  @Override
  public void close() {
    places.close();
    recording.close();
  }
}

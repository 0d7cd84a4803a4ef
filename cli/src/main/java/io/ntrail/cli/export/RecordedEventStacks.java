package io.ntrail.cli.export;

import io.ntrail.analysis.etw.EtwProfile;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.naming.ModuleBuilds;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.profile.CallTree;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.WeightTree;
import io.ntrail.cli.common.CommonOptions;
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
  private final ModuleBuilds builds;
  private final @Nullable WeightTree tree;
  private final ParseResult parsed;
  private final Terminal terminal;

  private RecordedEventStacks(
      EtwRecording recording,
      EtwProfile profile,
      ProfileRequest request,
      Path path,
      SymbolSearchPath places,
      ParseResult parsed,
      Terminal terminal) {
    this.recording = recording;
    this.path = path;
    this.places = places;
    this.symbols = profile.symbols();
    this.builds = profile.builds();
    this.parsed = parsed;
    this.terminal = terminal;
    ProfileShape shape = request.shape();
    boolean byModule = shape.by() == ProfileShape.By.MODULE;
    boolean isTree = shape.look() == ProfileShape.Look.TREE;
    view = new EventProfilePage(profile, request, parsed, terminal);
    remarks = new ProfileRemarks(profile, request, terminal);
    tree = isTree ? profile.tree(CallTree.Direction.TOP_DOWN, byModule) : null;
    rows = isTree ? List.of() : profile.rows(byModule, shape.bySelf());
  }

  /** Reads a recording of one file or several. */
  static RecordedEventStacks open(
      RecordingInput recorded, ProfileShape shape, ParseResult parsed, Terminal terminal) {
    List<Path> paths = recorded.paths();
    ProfileRequest written = ProfileRequest.of(parsed, shape);
    EtwRecording recording = recorded.open(EtwRecording.class);
    ProfileRequest request = written.in(recording);
    SymbolSearchPath places = SymbolSearchPath.of(paths, parsed, terminal);
    // What is printed later has its names then.
    try (Progress _ = ReadingProgress.start(recording, places, parsed, terminal);
        EtwProfile profile = request.survey(recording, places, CommonOptions.cores(parsed))) {
      SymbolDownloads.fetch(profile, places, isText(parsed), parsed);
      return new RecordedEventStacks(
          recording, profile, request, paths.getFirst(), places, parsed, terminal);
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

  /** Returns the remark about truncated stacks of a tree; empty if there are none. */
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
  public ModuleBuilds builds() {
    return builds;
  }

  @Override
  public List<ProfileRow> rows() {
    return rows;
  }

  @Override
  public List<String> closing() {
    return remarks.closing(view);
  }

  @Override
  public int finish(boolean isExport) {
    view.missing();
    SymbolDownloads.remarks(path, places, symbols, isText(parsed), parsed, terminal);
    remarks.warn(CommonOptions.cores(parsed), List.of());
    if (!remark().isEmpty()) {
      terminal.err().println("warning: " + remark());
    }
    if (isExport) {
      Losses.warnLost(recording, List.of(), terminal);
    }
    return Losses.finish(recording, SymbolDownloads.lacking(places, symbols), parsed, terminal);
  }

  @Override
  public void close() {
    places.close();
    recording.close();
  }
}

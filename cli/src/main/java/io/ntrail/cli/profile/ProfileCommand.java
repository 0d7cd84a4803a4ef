package io.ntrail.cli.profile;

import io.ntrail.analysis.etw.EtwProfile;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.Ability;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.analysis.profile.CallTree;
import io.ntrail.analysis.profile.CallerCalleeProfile;
import io.ntrail.analysis.profile.OwnerProfile;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.ZoomProfile;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.profile.ProfileShape.By;
import io.ntrail.cli.pt.TraceCalls;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail profile FILE...}: where time, or another weight of events with stacks, went. */
public final class ProfileCommand implements Command {
  public ProfileCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command(
            "profile", "CPU time, waits, I/O or other weights by function, process or call path.");
    MetricOptions.add(spec);
    spec.addOption(
        CommonOptions.values(
            "PATTERN",
            "events of this name (with --metric: only these events of it)",
            "-e",
            "--event"));
    spec.addOption(CommonOptions.values("NAME|PID", "only this process", "-p", "--process"));
    spec.addOption(CommonOptions.values("NAME|TID", "only this thread", "-t", "--thread"));
    spec.addOption(
        CommonOptions.value(
            "FROM..TO", "only this time range, in seconds; calls are clipped to it", "--time"));
    spec.addOption(CommonOptions.flag("kernel mode only", "--kernel"));
    spec.addOption(CommonOptions.flag("user mode only", "--user"));
    spec.addOption(CommonOptions.flag("include idle samples", "--idle"));
    spec.addOption(
        CommonOptions.oneOf(
            Arrays.stream(By.values()).map(OptionValues::word).toList(),
            "KEY",
            "rows by function (default), line, module, process, thread, cpu, file, type",
            "--by"));
    spec.addOption(CommonOptions.flag("call tree, top-down", "--tree"));
    spec.addOption(
        CommonOptions.flag("callers of the hottest functions, bottom-up", "--bottom-up"));
    spec.addOption(
        CommonOptions.values("FUNCTION", "callers and callees of this function", "--callers"));
    spec.addOption(
        CommonOptions.values(
            "MODULE", "hits by module, and in this module by function", "-z", "--zoom"));
    spec.addOption(
        CommonOptions.value("BYTES", "bucket size of -z in bytes (default: 16)", "--buckets"));
    FrameOptions.add(spec);
    TraceCalls.options(spec);
    SymbolSearchPath.optionsWithWait(spec);
    spec.addOption(CommonOptions.value("PERCENT", "omit rows below this percentage", "--min"));
    spec.addOption(CommonOptions.value("self|incl", "sort order", "-s", "--sort"));
    spec.addOption(
        CommonOptions.value(
            "N",
            "at most N rows; 0 for all (default: 20 on a terminal, else all)",
            "-n",
            "--limit"));
    CommonOptions.output(spec, "text, json, jsonl, csv or collapsed", ProfileShape.FORMATS.words());
    CommonOptions.together(spec);
    spec.addPositional(CommonOptions.recordings());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    List<Path> paths = CommonOptions.paths(parsed, "profile");
    if (TraceCalls.isMeant(parsed)) {
      return CallProfile.runTrace(paths, parsed, system);
    }
    try (RecordingInput recorded =
        RecordingInput.of(paths, Ability.WEIGHTED_STACKS)
            .together(CommonOptions.isTogether(parsed))) {
      return recorded.has(Ability.CALLS)
          ? CallProfile.run(recorded, parsed, system)
          : run(recorded, parsed, system);
    }
  }

  private static int run(RecordingInput recorded, ParseResult parsed, Terminal system) {
    List<Path> paths = recorded.paths();
    TraceCalls.check(parsed, "ntrail profile trace.etl --metric pt --image-path images");
    ProfileRequest written = ProfileRequest.of(parsed, system);
    boolean isText = written.shape().format() == Format.TEXT;
    try (EtwRecording recording = recorded.open(EtwRecording.class);
        Terminal terminal = CommonOptions.output(parsed, system);
        SymbolSearchPath places = SymbolSearchPath.of(paths, parsed, terminal)) {
      ProfileRequest request = written.in(recording);
      EtwProfile profile;
      EventProfilePage view;
      Answer answer;
      Losses.Symbols lacking;
      try (Progress _ = ReadingProgress.start(recording, places, parsed, terminal);
          EtwProfile surveyed = request.survey(recording, places, CommonOptions.cores(parsed))) {
        profile = surveyed;
        SymbolDownloads.fetch(profile, places, isText, parsed);
        view = new EventProfilePage(profile, request, parsed, terminal);
        // What is printed later has its names then.
        answer = answer(profile, request, view);
        lacking = SymbolDownloads.lacking(places, profile.symbols());
      }
      answer.print.run();
      ProfileRemarks remarks = new ProfileRemarks(profile, request, terminal);
      remarks.close(view);
      view.missing();
      SymbolDownloads.remarks(
          paths.getFirst(), places, profile.symbols(), isText, parsed, terminal);
      remarks.warn(CommonOptions.cores(parsed), answer.unmatched);
      return Losses.finish(recording, lacking, parsed, terminal);
    }
  }

  /**
   * Result of a profile.
   *
   * @param print prints it
   * @param unmatched names of functions that were requested and are not there
   */
  private record Answer(Runnable print, List<UnmatchedTerm> unmatched) {}

  private static Answer answer(EtwProfile profile, ProfileRequest request, EventProfilePage view) {
    ProfileShape shape = request.shape();
    return switch (shape.look()) {
      case FLAT -> {
        List<ProfileRow> rows =
            shape.byOwner()
                ? profile.owners(OwnerProfile.By.valueOf(shape.by().name()))
                : profile.rows(shape.by() == By.MODULE, shape.bySelf());
        yield new Answer(() -> new ProfileRowsView(view, shape).print(rows), List.of());
      }
      case TREE, BOTTOM_UP -> {
        CallTree.Direction direction =
            shape.look() == ProfileShape.Look.TREE
                ? CallTree.Direction.TOP_DOWN
                : CallTree.Direction.BOTTOM_UP;
        CallTree tree =
            profile.tree(
                direction,
                shape.by() == By.MODULE,
                shape.format() == Format.COLLAPSED ? _ -> 0 : shape::leastOf);
        yield new Answer(new ProfileTreeView(view, tree, shape)::print, List.of());
      }
      case CALLERS -> {
        CallerCalleeProfile callers = profile.callers(request.callers());
        yield new Answer(new ProfileCallersView(view, callers, shape)::print, callers.unmatched());
      }
      case ZOOM -> {
        ZoomProfile zoom = profile.zoom(request.bucket(), request.zooms());
        ProfileZoomView zoomed =
            new ProfileZoomView(
                view, zoom, shape, request.bucket(), profile.eventsPerHit(), view.covered());
        yield new Answer(zoomed::print, zoom.unmatched());
      }
    };
  }

  /** Modes cannot be had together. */
  static ProfileScope.Mode mode(ParseResult parsed) {
    boolean kernel = CommonOptions.has(parsed, "--kernel");
    boolean user = CommonOptions.has(parsed, "--user");
    if (kernel && user) {
      throw new UsageError("--kernel and --user exclude each other", "--kernel");
    }
    return kernel
        ? ProfileScope.Mode.KERNEL
        : user ? ProfileScope.Mode.USER : ProfileScope.Mode.ALL;
  }
}

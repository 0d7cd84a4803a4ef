package io.ntrail.cli.profile;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.Ability;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.analysis.profile.CallTree;
import io.ntrail.analysis.profile.CallerCalleeProfile;
import io.ntrail.analysis.profile.FlatProfile;
import io.ntrail.analysis.profile.OwnerProfile;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.ZoomProfile;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.HotImages;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.profile.ProfileShape.By;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
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
    spec.addOption(
        CommonOptions.values("TID", "only this thread; of calls also by name", "-t", "--thread"));
    spec.addOption(
        CommonOptions.value(
            "FROM..TO", "only this time range, in seconds; calls are clipped to it", "--time"));
    spec.addOption(CommonOptions.flag("kernel mode only", "--kernel"));
    spec.addOption(CommonOptions.flag("user mode only", "--user"));
    spec.addOption(CommonOptions.flag("include idle samples", "--idle"));
    spec.addOption(
        CommonOptions.value(
            "KEY", "rows by function (default), line, module, process, thread, cpu", "--by"));
    spec.addOption(CommonOptions.flag("call tree, top-down", "--tree"));
    spec.addOption(
        CommonOptions.flag("callers of the hottest functions, bottom-up", "--bottom-up"));
    spec.addOption(
        CommonOptions.values("FUNCTION", "callers and callees of this function", "--callers"));
    spec.addOption(
        CommonOptions.values(
            "MODULE", "hits by module, and in this module by function", "-z", "--zoom"));
    spec.addOption(
        CommonOptions.value("BYTES", "of -z: bucket size in bytes (default: 16)", "--buckets"));
    FrameOptions.add(spec);
    SymbolSearchPath.optionsWithWait(spec);
    spec.addOption(CommonOptions.value("PERCENT", "omit rows below this percentage", "--min"));
    spec.addOption(CommonOptions.value("self|incl", "sort order", "-s", "--sort"));
    spec.addOption(
        CommonOptions.value(
            "N", "at most N rows; 0 for all (default: 20 on the screen)", "-n", "--limit"));
    CommonOptions.output(spec, "text, json, jsonl, csv or collapsed", ProfileShape.FORMATS.words());
    spec.addPositional(CommonOptions.recordings());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    List<Path> paths = CommonOptions.paths(parsed, "profile");
    try (RecordingInput recorded = RecordingInput.of(paths, Ability.WEIGHTED_STACKS)) {
      return recorded.has(Ability.CALLS)
          ? CallProfile.run(recorded, parsed, system)
          : run(recorded, parsed, system);
    }
  }

  private static int run(RecordingInput recorded, ParseResult parsed, Terminal system) {
    List<Path> paths = recorded.paths();
    ProfileRequest request = ProfileRequest.of(parsed);
    SchemaSources sources = new SchemaSources(UserSchemas.NONE);
    try (EtwRecording recording = recorded.open(EtwRecording.class);
        Terminal terminal = CommonOptions.output(parsed, system);
        SymbolSearchPath places = SymbolSearchPath.of(paths, parsed, terminal)) {
      ProfileInput input;
      Profiler profiler;
      EventProfilePage view;
      RecordingSymbols named;
      Answer answer;
      Losses.Symbols lacking;
      try (Progress _ = ReadingProgress.start(recording, places, parsed, terminal)) {
        input =
            ProfileInput.of(
                recording,
                sources,
                CommonOptions.cores(parsed),
                !request.scope().events().isEmpty());
        // What is printed later has its names then.
        try (RecordingSymbols symbols =
            new RecordingSymbols(input.machine().images(), places.search(), places.images())) {
          Profiler.Request complete = request.complete(input, recording);
          boolean isText = request.shape().format() == Format.TEXT;
          SymbolDownloads.fetch(
              places, symbols, () -> HotImages.of(input, complete), isText, parsed);
          profiler = new Profiler(input, complete, symbols, request.rules());
          named = symbols;
          view = new EventProfilePage(input, profiler, symbols, request, parsed, terminal);
          answer = answer(input, profiler, request, view);
          lacking = SymbolDownloads.lacking(places, symbols);
        }
      }
      answer.print.run();
      ProfileRemarks remarks = new ProfileRemarks(input, profiler, request, terminal);
      remarks.closing(view);
      view.missing();
      SymbolDownloads.remarks(
          paths.getFirst(),
          places,
          named,
          request.shape().format() == Format.TEXT,
          parsed,
          terminal);
      remarks.warn(CommonOptions.cores(parsed), answer.unmatched);
      return Losses.finish(recording, lacking, parsed, terminal);
    }
  }

  /**
   * Result of a profile.
   *
   * @param print prints it
   * @param unmatched names of functions that were asked for and are not there
   */
  private record Answer(Runnable print, List<UnmatchedTerm> unmatched) {}

  private static Answer answer(
      ProfileInput input, Profiler profiler, ProfileRequest request, EventProfilePage view) {
    ProfileShape shape = request.shape();
    return switch (shape.look()) {
      case FLAT -> {
        List<ProfileRow> rows = rows(input, profiler, request);
        yield new Answer(() -> new ProfileRowsView(view, shape).print(rows), List.of());
      }
      case TREE, BOTTOM_UP -> {
        CallTree.Direction direction =
            shape.look() == ProfileShape.Look.TREE
                ? CallTree.Direction.TOP_DOWN
                : CallTree.Direction.BOTTOM_UP;
        CallTree tree =
            new CallTree(input.machine(), profiler.functions(), direction, shape.by() == By.MODULE);
        profiler.run(tree);
        tree.settle();
        yield new Answer(new ProfileTreeView(view, tree, shape)::print, List.of());
      }
      case CALLERS -> {
        CallerCalleeProfile callers =
            new CallerCalleeProfile(profiler.functions(), request.callers());
        profiler.run(callers);
        yield new Answer(new ProfileCallersView(view, callers, shape)::print, callers.unmatched());
      }
      case ZOOM -> {
        ZoomProfile zoom = new ZoomProfile(request.bucket(), request.zooms());
        profiler.run(zoom);
        long eventsPerHit = request.source().eventsPerHit(input.inventory(), profiler.variant());
        ProfileZoomView zoomed =
            new ProfileZoomView(view, zoom, shape, request.bucket(), eventsPerHit, view.covered());
        yield new Answer(zoomed::print, zoom.unmatched());
      }
    };
  }

  private static List<ProfileRow> rows(
      ProfileInput input, Profiler profiler, ProfileRequest request) {
    ProfileShape shape = request.shape();
    if (!shape.byOwner()) {
      FlatProfile flat = new FlatProfile(profiler.functions(), shape.by() == By.MODULE);
      profiler.run(flat);
      return flat.rows(shape.bySelf());
    }
    OwnerProfile owners =
        new OwnerProfile(input.machine(), OwnerProfile.By.valueOf(shape.by().name()));
    profiler.run(owners);
    return owners.rows();
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

package io.ntrail.cli.command;

import io.ntrail.analysis.events.SchemaSources;
import io.ntrail.analysis.events.Unmatched;
import io.ntrail.analysis.events.UserSchemas;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.profile.CallTree;
import io.ntrail.analysis.profile.Callers;
import io.ntrail.analysis.profile.FlatProfile;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.OwnerProfile;
import io.ntrail.analysis.profile.ProfileInput;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.Profiler;
import io.ntrail.analysis.profile.Zoom;
import io.ntrail.analysis.recording.Recording;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail profile FILE...}: where time, or another weight of events with stacks, went. */
final class ProfileCommand implements Command {
  ProfileCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        Options.command("profile", "Where time, or another weight of events with stacks, went.");
    spec.addOption(
        Options.value(
            "NAME",
            "what to add up: cpu (default), wait, ready, disk, file, fault, alloc, pmc; of a recording"
                + " of calls only calls, their time",
            "--metric"));
    spec.addOption(Options.flag("short for --metric wait", "--wait"));
    spec.addOption(Options.value("UNIT", "samples, ns, bytes, count or events", "--unit"));
    spec.addOption(
        Options.value(
            "NAME", "which counter of pmc; gc, heap, virtual or pool of alloc", "--source"));
    spec.addOption(
        Options.values(
            "PATTERN", "events of this name, or the metric's that it fits", "-e", "--event"));
    spec.addOption(Options.values("NAME|PID", "only this process", "-p", "--process"));
    spec.addOption(
        Options.values("TID", "only this thread; of calls also by name", "-t", "--thread"));
    spec.addOption(
        Options.value(
            "FROM..TO",
            "only from one time to another, in seconds; of calls the part in it",
            "--time"));
    spec.addOption(Options.flag("only what ran in the kernel", "--kernel"));
    spec.addOption(Options.flag("only what ran in user mode", "--user"));
    spec.addOption(Options.flag("idle samples, too", "--idle"));
    spec.addOption(
        Options.value(
            "KEY", "rows by function (default), line, module, process, thread, cpu", "--by"));
    spec.addOption(Options.flag("who calls what, from the process down", "--tree"));
    spec.addOption(Options.flag("who calls the hottest functions", "--bottom-up"));
    spec.addOption(
        Options.values("FUNCTION", "who calls this function, and what it calls", "--callers"));
    spec.addOption(
        Options.values("MODULE", "hits by module, and in this module by function", "-z", "--zoom"));
    spec.addOption(Options.value("BYTES", "of -z: bytes of a bucket (default: 16)", "--buckets"));
    FrameOptions.add(spec);
    SymbolPlaces.optionsWithWait(spec);
    spec.addOption(Options.value("PERCENT", "leave out what weighs less", "--min"));
    spec.addOption(Options.value("self|incl", "what rows are sorted by", "-s", "--sort"));
    spec.addOption(
        Options.value(
            "N", "at most N rows; 0 for all (default: 20 on the screen)", "-n", "--limit"));
    Options.output(spec, "text, json, jsonl, csv or collapsed", ProfileShape.FORMATS);
    spec.addPositional(Options.recordings());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    List<Path> paths = Options.paths(parsed, "profile");
    Path calls = CallFiles.only(paths, "profile");
    if (calls != null) {
      return CallProfile.run(calls, parsed, system);
    }
    ProfileRequest request = ProfileRequest.of(parsed);
    SchemaSources sources = new SchemaSources(UserSchemas.NONE);
    try (Recording recording = Recording.open(paths);
        Terminal terminal = Options.output(parsed, system);
        SymbolPlaces places = SymbolPlaces.of(paths, parsed, terminal)) {
      ProfileInput input;
      Profiler profiler;
      ProfileView view;
      RecordingSymbols named;
      Answer answer;
      Losses.Symbols lacking;
      try (Progress _ = ReadingProgress.start(recording, places, parsed, terminal)) {
        input =
            ProfileInput.of(
                recording, sources, Options.cores(parsed), !request.scope().events().isEmpty());
        // What is printed later has its names then.
        try (RecordingSymbols symbols =
            new RecordingSymbols(input.machine().images(), places.search(), places.images())) {
          Profiler.Request complete = request.complete(input, recording);
          boolean isText = request.shape().format().equals("text");
          NetworkNames.fetch(places, symbols, () -> HotImages.of(input, complete), isText, parsed);
          profiler = new Profiler(input, complete, symbols, request.rules());
          named = symbols;
          view = new ProfileView(input, profiler, symbols, request, parsed, terminal);
          answer = answer(input, profiler, request, view);
          lacking = NetworkNames.lacking(places, symbols);
        }
      }
      answer.print.run();
      ProfileRemarks remarks = new ProfileRemarks(input, profiler, request, terminal);
      remarks.closing(view);
      view.missing();
      NetworkNames.remarks(
          paths.getFirst(),
          places,
          named,
          request.shape().format().equals("text"),
          parsed,
          terminal);
      remarks.warn(Options.cores(parsed), answer.unmatched);
      return Losses.finish(recording, lacking, parsed, terminal);
    }
  }

  /**
   * What was added up.
   *
   * @param print prints it
   * @param unmatched names of functions that were asked for and are not there
   */
  private record Answer(Runnable print, List<Unmatched> unmatched) {}

  private static Answer answer(
      ProfileInput input, Profiler profiler, ProfileRequest request, ProfileView view) {
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
            new CallTree(input.machine(), profiler.functions(), direction, shape.byModule());
        profiler.run(tree);
        tree.settle();
        yield new Answer(new ProfileTreeView(view, tree, shape)::print, List.of());
      }
      case CALLERS -> {
        Callers callers = new Callers(profiler.functions(), request.callers());
        profiler.run(callers);
        yield new Answer(new ProfileCallersView(view, callers, shape)::print, callers.unmatched());
      }
      case ZOOM -> {
        Zoom zoom = new Zoom(request.bucket(), request.zooms());
        profiler.run(zoom);
        int source = request.metric() == Metric.CPU ? 0 : profiler.source();
        long eventsPerHit = input.inventory().onlyInterval(source);
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
      FlatProfile flat = new FlatProfile(profiler.functions(), shape.byModule());
      profiler.run(flat);
      return flat.rows(shape.bySelf());
    }
    OwnerProfile owners =
        new OwnerProfile(
            input.machine(), OwnerProfile.By.valueOf(shape.by().toUpperCase(Locale.ROOT)));
    profiler.run(owners);
    return owners.rows();
  }

  /** Modes cannot be had together. */
  static ProfileScope.Mode mode(ParseResult parsed) {
    boolean kernel = Options.has(parsed, "--kernel");
    boolean user = Options.has(parsed, "--user");
    if (kernel && user) {
      throw new UsageError("--kernel and --user leave nothing", "--kernel");
    }
    return kernel
        ? ProfileScope.Mode.KERNEL
        : user ? ProfileScope.Mode.USER : ProfileScope.Mode.ALL;
  }

  /** What is added up when nothing is said: samples, or the events that are named. */
  static Metric metric(ParseResult parsed) {
    boolean wait = Options.has(parsed, "--wait");
    String usual = wait ? "wait" : Options.has(parsed, "-e") ? "event" : "cpu";
    String text = Options.text(parsed, "--metric", usual);
    if (wait && !text.equals("wait")) {
      throw new UsageError("--wait is --metric wait, not " + text, "--metric " + text);
    }
    for (Metric metric : Metric.values()) {
      if (metric.text().equals(text) && (metric != Metric.EVENT || Options.has(parsed, "-e"))) {
        return metric;
      }
    }
    throw new UsageError(
        "--metric takes cpu, wait, ready, disk, file, fault, alloc or pmc, not " + text,
        "--metric wait");
  }
}

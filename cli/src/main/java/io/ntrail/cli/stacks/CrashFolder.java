package io.ntrail.cli.stacks;

import io.ntrail.analysis.dumps.CrashSignature;
import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.dumps.DumpSnapshot;
import io.ntrail.analysis.dumps.ImageSource;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.Ability;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.analysis.stacks.SnapshotStacks;
import io.ntrail.analysis.stacks.SnapshotThread;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ParseResult;

/** {@code stacks FOLDER}: the crashes of a folder, equal ones together. */
final class CrashFolder {
  /** Names of files of a group in a line. */
  private static final int MOST_NAMES = 4;

  /** Groups that are shown on the screen. */
  private static final int USUAL_LIMIT = 20;

  /** Crashes with one signature. */
  private record Crashes(CrashSignature signature, List<String> files) {
    int count() {
      return files.size();
    }
  }

  private record Unreadable(String file, String why) {}

  private final Path folder;
  private final ParseResult parsed;
  private final Format format;
  private final List<Unreadable> unreadable = new ArrayList<>();
  private final List<Gap> gaps = new ArrayList<>();
  private final Map<String, Crashes> groups = new LinkedHashMap<>();
  private final StoppableWork<WorkPhase> work;

  CrashFolder(Path folder, ParseResult parsed) {
    this.folder = folder;
    this.parsed = parsed;
    this.work = new StoppableWork<>(new WorkPhase("reading the dumps of " + folder, "file"));
    this.format = CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV);
    for (String option :
        List.of("--at", "-e", "--time", "--all", "--same", "-t", "-p", "--handlers", "--native")) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option + " does not apply to a folder", "ntrail stacks " + ShellWords.file(folder));
      }
    }
  }

  int run(Terminal system) {
    List<Path> files = files();
    try (Terminal terminal = CommonOptions.output(parsed, system)) {
      WorkProgress<WorkPhase> progress = WorkProgress.of(work, parsed, terminal);
      read(files, progress, terminal);
      List<Crashes> sorted = new ArrayList<>(groups.values());
      sorted.sort(
          Comparator.comparingInt(Crashes::count)
              .reversed()
              .thenComparing(group -> group.signature.text()));
      long top = CommonOptions.number(parsed, "--top", format == Format.TEXT ? USUAL_LIMIT : 0);
      List<Crashes> shown = top > 0 && top < sorted.size() ? sorted.subList(0, (int) top) : sorted;
      Listing<Crashes> listing = new Listing<>("groups", columns(), shown::forEach);
      listing.print(
          format,
          terminal.out(),
          () -> text(sorted, shown, progress.state(), terminal),
          json -> json(sorted.size() - shown.size(), listing, progress, json));
      Losses.warn(gaps, terminal);
      for (Unreadable file : unreadable) {
        terminal.err().println("warning: " + file.file + " cannot be read: " + file.why);
      }
    }
    boolean isWhole = work.stoppedAt().isEmpty();
    return isWhole && gaps.isEmpty() && unreadable.isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }

  /** Returns the files whose names are those of dumps, packed or not. */
  private List<Path> files() {
    List<Path> files;
    try (Stream<Path> tree = Files.walk(folder)) {
      files =
          tree.filter(Files::isRegularFile)
              .filter(file -> isDump(file.getFileName().toString().toLowerCase(Locale.ROOT)))
              .sorted()
              .toList();
    } catch (IOException e) {
      throw new CannotGoOn(folder + " cannot be read: " + e.getMessage(), "");
    }
    if (files.isEmpty()) {
      throw new CannotGoOn("no dump is in the folder " + folder + " (.dmp, .mdmp)", "");
    }
    return files;
  }

  private static boolean isDump(String name) {
    return name.matches(".*\\.(dmp|mdmp)(\\.gz)?");
  }

  private void read(List<Path> files, WorkProgress<WorkPhase> progress, Terminal terminal) {
    work.begin(files.size());
    try (SymbolSearchPath places = SymbolSearchPath.of(parsed, terminal);
        Progress _ = progress.start(places)) {
      for (Path file : files) {
        if (work.isStopping()) {
          work.stopped();
          return;
        }
        try {
          crash(file, places);
        } catch (CannotGoOn | DamagedInput e) {
          unreadable.add(new Unreadable(file.toString(), String.valueOf(e.getMessage())));
        }
        work.done(1);
      }
    }
  }

  private void crash(Path file, SymbolSearchPath places) {
    try (RecordingInput input = RecordingInput.of(List.of(file), Ability.MEMORY);
        DumpRecording dump = input.open(DumpRecording.class)) {
      dump.images(ImageSource.of(places.images()));
      try (SnapshotStacks stacks =
          new SnapshotStacks(
              new DumpSnapshot(dump, dump.programView()), places.search(), places.images())) {
        List<SnapshotThread> threads = stacks.process().threads();
        if (threads.isEmpty()) {
          unreadable.add(new Unreadable(file.toString(), "it lists no threads"));
          return;
        }
        CrashSignature signature =
            CrashSignature.of(dump.exception(), frames(dump, stacks, threads.getFirst()));
        groups
            .computeIfAbsent(signature.text(), _ -> new Crashes(signature, new ArrayList<>()))
            .files
            .add(file.toString());
        gaps.addAll(dump.gaps());
        gaps.addAll(stacks.symbols().gaps());
      }
    }
  }

  /** Returns the stack of the crash; where its thread is not in the dump, the code at fault. */
  private static List<NamedFrame> frames(
      DumpRecording dump, SnapshotStacks stacks, SnapshotThread first) {
    return dump.exception().isEmpty() || first.isFaulting()
        ? stacks.stack(first).frames()
        : List.of(stacks.at(dump.exception().get().address()));
  }

  private static ListingColumns<Crashes> columns() {
    FrameJson frames = new FrameJson();
    return new ListingColumns<Crashes>()
        .text("signature", group -> group.signature.text())
        .count("count", Crashes::count)
        .value(
            "files",
            (group, cell) ->
                cell.shaped(
                    () -> String.join(";", group.files),
                    json -> {
                      json.array();
                      group.files.forEach(json::text);
                      json.endArray();
                    }))
        .text("exception", group -> group.signature.kind())
        .value(
            "frames",
            (group, cell) ->
                cell.shaped(
                    () ->
                        group.signature.frames().stream()
                            .map(NamedFrame::text)
                            .collect(Collectors.joining(";")),
                    json -> {
                      json.array();
                      frames.elements(json, group.signature.frames());
                      json.endArray();
                    }));
  }

  private void text(List<Crashes> all, List<Crashes> shown, String state, Terminal terminal) {
    int dumps = all.stream().mapToInt(Crashes::count).sum();
    terminal
        .out()
        .println(
            TextSanitizer.one(folder.toString())
                + ": "
                + Numbers.counted(dumps, "dump")
                + " in "
                + Numbers.counted(all.size(), "group")
                + (unreadable.isEmpty()
                    ? ""
                    : ", " + Numbers.count(unreadable.size()) + " unreadable")
                + state);
    int left = dumps;
    for (Crashes group : shown) {
      left -= group.count();
      terminal
          .out()
          .println(
              "%s of %s (%s %%): %s"
                  .formatted(
                      Numbers.count(group.count()),
                      Numbers.count(dumps),
                      Numbers.percent(group.count(), dumps),
                      group.signature.kind()));
      terminal
          .out()
          .println(
              "  "
                  + group.signature.frames().stream()
                      .map(NamedFrame::text)
                      .collect(Collectors.joining(" < ")));
      terminal.out().println("  " + names(group.files));
    }
    if (left > 0) {
      terminal
          .out()
          .println(
              "%s of %s in %s (--top 0 shows all)"
                  .formatted(
                      Numbers.count(left),
                      Numbers.count(dumps),
                      Numbers.counted(all.size() - shown.size(), "other group")));
    }
  }

  private String names(List<String> files) {
    List<String> names =
        files.stream()
            .limit(MOST_NAMES)
            .map(file -> folder.relativize(Path.of(file)).toString())
            .toList();
    int more = files.size() - names.size();
    return String.join(", ", names) + (more > 0 ? " and " + Numbers.count(more) + " more" : "");
  }

  private void json(
      int leftOut, Listing<Crashes> listing, WorkProgress<WorkPhase> progress, Json json) {
    json.text("schema", "ntrail.stack-groups/1").text("folder", folder.toString());
    listing.json(json);
    json.number("groupsLeftOut", leftOut).array("unreadable");
    for (Unreadable file : unreadable) {
      json.object().text("file", file.file).text("why", file.why).endObject();
    }
    json.endArray().gaps(progress.gaps(gaps, folder.toString(), 0, -1));
  }
}

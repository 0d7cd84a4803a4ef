package io.ntrail.cli.stacks;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.dumps.DumpSnapshot;
import io.ntrail.analysis.dumps.DumpView;
import io.ntrail.analysis.dumps.DumpedModule;
import io.ntrail.analysis.dumps.ImageSource;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.stacks.SnapshotStacks;
import io.ntrail.analysis.stacks.StackModule;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.DumpFacts;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ParseResult;

/** {@code stacks FILE.dmp}: why a program stopped, and where its threads were. */
final class DumpStacks {
  private DumpStacks() {}

  static int run(RecordingInput input, ParseResult parsed, Terminal system) {
    Path path = input.paths().getFirst();
    SnapshotRequest request = SnapshotRequest.of(path.toString(), parsed);
    try (DumpRecording dump = input.open(DumpRecording.class);
        Terminal terminal = CommonOptions.output(parsed, system);
        SymbolSearchPath places = SymbolSearchPath.of(List.of(path), parsed, terminal)) {
      dump.images(ImageSource.of(places.images()));
      return answer(dump, places, request, terminal);
    }
  }

  private static int answer(
      DumpRecording dump, SymbolSearchPath places, SnapshotRequest request, Terminal terminal) {
    ParseResult parsed = request.parsed();
    DumpView view = dump.programView();
    // Where parts could not be read, no threads are an answer: their list may be in those.
    if (dump.threads().isEmpty() && dump.gaps().isEmpty()) {
      throw new CannotGoOn(
          dump.fileNames().getFirst() + " lists no threads",
          "ntrail info " + ShellWords.file(request.name()));
    }
    try (SnapshotStacks stacks =
            new SnapshotStacks(new DumpSnapshot(dump, view), places.search(), places.images());
        SnapshotStacks other =
            new SnapshotStacks(
                new DumpSnapshot(dump, dump.view()), places.search(), places.images())) {
      boolean hasOther = request.isNative() && view != dump.view();
      ThreadChoice threads = ThreadChoice.of(stacks.process().threads(), request, dump.gaps());
      SnapshotReport report = new SnapshotReport(request, places, terminal);
      SnapshotAnswer answer =
          report.answer(
              facts(dump, view), stacks, hasOther ? Optional.of(other) : Optional.empty(), threads);
      report.print(answer, Losses.state(dump), dump.gaps());
      if (dump.threads().isEmpty()) {
        terminal
            .err()
            .println(
                "warning: "
                    + dump.fileNames().getFirst()
                    + " lists no threads"
                    + CannotGoOn.AS_FAR_AS_READ);
      }
      SymbolDownloads.remarks(
          Path.of(request.name()), places, stacks.symbols(), request.isText(), parsed, terminal);
      return report.exitCode(
          Losses.finish(dump, SymbolDownloads.lacking(places, stacks.symbols()), parsed, terminal));
    }
  }

  private static SnapshotFacts.Side side(DumpRecording dump, DumpView view) {
    return new SnapshotFacts.Side(
        view.machine(),
        dump.lacksProgramSide()
            ? "the 32-bit stacks of the process are not in the dump: these are of the 64-bit side"
                + " (WOW64)"
            : null);
  }

  private static SnapshotFacts facts(DumpRecording dump, DumpView view) {
    String name = dump.fileNames().getFirst();
    String process = DumpFacts.process(dump);
    String system = DumpFacts.system(dump);
    String utc = DumpFacts.utc(dump);
    String machine = dump.wow64().isPresent() ? "x64, 32-bit process" : view.machine();
    String heading =
        name
            + ": minidump"
            + (process == null ? "" : " of " + process)
            + (system == null ? " for " + machine : " on " + system + " " + machine)
            + (utc == null ? "" : ", " + utc.substring(0, 19).replace('T', ' ') + " UTC")
            + ", "
            + Numbers.counted(dump.threads().size(), "thread");
    return new SnapshotFacts(
        name,
        "minidump",
        heading,
        system,
        dump.system().map(DumpFacts::version).orElse(null),
        view.machine(),
        dump.wow64().map(_ -> side(dump, view)),
        dump.process().pid().orElse(-1),
        dump.process().name().isEmpty() ? null : dump.process().name(),
        dump.exception()
            .map(exception ->
                new SnapshotFacts.Fault(
                    exception.thread(),
                    exception.code(),
                    exception.name().isEmpty() ? null : exception.name(),
                    exception.address(),
                    exception.text())),
        dump.modules().unloaded().stream()
            .map(module ->
                new StackModule(
                    DumpedModule.nameOf(module.path()),
                    module.base(),
                    module.size(),
                    Optional.empty(),
                    true))
            .toList());
  }
}

package io.ntrail.cli.stacks;

import io.ntrail.analysis.stacks.SnapshotStacks;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.ProgramHost;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WindowsVersions;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.live.capture.ProcessCapture;
import io.ntrail.live.target.AttachedProcess;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.WindowsVersion;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ParseResult;

/** {@code stacks -p NAME|PID}: where the threads of a running program are. */
final class LiveStacks {
  private static final int WORKSTATION = 1;

  private LiveStacks() {}

  static int run(ParseResult parsed, Terminal system) {
    List<String> which = CommonOptions.all(parsed, "-p");
    if (which.size() != 1) {
      throw new UsageError("stacks of a running program: one -p NAME|PID", "ntrail stacks -p NAME");
    }
    SnapshotRequest request = SnapshotRequest.live(which.getFirst(), parsed);
    try (AttachedProcess attached =
        AttachedProcess.open(ProgramHost.of(parsed), which.getFirst())) {
      ProcessCapture capture = ProcessCapture.of(attached.process(), ProcessCapture.MOST_STACK);
      WindowsVersion version = WindowsVersion.of(attached.process().calls());
      LiveSnapshot snapshot = new LiveSnapshot(attached.process(), capture);
      try (Terminal terminal = CommonOptions.output(parsed, system);
          SymbolSearchPath places =
              SymbolSearchPath.ofFolders(snapshot.folders(), parsed, terminal);
          SnapshotStacks stacks = new SnapshotStacks(snapshot, places.search(), places.images())) {
        SnapshotReport report = new SnapshotReport(request, places, terminal);
        SnapshotAnswer answer =
            report.answer(
                facts(attached, capture, version),
                stacks,
                Optional.empty(),
                ThreadChoice.of(stacks.process().threads(), request, List.of()));
        report.print(answer, "", List.of());
        terminal.out().flush();
        if (!capture.missing().isEmpty()) {
          // Told beside every form of the answer: no form is to look whole without them.
          terminal
              .err()
              .println(
                  "warning: "
                      + Numbers.counted(capture.missing().size(), "thread")
                      + " left out: just beginning or ending");
        }
        Losses.Symbols lacking = SymbolDownloads.lacking(places, stacks.symbols());
        Losses.warn(lacking.gaps(), terminal);
        return report.exitCode(lacking.gaps().isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE);
      }
    }
  }

  private static SnapshotFacts facts(
      AttachedProcess attached, ProcessCapture capture, WindowsVersion version) {
    String system =
        WindowsVersions.text(
            version.major() + "." + version.minor() + ".",
            version.build(),
            version.productType() == WORKSTATION ? "" : "Server");
    String wine = version.wine().isEmpty() ? "" : " (Wine " + version.wine() + ")";
    String heading =
        "%s (%d) on %s%s %s, %s, each suspended for at most %s, once it stood for at most %s ms"
            .formatted(
                attached.program(),
                attached.process().pid(),
                system,
                wine,
                machine(attached.process()),
                Numbers.counted(capture.threads().size(), "thread"),
                suspensions(capture.suspendedNanos()),
                millis(capture.longestStoodNanos()));
    return new SnapshotFacts(
        attached.program(),
        "live",
        heading,
        system + wine,
        version.major() + "." + version.minor() + "." + version.build(),
        capture.is64Bit() ? "x64" : "x86",
        Optional.empty(),
        attached.process().pid(),
        attached.program(),
        Optional.empty(),
        List.of());
  }

  /** Returns the machine type of the system, and that of the process where it is another one. */
  private static String machine(TargetProcess process) {
    if (process.isEmulated()) {
      return "x64, 32-bit process";
    }
    return process.is32Bit() ? "x86" : "x64";
  }

  /** Returns the longest of some times, and of several the shortest and the one in the middle. */
  static String suspensions(List<Long> sorted) {
    String longest = millis(sorted.getLast()) + " ms";
    return sorted.size() == 1
        ? longest
        : "%s (median %s, least %s)"
            .formatted(longest, millis(sorted.get(sorted.size() / 2)), millis(sorted.getFirst()));
  }

  private static String millis(long nanos) {
    return Numbers.decimal(Math.ceilDiv(nanos, 10_000), 2);
  }
}

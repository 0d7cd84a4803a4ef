package io.ntrail.cli.shell;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.ProgramHost;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.record.RecordMachine;
import io.ntrail.cli.record.SessionLeftovers;
import io.ntrail.cli.selftest.SelfTest;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.Version;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.programs.symbols.SymbolPath;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail doctor}: what works on this machine. */
final class DoctorCommand implements Command {
  private static final String SELF_TEST = "--self-test";

  private final RecordMachine machine;

  DoctorCommand() {
    this(RecordMachine.here());
  }

  /** Checks what sessions of a machine left, too. */
  DoctorCommand(RecordMachine machine) {
    this.machine = machine;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("doctor", "Checks this installation.");
    spec.addOption(
        CommonOptions.flag(
            "trace a program of its own as docs/windows-checklist.md says, and report", SELF_TEST));
    spec.addOption(ProgramHost.option());
    spec.addOption(CommonOptions.value("text|json", "form of the self-test's report", "--format"));
    OutputOptions.add(spec, "the self-test's report; - is standard output", "-o", "--output");
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) throws IOException {
    if (CommonOptions.has(parsed, SELF_TEST)) {
      return SelfTest.run(parsed, terminal);
    }
    for (String option : List.of("--on", "--format", "-o")) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(option + " needs " + SELF_TEST, "ntrail doctor " + SELF_TEST);
      }
    }
    terminal.wrapAnswer();
    PrintStream out = terminal.out();
    line(
        out,
        "ntrail",
        "ok",
        Version.NUMBER
            + " on Java "
            + System.getProperty("java.version")
            + ", "
            + System.getProperty("os.name")
            + " "
            + System.getProperty("os.arch"));
    line(out, "reading .etl", "ok", "also in .zip .gz .cab .diagsession");
    line(out, "reading .ntr .jtrc", "ok", "also in .zip .gz .cab");
    line(out, "reading images", "ok", ".exe .dll .sys; also in .zip .gz .cab (.dl_ ...)");
    wine(out);
    recording(out);
    symbols(out);
    cache(out);
    memory(out);
    temporary(out);
    return ExitCode.DONE;
  }

  /** Reports the Wine that traces Windows programs on other systems. */
  private static void wine(PrintStream out) {
    if (ProgramHost.isWindows()) {
      line(out, "tracing", "ok", "x64 and 32-bit programs; --self-test tries it");
      return;
    }
    try {
      AgentHost.Wine wine = AgentHost.Wine.find(Map.of());
      Optional<String> version = wine.version();
      line(
          out,
          "tracing with Wine",
          version.isPresent() ? "ok" : "no",
          version
              .map(text -> "%s in %s, %s".formatted(text, wine.loader(), programs(wine)))
              .orElse(wine.loader() + " does not run: no version reported"));
    } catch (CannotGoOn e) {
      line(out, "tracing with Wine", "no", e.message() + "; " + e.nextStep());
    }
  }

  private static String programs(AgentHost.Wine wine) {
    if (wine.runs32BitsAlone()) {
      return "32-bit programs alone";
    }
    return wine.runs32Bits() ? "x64 and 32-bit programs" : "x64 programs";
  }

  /** Reports what sessions that ended by themselves left on a Windows. */
  private void recording(PrintStream out) {
    if (machine.host().isEmpty()) {
      return;
    }
    try {
      List<String> left = SessionLeftovers.on(machine);
      line(
          out,
          "recording",
          left.isEmpty() ? "ok" : "no",
          left.isEmpty() ? "nothing is left of sessions" : String.join("; ", left));
    } catch (CannotGoOn e) {
      line(out, "recording", "no", e.message() + "; " + e.nextStep());
    }
  }

  /** Reports the default search path of symbols. */
  private static void symbols(PrintStream out) {
    SymbolPath.Host host = SymbolPath.Host.here();
    List<String> servers = SymbolSearchPath.servers(SymbolPath.ofEnvironment(host));
    String asked =
        servers.isEmpty()
            ? "no symbol server in _NT_SYMBOL_PATH (--server URL)"
            : "servers " + String.join(", ", servers);
    String kept =
        SymbolSearchPath.cache(host)
            .map(cache -> cache.path() + (Files.isDirectory(cache.path()) ? "" : ", empty"))
            .orElse("no cache folder");
    line(out, "symbols", "ok", "cache " + kept + "; " + asked);
  }

  private static void cache(PrintStream out) {
    String cache = System.getProperty("ntrail.aot", "");
    if (cache.isEmpty()) {
      line(out, "start cache", "no", "commands start slower; ./ntrail creates it when it builds");
    } else if (Files.isReadable(Path.of(cache))) {
      line(out, "start cache", "ok", cache);
    } else {
      line(out, "start cache", "no", cache + " is missing");
    }
  }

  private static void memory(PrintStream out) {
    line(
        out,
        "memory",
        "ok",
        "heap up to "
            + Numbers.bytes(Runtime.getRuntime().maxMemory())
            + ", "
            + Numbers.counted(Runtime.getRuntime().availableProcessors(), "core"));
  }

  private static void temporary(PrintStream out) {
    Path folder = Path.of(System.getProperty("java.io.tmpdir", "."));
    try {
      long room = Files.getFileStore(folder).getUsableSpace();
      boolean writable = Files.isWritable(folder);
      line(
          out,
          "unpacking archives",
          writable ? "ok" : "no",
          folder + (writable ? ", " + Numbers.bytes(room) + " free" : " is not writable"));
    } catch (IOException e) {
      line(out, "unpacking archives", "no", folder + ": " + e.getMessage());
    }
  }

  private static void line(PrintStream out, String what, String state, String detail) {
    out.println(
        "  "
            + what
            + " ".repeat(Math.max(1, 22 - what.length()))
            + state
            + " ".repeat(Math.max(1, 6 - state.length()))
            + detail);
  }
}

package io.ntrail.cli.dump;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.ProgramHost;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.dump.ProcessDump;
import io.ntrail.live.dump.ProcessDump.Written;
import io.ntrail.live.target.AttachedProcess;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.time.Instant;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail dump -p NAME|PID -o FILE.dmp}: a minidump of a running program. */
public final class DumpCommand implements Command {
  private static final String EXAMPLE = "ntrail dump -p NAME -o NAME.dmp";

  public DumpCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("dump", "A minidump of a running program.");
    spec.addOption(CommonOptions.value("NAME|PID", "the running program", "-p", "--process"));
    OutputOptions.add(spec, "the dump", "-o", "--output");
    spec.addOption(
        CommonOptions.flag(
            "all memory; default: stacks, and what they and registers point to", "--full"));
    spec.addOption(ProgramHost.option());
    spec.addOption(CommonOptions.value("text|json", "how the report is written", "--format"));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) {
    String which = CommonOptions.text(parsed, "-p", "");
    if (which.isEmpty()) {
      throw new UsageError("dump needs a running program: -p NAME|PID", EXAMPLE);
    }
    OutputFile file =
        terminal
            .outputs()
            .of("-o")
            .orElseThrow(() -> new UsageError("dump needs a file: -o FILE.dmp", EXAMPLE));
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON);
    boolean isFull = CommonOptions.has(parsed, "--full");
    AgentHost host = ProgramHost.of(parsed);
    try (AttachedProcess attached = AttachedProcess.open(host, which)) {
      Written written = write(host, attached, file, isFull);
      if (format == Format.JSON) {
        json(attached, file, written, isFull, terminal);
      } else {
        text(attached, file, written, isFull, terminal);
      }
      Losses.warn(written.gaps(), terminal);
      return written.gaps().isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
    }
  }

  private static Written write(
      AgentHost host, AttachedProcess attached, OutputFile file, boolean isFull) {
    try (SeekableByteChannel channel = file.openChannel()) {
      Written written =
          ProcessDump.write(
              host, attached.process(), channel, isFull, Instant.now().getEpochSecond());
      file.complete();
      return written;
    } catch (IOException e) {
      throw file.failed(e);
    }
  }

  private static void text(
      AttachedProcess attached,
      OutputFile file,
      Written written,
      boolean isFull,
      Terminal terminal) {
    terminal
        .out()
        .println(
            "wrote %s, %s: %s, %s, %s of memory%s"
                .formatted(
                    file.place(),
                    Numbers.bytes(written.bytes()),
                    Numbers.counted(written.threads(), "thread"),
                    Numbers.counted(written.modules(), "module"),
                    Numbers.bytes(written.memoryBytes()),
                    isFull ? "" : " (stacks, and what they and registers point to)"));
    terminal
        .out()
        .println(
            "%s (%d) was suspended for %s ms"
                .formatted(
                    attached.program(),
                    attached.process().pid(),
                    Numbers.count(Math.ceilDiv(written.suspendedNanos(), 1_000_000))));
    if (!written.missingThreads().isEmpty()) {
      terminal
          .out()
          .println(
              Numbers.counted(written.missingThreads().size(), "thread")
                  + " left out: just beginning or ending");
    }
  }

  private static void json(
      AttachedProcess attached,
      OutputFile file,
      Written written,
      boolean isFull,
      Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.write/1");
      json.array("inputs").object().object("process");
      json.number("pid", attached.process().pid()).text("name", attached.program());
      json.endObject().endObject().endArray();
      json.object("output").text("path", file.place().toString());
      json.number("bytes", written.bytes()).unknown("records").unknown("buffers").endObject();
      json.object("left").number("records", 0).object("byReason").endObject().endObject();
      json.object("added").number("images", 0).number("volumes", 0);
      json.number("descriptions", 0).endObject();
      json.object("dump").bool("full", isFull).number("threads", written.threads());
      json.number("modules", written.modules());
      json.object("memory").number("ranges", written.memoryRanges());
      json.number("bytes", written.memoryBytes()).endObject();
      json.number("suspendedNanos", written.suspendedNanos()).endObject();
      json.array("missing");
      for (int thread : written.missingThreads()) {
        json.object().text("what", "thread").number("tid", thread);
        json.text("why", "just beginning or ending").endObject();
      }
      json.endArray().lost(0, 0).gaps(written.gaps()).endObject();
    }
  }
}

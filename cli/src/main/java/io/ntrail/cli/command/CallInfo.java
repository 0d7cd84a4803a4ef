package io.ntrail.cli.command;

import io.ntrail.analysis.calls.CallModule;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.cli.command.Options.Format;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** What is in a recording of calls, without looking at the calls. */
final class CallInfo {
  private CallInfo() {}

  static int print(Path path, Format format, ParseResult parsed, Terminal system) {
    try (CallRecording recording = CallFiles.open(path);
        Terminal terminal = Options.output(parsed, system)) {
      CallSource source = recording.source();
      switch (format) {
        case TEXT -> {
          boolean uncut = Options.has(parsed, "--wide") || !terminal.outIsTerminal();
          text(source, terminal.out(), uncut ? 0 : terminal.width());
        }
        case JSON -> {
          try (Json json = new Json(terminal.out())) {
            json(json, source);
          }
        }
        case JSONL -> {
          try (Json json = new Json(terminal.out())) {
            file(json, source);
          }
        }
        case CSV -> {
          Csv csv = new Csv(terminal.out());
          csv.row("file", "kind", "records", "threads", "images");
          csv.row(
              source.name(),
              "jtrc",
              Long.toString(records(source)),
              Integer.toString(source.threads().size()),
              Integer.toString(source.modules().size()));
        }
      }
      Losses.warn(source.gaps(), terminal);
      return source.gaps().isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
    }
  }

  private static long records(CallSource source) {
    return source.threads().stream().mapToLong(CallThread::records).sum();
  }

  private static void text(CallSource source, PrintStream out, int width) {
    int gaps = source.gaps().size();
    out.println(
        source.name()
            + ": "
            + source.kind()
            + ", "
            + Numbers.bytes(source.size())
            + ", "
            + (gaps == 0 ? "complete" : Numbers.counted(gaps, "place") + " could not be read"));
    out.println();
    List<CallThread> threads = source.threads();
    long processes = threads.stream().mapToLong(CallThread::pid).distinct().count();
    out.println(
        "  contents   "
            + Numbers.counted(records(source), "record")
            + " of entries and exits, "
            + Numbers.counted(threads.size(), "thread")
            + " in "
            + (processes == 1 ? "1 process" : Numbers.count(processes) + " processes"));
    out.println(
        "  time       in "
            + (source.clock().nanos() ? "nanoseconds" : "ticks of a clock whose rate nobody told")
            + (source.clock().shared() ? "" : "; threads cannot be compared"));
    if (source.modules().isEmpty()) {
      return;
    }
    out.println();
    Table table = new Table().number("base").number("size").name("PDB id").name("image");
    for (CallModule module : source.modules()) {
      table.row(
          Numbers.hex(module.base()),
          Numbers.hex(module.size()),
          module.pdb() == null ? "-" : module.pdb().key(),
          module.path());
    }
    table.print(out, 2, width);
  }

  private static void json(Json json, CallSource source) {
    json.object().text("schema", "ntrail.info/1").array("files");
    file(json, source);
    json.endArray();
    counts(json, source);
    json.text("unit", source.clock().unit()).array("modules");
    for (CallModule module : source.modules()) {
      json.object()
          .text("name", module.name())
          .text("path", module.path())
          .text("base", Numbers.hex(module.base()))
          .number("size", module.size());
      if (module.pdb() == null) {
        json.unknown("pdb");
      } else {
        json.object("pdb")
            .text("guid", module.pdb().guid().toString())
            .number("age", module.pdb().age())
            .endObject();
      }
      json.endObject();
    }
    json.endArray().array("threads");
    for (CallThread thread : source.threads()) {
      json.object()
          .text("process", thread.process())
          .unsigned("pid", thread.pid())
          .unsigned("tid", thread.tid())
          .text("name", thread.name())
          .number("records", thread.records())
          .endObject();
    }
    json.endArray().gaps(source.gaps()).endObject();
  }

  private static void file(Json json, CallSource source) {
    json.object().text("file", source.name()).text("kind", "jtrc");
    counts(json, source);
    json.endObject();
  }

  /** What is said of every recording; such a file has no processors, no losses and no date. */
  private static void counts(Json json, CallSource source) {
    json.number("records", records(source))
        .unknown("buffers")
        .unknown("compressedBuffers")
        .object("recordsByHeader")
        .endObject()
        .object("cpus")
        .unknown("seen")
        .unknown("configured")
        .endObject()
        .object("lost")
        .unknown("events")
        .unknown("buffers")
        .endObject()
        .unknown("firstUtc")
        .unknown("lastUtc");
  }
}

package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallModule;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.Omissions;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.identity.FileTime;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** {@code ntrail info} of a call recording, which is looked through for damage only. */
public final class CallInfo {
  private CallInfo() {}

  public static int print(
      RecordingInput input, Format format, ParseResult parsed, Terminal system) {
    try (CallRecording recording = input.open(CallRecording.class);
        Terminal terminal = CommonOptions.output(parsed, system)) {
      CallSource source = recording.source();
      try (Progress _ =
          new WorkProgress<>(recording.work(), pass -> phase(pass, source.name()), parsed, terminal)
              .start()) {
        recording.check(CommonOptions.cores(parsed));
      }
      switch (format) {
        case TEXT -> {
          boolean uncut = CommonOptions.has(parsed, "--wide") || !terminal.outIsTerminal();
          text(recording, terminal.out(), uncut ? 0 : terminal.width());
        }
        case JSON -> {
          try (Json json = new Json(terminal.out())) {
            json(json, recording);
          }
        }
        case JSONL -> {
          try (Json json = new Json(terminal.out())) {
            file(json, source);
          }
        }
        default -> {
          Csv csv = new Csv(terminal.out());
          List<String> head =
              new ArrayList<>(
                  List.of(
                      "file", "kind", "records", "threads", "images", "lost", "neverFinalised"));
          head.addAll(CallStatistics.keys());
          csv.row(head.toArray(String[]::new));
          csv.row(cells(source).toArray(String[]::new));
        }
      }
      return Losses.finish(recording, parsed, terminal);
    }
  }

  /** Returns a pass over a recording in words. */
  public static WorkPhase phase(CallRecording.Pass pass, String file) {
    return switch (pass) {
      case SURVEY -> new WorkPhase("looking through " + file, "record");
      case CALLS -> new WorkPhase("reading the calls of " + file, "call");
    };
  }

  private static List<String> cells(CallSource source) {
    OptionalLong lost = source.lost();
    List<String> cells =
        new ArrayList<>(
            List.of(
                source.name(),
                source.format(),
                Long.toString(records(source)),
                Integer.toString(source.threads().size()),
                Integer.toString(source.modules().size()),
                lost.isPresent() ? Long.toString(lost.getAsLong()) : "",
                Boolean.toString(source.neverFinalised())));
    cells.addAll(CallStatistics.cells(source.statistics()));
    return cells;
  }

  private static long records(CallSource source) {
    return source.threads().stream().mapToLong(CallThread::records).sum();
  }

  private static void text(CallRecording recording, PrintStream out, int width) {
    CallSource source = recording.source();
    out.println(
        source.name()
            + ": "
            + source.kind()
            + ", "
            + Numbers.bytes(source.size())
            + ", "
            + Losses.state(recording));
    Omissions.print(out, "  ", source.omissions());
    UntracedTimes.print(out, "  ", source.untraced(), source.clock().nanos());
    ThrottledFunctions.print(out, "  ", source.throttled(), source.clock().nanos());
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
            + (source.clock().nanos() ? "nanoseconds" : "ticks, clock frequency unknown")
            + (source.clock().shared() ? "" : "; times of different threads are not comparable"));
    if (!source.statistics().isEmpty()) {
      out.println();
      CallStatistics.table(source.statistics()).print(out, 2, width);
    }
    if (!source.modules().isEmpty()) {
      out.println();
      modules(source).print(out, 2, width);
    }
  }

  private static Table modules(CallSource source) {
    Table table = new Table().number("base").number("size").name("PDB id").name("image");
    table.optional(1);
    table.optional(0);
    for (CallModule module : source.modules()) {
      table.row(
          Numbers.hex(module.base()),
          Numbers.hex(module.size()),
          module.pdb() == null ? "-" : module.pdb().key(),
          module.path());
    }
    return table;
  }

  private static void json(Json json, CallRecording recording) {
    CallSource source = recording.source();
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
          .known("pid", thread.knownPid())
          .unsigned("tid", thread.tid())
          .text("name", thread.name())
          .number("records", thread.records())
          .endObject();
    }
    json.endArray().gaps(recording.gaps()).endObject();
  }

  private static void file(Json json, CallSource source) {
    json.object().text("file", source.name()).text("kind", source.format());
    counts(json, source);
    json.endObject();
  }

  /** Writes the members that every recording has; such a file has no processors. */
  private static void counts(Json json, CallSource source) {
    json.number("records", records(source))
        .unknown("buffers")
        .unknown("compressedBuffers")
        .object("recordsByHeader")
        .endObject()
        .object("cpus")
        .unknown("seen")
        .unknown("configured")
        .endObject();
    lost(json, source);
    Optional<CallSource.Span> span = source.span();
    json.text("firstUtc", span.map(its -> utc(source, its.first())).orElse(null))
        .text("lastUtc", span.map(its -> utc(source, its.last())).orElse(null))
        .bool("neverFinalised", source.neverFinalised());
    Omissions.json(json, source.omissions());
    UntracedTimes.json(json, source.untraced(), source.clock().nanos());
    ThrottledFunctions.json(json, source.throttled(), source.clock().nanos());
    CallStatistics.object(json, source.statistics());
  }

  /** Returns a time of a recording on the wall clock; null if that is unknown. */
  private static @Nullable String utc(CallSource source, long time) {
    OptionalLong began = source.begunAt();
    if (began.isEmpty()) {
      return null;
    }
    long at = began.getAsLong() + time;
    boolean isTooFar = ((began.getAsLong() ^ at) & (time ^ at)) < 0;
    return isTooFar ? null : Numbers.utc(FileTime.ofUnixNanos(at));
  }

  /** Losses counted by the recorder. */
  public static void lost(Json json, CallSource source) {
    json.object("lost")
        .known("events", source.lost())
        .unknown("buffers")
        .number("discarded", source.discarded())
        .endObject();
  }
}

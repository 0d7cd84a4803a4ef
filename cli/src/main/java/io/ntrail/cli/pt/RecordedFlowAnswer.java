package io.ntrail.cli.pt;

import io.ntrail.analysis.etw.ipt.TracePieces.Piece;
import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.calls.FlowCalls;
import io.ntrail.analysis.flow.recorded.RecordedPiece;
import io.ntrail.analysis.flow.recorded.RecordedProfile;
import io.ntrail.analysis.flow.recorded.RecordedTrace;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.pt.RecordedFlow.Lost;
import io.ntrail.cli.pt.RecordedFlow.Walked;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.x86.FlowClass;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** {@code pt flow FILE.etl}: what was executed, in one of its forms. */
final class RecordedFlowAnswer {
  private static final int SHOWN = 10;

  /** Takes nothing. */
  private static final FlowSink NOTHING =
      new FlowSink() {
        @Override
        public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
          // Counted before.
        }

        @Override
        public void event(FlowEvent event, long address, long value) {
          // Counted before.
        }

        @Override
        public void error(FlowError error, long offset, long address) {
          // Counted before.
        }
      };

  private final RecordedTrace trace;
  private final RecordedFlow flow;
  private final DriverChoice drivers;
  private final FlowRequest request;
  private final WorkProgress<WorkPhase> progress;
  private final ParseResult parsed;
  private final Terminal terminal;

  /** Rows beyond the limit. */
  private long leftOut;

  RecordedFlowAnswer(
      RecordedTrace trace,
      RecordedFlow flow,
      DriverChoice drivers,
      FlowRequest request,
      WorkProgress<WorkPhase> progress,
      ParseResult parsed,
      Terminal terminal) {
    this.trace = trace;
    this.flow = flow;
    this.drivers = drivers;
    this.request = request;
    this.progress = progress;
    this.parsed = parsed;
    this.terminal = terminal;
  }

  private String name() {
    return trace.recording().fileNames().getFirst();
  }

  String heading() {
    return name() + ": " + PieceText.all(trace.pieces(), flow.walked().size(), flow.bytes());
  }

  /** Prints addresses and nothing else. */
  int addresses() {
    AddressList list = new AddressList(terminal.out(), request.limit());
    try (Progress _ = progress.listing()) {
      flow.run(_ -> list, _ -> {});
    }
    return finish();
  }

  /** Prints a row for each instruction or block. */
  int rows(boolean byBlock, Format format) {
    Listing<FlowRow> listing =
        new Listing<>(
            byBlock ? "blocks" : "instructions",
            FlowRows.ofPieces(byBlock, request.withEvents(), _ -> {}).columns(),
            sink -> walkRows(byBlock, format == Format.TEXT ? 0 : request.limit(), sink));
    listing.print(
        format,
        terminal.out(),
        () -> {
          listing.table(terminal.out(), request.limit(), CommonOptions.width(parsed, terminal));
          terminal.out().println(heading());
        },
        json -> {
          json.text("schema", "ntrail.pt-flow/1").text("file", name());
          listing.json(json);
          json.number("rowsLeftOut", leftOut);
          members(json);
        });
    return finish();
  }

  private void walkRows(boolean byBlock, long limit, Consumer<FlowRow> sink) {
    long[] given = {0};
    FlowRows rows =
        FlowRows.ofPieces(
            byBlock,
            request.withEvents(),
            row -> {
              if (limit == 0 || given[0]++ < limit) {
                sink.accept(row);
              }
            });
    try (Progress _ = progress.listing()) {
      flow.run(
          piece -> {
            rows.begin(piece);
            return rows;
          },
          _ -> {});
    }
    leftOut = Math.max(0, given[0] - limit);
  }

  /** Prints the calls as trees, or as rows. */
  int calls(Format format) {
    Listing<FlowCallRow> listing =
        new Listing<>("calls", FlowCallTree.columns(true), sink -> walkCalls(sink));
    listing.print(
        format,
        terminal.out(),
        this::trees,
        json -> {
          json.text("schema", "ntrail.pt-flow/1").text("file", name());
          listing.json(json);
          json.number("callsLeftOut", leftOut);
          members(json);
        });
    return finish();
  }

  private @Nullable FlowCallRows current;
  private @Nullable RecordedPiece piece;

  /** Makes the calls of each piece, which are kept until the next one. */
  private void walkTrees(Consumer<Walked> after) {
    long[] given = {0};
    flow.run(
        next -> {
          piece = next;
          long limit = request.limit() == 0 ? 0 : Math.max(1, request.limit() - given[0]);
          FlowCallRows rows = new FlowCallRows(FlowRow.Source.of(next), next.times(), limit);
          current = rows;
          return new FlowCalls(next.functions(), rows);
        },
        walked -> {
          FlowCallRows rows = current;
          if (rows != null) {
            boolean isShown = request.limit() == 0 || given[0] < request.limit();
            leftOut += isShown ? rows.all() - rows.kept() : rows.all();
            if (!isShown) {
              current = null;
            }
            given[0] += rows.kept();
          }
          after.accept(walked);
        });
  }

  private void walkCalls(Consumer<FlowCallRow> sink) {
    try (Progress _ = progress.listing()) {
      walkTrees(_ -> {
        FlowCallRows rows = current;
        for (int row = 0; rows != null && row < rows.kept(); row++) {
          sink.accept(rows.row(row));
        }
      });
    }
  }

  private void trees() {
    FlowCallTree tree =
        new FlowCallTree(terminal.out(), true, CommonOptions.has(parsed, "--ascii"));
    try (Progress _ = progress.listing()) {
      walkTrees(walked -> {
        FlowCallRows rows = current;
        RecordedPiece of = piece;
        if (rows != null && of != null) {
          terminal.out().println(PieceText.heading(of, walked));
          tree.head();
          tree.print(rows);
        }
      });
    }
    tree.legend();
    if (leftOut > 0) {
      terminal
          .out()
          .println(Numbers.counted(leftOut, "more row") + " not shown (-n 0 shows all that fit)");
    }
    terminal.out().println(heading());
  }

  /** Writes the calls as a recording of calls, with counts of instructions as times. */
  int record(OutputFile file) {
    try (Progress _ = progress.start()) {
      TraceCalls.write(file.open(), name(), flow, false);
    } catch (IOException e) {
      throw file.failed(e);
    }
    return finish();
  }

  /**
   * Follows all, and returns the functions, those with the most instructions of their own first.
   */
  List<RecordedProfile.Row> functions() {
    RecordedProfile profile = new RecordedProfile();
    try (Progress _ = progress.start()) {
      flow.profiles(CommonOptions.cores(parsed)).forEach(profile::add);
    }
    return profile.rows();
  }

  /** Prints a row for each function. */
  int profile(Format format) {
    List<RecordedProfile.Row> sorted = functions();
    long limit = format == Format.TEXT || request.limit() == 0 ? Long.MAX_VALUE : request.limit();
    Listing<RecordedProfile.Row> listing =
        new Listing<>(
            "functions",
            new ListingColumns<RecordedProfile.Row>()
                .count("selfInstructions", RecordedProfile.Row::self)
                .titled("self instr")
                .count("totalInstructions", RecordedProfile.Row::total)
                .titled("total instr")
                .count("calls", RecordedProfile.Row::calls)
                .titled()
                .name("function", RecordedProfile.Row::label)
                .titled(),
            sink -> sorted.stream().limit(limit).forEach(sink));
    listing.print(
        format,
        terminal.out(),
        () -> {
          terminal
              .out()
              .println(
                  "%s, %s in %s%s"
                      .formatted(
                          heading(),
                          Numbers.counted(flow.instructions(), "instruction"),
                          Numbers.counted(sorted.size(), "function"),
                          lacks()));
          listing.table(terminal.out(), request.limit(), CommonOptions.width(parsed, terminal));
        },
        json -> {
          json.text("schema", "ntrail.pt-flow/1").text("file", name());
          json.number("instructions", flow.instructions());
          listing.json(json);
          json.number("rowsLeftOut", Math.max(0, sorted.size() - limit));
          members(json);
        });
    return finish();
  }

  /** Prints how much was executed, of what kind. */
  int summary(Format format) {
    if (format == Format.CSV || format == Format.JSONL) {
      throw new UsageError(
          "the summary of a flow is text or json, other formats have rows",
          "ntrail pt flow " + ShellWords.file(request.path()) + " --instructions --format csv");
    }
    try (Progress _ = progress.start()) {
      flow.run(_ -> NOTHING, _ -> {});
    }
    if (format == Format.JSON) {
      try (Json json = new Json(terminal.out())) {
        json.object().text("schema", "ntrail.pt-flow/1").text("file", name());
        json.number("instructions", flow.instructions()).number("blocks", flow.runs());
        sums(json);
        members(json);
        json.endObject();
      }
    } else {
      terminal
          .out()
          .println(
              "%s, %s in %s, %s"
                  .formatted(
                      heading(),
                      Numbers.counted(flow.instructions(), "instruction"),
                      Numbers.counted(flow.runs(), "block"),
                      FlowRows.losses(flow.errors(), overflows())));
      for (FlowClass kind : FlowClass.values()) {
        if (flow.count(kind) > 0) {
          terminal
              .out()
              .println("%15s  %s".formatted(Numbers.count(flow.count(kind)), FlowRows.word(kind)));
        }
      }
    }
    return finish();
  }

  /** Writes what was followed: pieces, errors, code that is missing. */
  private void members(Json json) {
    json.array("pieces");
    for (Walked walked : flow.walked()) {
      piece(json, walked);
    }
    json.endArray();
    missing(json);
  }

  /** Returns what the sums lack, for their heading; empty if that is nothing. */
  String lacks() {
    List<String> lacks = new ArrayList<>();
    if (flow.errors() > 0) {
      lacks.add("the flow is lost at " + Numbers.counted(flow.errors(), "place"));
    }
    if (overflows() > 0) {
      lacks.add(Numbers.counted(overflows(), "overflow"));
    }
    if (unsynchronised() > 0) {
      lacks.add(Numbers.counted(unsynchronised(), "piece") + " not decoded");
    }
    if (wrapped() > 0) {
      lacks.add(Numbers.counted(wrapped(), "piece") + " overwritten in part");
    }
    return lacks.isEmpty() ? "" : "; " + String.join(", ", lacks);
  }

  private long overflows() {
    return flow.count(FlowEvent.OVERFLOW);
  }

  private long unsynchronised() {
    return count(piece -> !piece.isSynchronised());
  }

  private long wrapped() {
    return count(Piece::isWrapped);
  }

  private long count(Predicate<Piece> kind) {
    return flow.walked().stream()
        .filter(walked -> kind.test(trace.pieces().piece(walked.number())))
        .count();
  }

  /** Writes how much was followed without listing it. */
  void counts(Json json) {
    json.number("piecesFollowed", flow.walked().size())
        .number("piecesNotDecoded", unsynchronised())
        .number("piecesWrapped", wrapped());
    missing(json);
  }

  private void missing(Json json) {
    json.number("piecesLeftOut", trace.pieces().leftOut());
    json.array("errors");
    for (Lost lost : flow.lost()) {
      json.object().number("piece", lost.piece()).text("error", FlowRows.word(lost.error()));
      json.number("offset", lost.offset());
      if (lost.address() != 0) {
        json.text("address", Numbers.hex(lost.address()));
      }
      json.text("why", lost.why()).endObject();
    }
    json.endArray().number("errorsLeftOut", flow.errors() - flow.lost().size());
    json.number("overflows", overflows());
    json.array("missingImages");
    trace
        .missingImages()
        .forEach((name, why) -> json.object().text("image", name).text("why", why).endObject());
    json.endArray();
    drivers.json(json);
    json.gaps(gaps());
  }

  private void sums(Json json) {
    FlowRows.sums(json, "byKind", FlowClass.values(), FlowRows::word, flow::count);
    FlowRows.sums(json, "events", FlowEvent.values(), FlowRows::word, flow::count);
    FlowRows.sums(json, "packets", PacketType.values(), PacketType::label, flow::count);
    json.bool("packetsOfAllTimes", !request.time().whole());
  }

  /** Returns what could not be read. */
  List<Gap> gaps() {
    List<Gap> all = new ArrayList<>(trace.recording().gaps());
    all.addAll(trace.codeGaps());
    return progress.gaps(all, name(), 0, -1);
  }

  private void piece(Json json, Walked walked) {
    Piece of = trace.pieces().piece(walked.number());
    json.object().number("piece", walked.number()).number("timeNanos", of.timeNanos());
    json.number("cpu", of.cpu());
    id(json, "pid", of.processId());
    id(json, "tid", of.threadId());
    json.text("process", trace.process(walked.number()))
        .number("eventNanos", of.eventNanos())
        .text("event", of.event())
        .number("bytes", of.bytes())
        .bool("wrapped", of.isWrapped())
        .bool("synchronised", of.isSynchronised())
        .text("timing", of.timing().word())
        .text("optionsText", of.options().text())
        .number("instructions", walked.instructions())
        .number("errors", walked.errors())
        .number("undecodedBytes", walked.undecoded());
    if (flow.isTimed()) {
      json.bool("timeKnown", walked.knowsTime());
    }
    json.endObject();
  }

  static void id(Json json, String key, int id) {
    if (id == RecordCursor.NO_ID) {
      json.unknown(key);
    } else {
      json.number(key, Integer.toUnsignedLong(id));
    }
  }

  /** Tells on the other stream what is missing. */
  int finish() {
    for (Lost lost : flow.lost().subList(0, Math.min(SHOWN, flow.lost().size()))) {
      warn(
          "piece %d: at offset 0x%x the flow is lost%s: %s"
              .formatted(
                  lost.piece(),
                  lost.offset(),
                  lost.address() == 0 ? "" : " at " + Numbers.hex(lost.address()),
                  lost.why()));
    }
    if (flow.errors() > SHOWN) {
      warn(
          "lost at "
              + Numbers.counted(flow.errors() - SHOWN, "more place")
              + " (--format json lists them)");
    }
    if (overflows() > 0) {
      warn(FlowRows.overflowed(overflows()));
    }
    trace.missingImages().forEach((name, why) -> warn("code of " + name + " is missing: " + why));
    if (!trace.missingImages().isEmpty()) {
      terminal.err().println("try: --image-path FOLDER names a folder of images");
    }
    drivers.notes().forEach(note -> terminal.err().println("note: " + note));
    PieceText.remarks(trace, flow).forEach(this::warn);
    int code =
        Losses.finish(
            trace.recording(), new Losses.Symbols(trace.codeGaps(), false), parsed, terminal);
    boolean isStrict = CommonOptions.has(parsed, "--strict");
    boolean isWhole = flow.errors() == 0 && !(isStrict && overflows() > 0);
    return isWhole ? progress.exitCode(code) : ExitCode.INCOMPLETE;
  }

  private void warn(String text) {
    terminal.err().println("warning: " + text);
  }
}

package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.TimedFlow;
import io.ntrail.analysis.flow.calls.FlowCallRecorder;
import io.ntrail.analysis.flow.calls.FlowCallSink;
import io.ntrail.analysis.flow.calls.FlowCalls;
import io.ntrail.analysis.flow.calls.FlowFunction;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.analysis.flow.calls.FlowProfile;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.Version;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.pt.PacketType;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** {@code pt flow --calls} and {@code --profile}: the calls of a flow, and their sums. */
final class FlowCallsAnswer {
  private final FlowAnswer answer;
  private final FlowFunctions functions;
  private final FlowRequest request;

  FlowCallsAnswer(FlowAnswer answer, FlowFunctions functions, FlowRequest request) {
    this.answer = answer;
    this.functions = functions;
    this.request = request;
  }

  private FlowWalk walked(FlowWalk walk, FlowCallSink calls) {
    walk.handTo(new FlowCalls(functions, calls));
    answer.run(walk);
    return walk;
  }

  /** Writes the calls as a recording of calls. */
  int record(OutputFile file, Terminal terminal) {
    FlowWalk walk = answer.newWalk();
    TimedFlow times = walk.times();
    long hertz = request.processor().clock().tscHertz();
    try (FlowCallRecorder recorder =
        new FlowCallRecorder(
            file.open(),
            answer.streamName(),
            functions,
            hertz,
            hertz == 0 ? 0 : answer.firstTimeStamp(),
            times::tsc,
            "ntrail " + Version.NUMBER)) {
      walked(walk, recorder);
    } catch (IOException e) {
      throw file.failed(e);
    }
    return answer.finish(walk, terminal);
  }

  /** Prints the calls as a tree, or as rows. */
  int calls(Format format, ParseResult parsed, Terminal terminal) {
    FlowWalk walk = answer.newWalk();
    FlowCallRows rows =
        new FlowCallRows(FlowRow.Source.ofStream(functions), walk.times(), request.limit());
    walked(walk, rows);
    Listing<FlowCallRow> listing =
        new Listing<>(
            "calls",
            FlowCallTree.columns(false),
            sink -> {
              for (int row = 0; row < rows.kept(); row++) {
                sink.accept(rows.row(row));
              }
            });
    listing.print(
        format,
        terminal.out(),
        () -> tree(walk, rows, CommonOptions.has(parsed, "--ascii"), terminal),
        json -> {
          json.text("schema", "ntrail.pt-flow/1").text("file", answer.streamName());
          listing.json(json);
          json.number("callsLeftOut", rows.all() - rows.kept());
          FlowAnswer.errors(walk, json);
          json.gaps(answer.gaps());
        });
    return answer.finish(walk, terminal);
  }

  private void tree(FlowWalk walk, FlowCallRows rows, boolean isAscii, Terminal terminal) {
    long packets = 0;
    for (PacketType type : PacketType.values()) {
      packets += walk.count(type);
    }
    terminal
        .out()
        .println(
            "%s, %s, %s, %s, %s"
                .formatted(
                    answer.heading(),
                    Numbers.counted(packets, "packet")
                        + (request.time().whole() ? "" : " at all times"),
                    Numbers.counted(rows.overflows(), "overflow"),
                    Numbers.counted(walk.instructions(), "instruction"),
                    Numbers.counted(walk.errors(), "error")));
    boolean hasTime = walk.clock().knowsNanos();
    FlowCallTree tree = new FlowCallTree(terminal.out(), hasTime, isAscii);
    tree.head();
    tree.print(rows);
    tree.legend();
    if (rows.all() > rows.kept()) {
      terminal
          .out()
          .println(
              Numbers.counted(rows.all() - rows.kept(), "more row")
                  + " not shown (-n 0 shows all that fit; --profile counts all)");
    }
  }

  /** Prints a row for each function. */
  int profile(Format format, ParseResult parsed, Terminal terminal) {
    FlowProfile profile = new FlowProfile();
    FlowWalk walk = walked(answer.newWalk(), profile);
    profile.finish();
    List<FlowFunction> sorted =
        functions.met().stream()
            .sorted(
                Comparator.comparingLong((FlowFunction one) -> -profile.own(one.number()))
                    .thenComparing(FlowFunction::label))
            .toList();
    long limit = format == Format.TEXT || request.limit() == 0 ? Long.MAX_VALUE : request.limit();
    Listing<FlowFunction> listing =
        new Listing<>(
            "functions",
            new ListingColumns<FlowFunction>()
                .count("selfInstructions", one -> profile.own(one.number()))
                .titled("self instr")
                .count("totalInstructions", one -> profile.total(one.number()))
                .titled("total instr")
                .count("calls", one -> profile.calls(one.number()))
                .titled()
                .name("function", FlowFunction::label)
                .titled(),
            sink -> sorted.stream().limit(limit).forEach(sink));
    listing.print(
        format,
        terminal.out(),
        () -> {
          terminal
              .out()
              .println(
                  "%s, %s in %s, %s"
                      .formatted(
                          answer.heading(),
                          Numbers.counted(profile.instructions(), "instruction"),
                          Numbers.counted(sorted.size(), "function"),
                          FlowRows.losses(walk.errors(), FlowAnswer.overflows(walk))));
          listing.table(terminal.out(), request.limit(), CommonOptions.width(parsed, terminal));
        },
        json -> {
          json.text("schema", "ntrail.pt-flow/1").text("file", answer.streamName());
          json.number("instructions", profile.instructions());
          listing.json(json);
          json.number("rowsLeftOut", Math.max(0, sorted.size() - limit));
          FlowAnswer.errors(walk, json);
          json.gaps(answer.gaps());
        });
    return answer.finish(walk, terminal);
  }
}

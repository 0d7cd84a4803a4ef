package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.TimedFlow;
import io.ntrail.analysis.flow.TimedFlow.Trust;
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
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumSet;
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
    FlowCallRows rows = new FlowCallRows(functions, walk.times(), request.limit());
    walked(walk, rows);
    Listing<FlowCallRow> listing =
        new Listing<>(
            "calls",
            columns(),
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

  private static ListingColumns<FlowCallRow> columns() {
    return new ListingColumns<FlowCallRow>()
        .count("depth", FlowCallRow::depth)
        .name("kind", FlowCallRow::kind)
        .value(
            "function",
            (row, cell) -> {
              if (row.entry() == null) {
                cell.absent();
              } else {
                cell.name(row.function());
              }
            })
        .value(
            "functionOffset",
            (row, cell) -> {
              if (row.entry() == null) {
                cell.absent();
              } else {
                cell.count(row.into());
              }
            })
        .right()
        .value(
            "timeNanos",
            (row, cell) -> {
              if (row.time().trust() == null) {
                cell.unknown();
              } else {
                cell.count(row.time().nanos());
              }
            })
        .value(
            "timeTrust",
            (row, cell) -> {
              String word = row.time().trustWord();
              if (word == null) {
                cell.absent();
              } else {
                cell.name(word);
              }
            })
        .count("instructions", FlowCallRow::instructions)
        .value(
            "end",
            (row, cell) -> {
              if (row.entry() == null) {
                cell.absent();
              } else {
                cell.name(FlowRows.word(row.end()));
              }
            })
        .value(
            "offset",
            (row, cell) -> {
              if (row.error() == null) {
                cell.absent();
              } else {
                cell.count(row.offset());
              }
            })
        .value(
            "why",
            (row, cell) -> {
              if (row.error() == null) {
                cell.absent();
              } else {
                cell.text(row.error().text());
              }
            });
  }

  private void tree(FlowWalk walk, FlowCallRows rows, boolean isAscii, Terminal terminal) {
    long packets = 0;
    for (PacketType type : PacketType.values()) {
      packets += walk.count(type);
    }
    terminal
        .out()
        .println(
            "%s, %s, %s, %s"
                .formatted(
                    answer.heading(),
                    Numbers.counted(packets, "packet")
                        + (request.time().whole() ? "" : " at all times"),
                    Numbers.counted(rows.overflows(), "overflow"),
                    Numbers.counted(walk.instructions(), "instruction")));
    boolean hasTime = walk.clock().knowsNanos();
    terminal.out().println((hasTime ? "   time (us)   " : "   ") + "   instr  flow");
    EnumSet<Trust> trusts = EnumSet.noneOf(Trust.class);
    BitSet followed = followed(rows);
    BitSet open = new BitSet();
    for (int row = 0; row < rows.kept(); row++) {
      open.clear(rows.depth(row) + 1, Math.max(rows.depth(row) + 1, open.length()));
      open.set(rows.depth(row), followed.get(row));
      FlowCallRow call = rows.row(row);
      Trust trust = call.time().trust();
      if (trust != null) {
        trusts.add(trust);
      }
      String time = !hasTime ? "   " : "%12s   ".formatted(micros(call.time()));
      String count = call.entry() == null ? "" : Numbers.count(call.instructions());
      terminal
          .out()
          .println(
              time
                  + "%8s  ".formatted(count)
                  + lines(open, call.depth(), isAscii)
                  + call.text()
                  + missing(rows, row));
    }
    if (trusts.contains(Trust.ESTIMATE)) {
      terminal.out().println("~: between the times that packets tell, by instructions");
    }
    if (trusts.contains(Trust.LOWER_BOUND)) {
      terminal.out().println(">=: at that time or later; nothing is told behind it");
    }
    if (rows.all() > rows.kept()) {
      terminal
          .out()
          .println(
              Numbers.counted(rows.all() - rows.kept(), "more row")
                  + " not shown (-n 0 shows all that fit; --profile counts all)");
    }
  }

  /** Returns how much an overflow may have cost: the time to the next row. */
  private static String missing(FlowCallRows rows, int row) {
    FlowCallRow call = rows.row(row);
    if (call.entry() != null || call.error() != null || row + 1 == rows.kept()) {
      return "";
    }
    FlowRow.Time from = call.time();
    FlowRow.Time to = rows.row(row + 1).time();
    boolean isKnown = from.trust() != null && to.trust() != null && to.nanos() > from.nanos();
    return isKnown
        ? ", at most %s us not recorded"
            .formatted(micros(new FlowRow.Time(to.nanos() - from.nanos(), Trust.PACKET)))
        : "";
  }

  /** Returns the rows below which there is one more of the same caller: known from the end. */
  private static BitSet followed(FlowCallRows rows) {
    BitSet followed = new BitSet(rows.kept());
    BitSet open = new BitSet();
    for (int row = rows.kept() - 1; row >= 0; row--) {
      int depth = rows.depth(row);
      open.clear(depth + 1, Math.max(depth + 1, open.length()));
      followed.set(row, open.get(depth));
      open.set(depth);
    }
    return followed;
  }

  private static String micros(FlowRow.Time time) {
    long nanos = time.nanos();
    String known = Numbers.count(nanos / 1000) + ".%03d".formatted(nanos % 1000);
    return switch (time.trust()) {
      case null -> "-";
      case PACKET -> known;
      case ESTIMATE -> "~" + known;
      case LOWER_BOUND -> ">=" + known;
    };
  }

  private static String lines(BitSet more, int depth, boolean isAscii) {
    StringBuilder text = new StringBuilder();
    for (int level = 1; level < depth; level++) {
      text.append(!more.get(level) ? "   " : isAscii ? "|  " : "\u2502  ");
    }
    if (depth > 0) {
      String last = isAscii ? "\\- " : "\u2514\u2500 ";
      text.append(!more.get(depth) ? last : isAscii ? "|- " : "\u251C\u2500 ");
    }
    return text.toString();
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
    long limit = format == Format.TEXT ? 0 : request.limit();
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
            sink -> sorted.stream().limit(limit == 0 ? Long.MAX_VALUE : limit).forEach(sink));
    listing.print(
        format,
        terminal.out(),
        () -> {
          terminal
              .out()
              .println(
                  "%s, %s in %s"
                      .formatted(
                          answer.heading(),
                          Numbers.counted(profile.instructions(), "instruction"),
                          Numbers.counted(sorted.size(), "function")));
          listing.table(terminal.out(), request.limit(), CommonOptions.width(parsed, terminal));
        },
        json -> {
          json.text("schema", "ntrail.pt-flow/1").text("file", answer.streamName());
          json.number("instructions", profile.instructions());
          listing.json(json);
          FlowAnswer.errors(walk, json);
          json.gaps(answer.gaps());
        });
    return answer.finish(walk, terminal);
  }
}

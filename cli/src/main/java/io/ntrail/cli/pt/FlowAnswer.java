package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.pt.FlowWalk.Lost;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.x86.FlowClass;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** {@code pt flow}: what was executed, in one of its forms. */
final class FlowAnswer {
  private static final int SHOWN = 10;

  private final PtInput input;
  private final FlowRequest request;
  private final AddressSpace code;
  private final FlowFunctions functions;
  private final WorkProgress<WorkPhase> progress;
  private final boolean isStrict;
  private @Nullable FlowWalk walk;

  /** Rows beyond the limit. */
  private long leftOut;

  /**
   * @param isStrict whether packets that the processor lost make the answer incomplete
   */
  FlowAnswer(
      PtInput input,
      FlowRequest request,
      AddressSpace code,
      FlowFunctions functions,
      WorkProgress<WorkPhase> progress,
      boolean isStrict) {
    this.isStrict = isStrict;
    this.progress = progress;
    this.input = input;
    this.request = request;
    this.code = code;
    this.functions = functions;
  }

  /** Returns a walk over the whole stream. */
  FlowWalk newWalk() {
    return new FlowWalk(input, request, code);
  }

  /** Returns the first time stamp of the stream; 0 if it has none. */
  long firstTimeStamp() {
    PacketClock clock = request.processor().newClock();
    PacketCursor packets = PacketCursor.joined(input.file(), request.processor().errata());
    while (!clock.isKnown() && packets.next()) {
      if (PacketClock.needs(packets)) {
        clock.take(packets);
      }
    }
    return clock.firstTsc();
  }

  String streamName() {
    return input.file().name();
  }

  /** Returns what could not be read. */
  List<Gap> gaps() {
    return input.allGaps(progress);
  }

  /** Follows the flow; nothing is printed meanwhile. */
  void run(FlowWalk of) {
    try (Progress _ = progress.start()) {
      of.run();
    }
  }

  /** Follows the flow; rows are printed meanwhile. */
  private void list(FlowWalk of) {
    walk = of;
    try (Progress _ = progress.listing()) {
      of.run();
    }
  }

  /** Prints addresses and nothing else. */
  int addresses(Terminal terminal) {
    FlowWalk addresses = newWalk();
    addresses.handTo(new AddressList(terminal.out(), request.limit()));
    list(addresses);
    return finish(addresses, terminal);
  }

  /** Prints a row for each instruction or block. */
  int rows(boolean byBlock, Format format, ParseResult parsed, Terminal terminal) {
    Listing<FlowRow> listing =
        new Listing<>(
            byBlock ? "blocks" : "instructions",
            new FlowRows(byBlock, request.withEvents(), functions, _ -> {}).columns(),
            sink -> walkRows(byBlock, format == Format.TEXT ? 0 : request.limit(), sink));
    listing.print(
        format,
        terminal.out(),
        () -> {
          terminal.out().println(heading());
          listing.table(terminal.out(), request.limit(), CommonOptions.width(parsed, terminal));
        },
        json -> {
          json.text("schema", "ntrail.pt-flow/1").text("file", input.file().name());
          listing.json(json);
          json.number("rowsLeftOut", leftOut);
          json.gaps(gaps());
        });
    FlowWalk done = walk;
    return done == null ? ExitCode.FAILED : finish(done, terminal);
  }

  private void walkRows(boolean byBlock, long limit, Consumer<FlowRow> sink) {
    long[] given = {0};
    FlowRows rows =
        new FlowRows(
            byBlock,
            request.withEvents(),
            functions,
            row -> {
              if (limit == 0 || given[0]++ < limit) {
                sink.accept(row);
              }
            });
    FlowWalk walked = newWalk();
    walked.handTo(rows);
    rows.setTimes(walked.times());
    list(walked);
    leftOut = Math.max(0, given[0] - limit);
  }

  /** Prints how much was executed, of what kind. */
  int summary(Format format, Terminal terminal) {
    if (format == Format.CSV) {
      throw new UsageError(
          "the summary of a flow is text or json, csv has rows",
          "ntrail pt flow " + request.path() + " --instructions --format csv");
    }
    FlowWalk done = newWalk();
    run(done);
    if (format != Format.TEXT) {
      json(done, terminal);
    } else {
      terminal
          .out()
          .println(
              "%s, %s in %s, %s"
                  .formatted(
                      heading(),
                      Numbers.counted(done.instructions(), "instruction"),
                      Numbers.counted(done.runs(), "block"),
                      FlowRows.losses(done.errors(), overflows(done))));
      for (FlowClass kind : FlowClass.values()) {
        if (done.count(kind) > 0) {
          terminal
              .out()
              .println("%15s  %s".formatted(Numbers.count(done.count(kind)), FlowRows.word(kind)));
        }
      }
    }
    return finish(done, terminal);
  }

  /** Returns the begin of the first line: the file and its size. */
  String heading() {
    return "%s: %s%s"
        .formatted(input.title(), Numbers.bytes(input.file().size()), progress.state());
  }

  private void json(FlowWalk done, Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.pt-flow/1").text("file", input.file().name());
      json.number("instructions", done.instructions()).number("blocks", done.runs());
      errors(done, json);
      FlowRows.sums(json, "byKind", FlowClass.values(), FlowRows::word, done::count);
      FlowRows.sums(json, "events", FlowEvent.values(), FlowRows::word, done::count);
      FlowRows.sums(json, "packets", PacketType.values(), PacketType::label, done::count);
      json.bool("packetsOfAllTimes", !request.time().whole());
      json.gaps(gaps()).endObject();
    }
  }

  /** Writes the errors: where, and why. */
  static void errors(FlowWalk done, Json json) {
    json.array("errors");
    for (Lost lost : done.lost()) {
      json.object().text("error", FlowRows.word(lost.error())).number("offset", lost.offset());
      if (lost.address() != 0) {
        json.text("address", Numbers.hex(lost.address()));
      }
      json.text("why", lost.error().text()).endObject();
    }
    json.endArray().number("errorsLeftOut", done.errors() - done.lost().size());
    json.number("overflows", overflows(done));
  }

  static long overflows(FlowWalk done) {
    return done.count(FlowEvent.OVERFLOW);
  }

  /** Tells the errors and losses on the other stream; the flow is not whole then. */
  int finish(FlowWalk done, Terminal terminal) {
    for (Lost lost : done.lost().subList(0, Math.min(SHOWN, done.lost().size()))) {
      terminal
          .err()
          .println(
              "warning: at offset 0x%x the flow is lost%s: %s"
                  .formatted(
                      lost.offset(),
                      lost.address() == 0 ? "" : " at " + Numbers.hex(lost.address()),
                      lost.error().text()));
    }
    if (done.errors() > SHOWN) {
      terminal
          .err()
          .println(
              "warning: lost at "
                  + Numbers.counted(done.errors() - SHOWN, "more place")
                  + " (--format json lists them)");
    }
    long overflows = overflows(done);
    if (overflows > 0) {
      terminal.err().println("warning: " + FlowRows.overflowed(overflows));
    }
    ProcessorOptions.warn(done.clock(), terminal);
    Losses.warn(input.gaps().list(), terminal);
    boolean isWhole = done.errors() == 0 && !(isStrict && overflows > 0);
    return isWhole ? input.exitCode() : ExitCode.INCOMPLETE;
  }
}

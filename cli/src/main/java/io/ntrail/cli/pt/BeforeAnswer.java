package io.ntrail.cli.pt;

import io.ntrail.analysis.etw.ipt.TracePieces.Piece;
import io.ntrail.analysis.flow.TimedFlow.Trust;
import io.ntrail.analysis.flow.calls.FlowCallSink.Entry;
import io.ntrail.analysis.flow.calls.FlowFunction;
import io.ntrail.analysis.flow.recorded.PieceTail;
import io.ntrail.analysis.flow.recorded.PieceTail.Block;
import io.ntrail.analysis.flow.recorded.PieceTail.Call;
import io.ntrail.analysis.flow.recorded.PieceTail.Hole;
import io.ntrail.analysis.flow.recorded.PieceTail.Moment;
import io.ntrail.analysis.flow.recorded.RecordedTrace;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.pt.RecordedFlow.Walked;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** {@code pt before}: one event after the other, with the last instructions before it. */
final class BeforeAnswer {
  private final RecordedTrace trace;
  private final RecordedFlow flow;
  private final DriverChoice drivers;
  private final int most;
  private final long untraced;
  private final WorkProgress<WorkPhase> progress;
  private final Terminal terminal;
  private final Set<Trust> trusts = EnumSet.noneOf(Trust.class);
  private @Nullable PieceTail current;

  /**
   * @param most instructions before an event
   * @param untraced events of the selection that have no piece
   */
  BeforeAnswer(
      RecordedTrace trace,
      RecordedFlow flow,
      DriverChoice drivers,
      int most,
      long untraced,
      WorkProgress<WorkPhase> progress,
      Terminal terminal) {
    this.trace = trace;
    this.flow = flow;
    this.drivers = drivers;
    this.most = most;
    this.untraced = untraced;
    this.progress = progress;
    this.terminal = terminal;
  }

  /**
   * Prints all of them.
   *
   * @param rest tells what is missing
   */
  int print(Format format, RecordedFlowAnswer rest) {
    switch (format) {
      case JSON -> {
        try (Json json = new Json(terminal.out())) {
          json.object()
              .text("schema", "ntrail.pt-before/1")
              .text("file", trace.recording().fileNames().getFirst())
              .number("limit", most)
              .array("events");
          each((tail, walked) -> event(json, tail, walked));
          json.endArray()
              .number("eventsWithoutTrace", untraced)
              .number("piecesLeftOut", trace.pieces().leftOut());
          json.array("missingImages");
          trace
              .missingImages()
              .forEach(
                  (name, why) -> json.object().text("image", name).text("why", why).endObject());
          json.endArray();
          drivers.json(json);
          json.gaps(rest.gaps()).endObject();
        }
      }
      case JSONL ->
          each((tail, walked) -> {
            try (Json json = new Json(terminal.out())) {
              event(json, tail, walked);
            }
          });
      default -> {
        each(this::text);
        legend();
      }
    }
    if (untraced > 0) {
      String events = Numbers.counted(untraced, "more event");
      terminal.err().println("note: without Processor Trace: " + events + " of the selection");
    }
    return rest.finish();
  }

  private void each(BiConsumer<PieceTail, Walked> event) {
    try (Progress _ = progress.listing()) {
      flow.run(
          piece -> {
            current = new PieceTail(piece, most);
            return current;
          },
          walked -> {
            PieceTail tail = current;
            if (tail != null) {
              event.accept(tail, walked);
            }
          });
    }
  }

  private void event(Json json, PieceTail tail, Walked walked) {
    Piece piece = tail.piece().piece();
    json.object().number("timeNanos", piece.eventNanos()).number("cpu", piece.cpu());
    RecordedFlowAnswer.id(json, "pid", piece.processId());
    RecordedFlowAnswer.id(json, "tid", piece.threadId());
    json.text("process", tail.piece().process()).text("event", piece.event());
    json.number("piece", tail.piece().number()).array("instructions");
    for (int i = 0; i < tail.size(); i++) {
      json.text(Numbers.hex(tail.address(i)));
    }
    json.endArray().array("blocks");
    for (Block block : tail.blocks()) {
      json.object()
          .text("address", Numbers.hex(block.address()))
          .number("instruction", block.first())
          .number("instructions", block.instructions())
          .number("depth", block.depth())
          .text("function", function(tail, block.address()));
      time(json, block.moment());
      json.endObject();
    }
    json.endArray().array("calls");
    for (Call call : tail.calls()) {
      json.object()
          .text("function", tail.functions().get(call.function()).label())
          .text("address", Numbers.hex(call.address()))
          .number("instruction", call.first())
          .number("depth", call.depth())
          .text("entry", FlowRows.word(call.how()));
      Long from = call.from();
      if (from == null) {
        json.unknown("from");
      } else {
        json.text("from", Numbers.hex(from));
      }
      time(json, call.moment());
      json.bool("open", call.isOpen()).endObject();
    }
    String why = tail.why(walked.undecoded());
    json.endArray()
        .bool("complete", tail.isComplete())
        .text("why", why.isEmpty() ? null : why)
        .endObject();
  }

  private static void time(Json json, Moment moment) {
    Trust trust = moment.trust();
    if (trust == null) {
      json.unknown("timeNanos");
    } else {
      json.number("timeNanos", moment.nanos()).text("timeTrust", FlowRows.word(trust));
    }
  }

  /** Returns the function of an address; null if it has no name. */
  private static @Nullable String function(PieceTail tail, long address) {
    int function = tail.functions().at(address);
    return function == 0 ? null : tail.functions().get(function).label();
  }

  private void text(PieceTail tail, Walked walked) {
    Piece piece = tail.piece().piece();
    String process = tail.piece().process();
    terminal
        .out()
        .println(
            "%s at %s us, %s (%s), thread %s, CPU %d: %s in %s, %s"
                .formatted(
                    piece.event() == null ? "an event that is not there" : piece.event(),
                    PieceText.micros(piece.eventNanos()),
                    process == null ? "process" : process,
                    PieceText.id(piece.processId()),
                    PieceText.id(piece.threadId()),
                    piece.cpu(),
                    Numbers.counted(tail.size(), "instruction"),
                    Numbers.counted(tail.blocks().size(), "block"),
                    Numbers.counted(tail.calls().size(), "call")));
    if (tail.size() > 0) {
      terminal.out().println("   time (us)      instr  flow");
    }
    List<Block> blocks = tail.blocks();
    int shallowest = blocks.stream().mapToInt(Block::depth).min().orElse(0);
    int call = 0;
    int hole = 0;
    for (Block block : blocks) {
      for (;
          hole < tail.holes().size() && tail.holes().get(hole).first() <= block.first();
          hole++) {
        row("", "", 0, "(" + tail.holes().get(hole).why() + ")");
      }
      for (;
          call < tail.calls().size() && tail.calls().get(call).first() <= block.first();
          call++) {
        Call entered = tail.calls().get(call);
        row(
            time(entered.moment()),
            "",
            Math.max(0, entered.depth() - shallowest),
            word(entered.how()) + tail.functions().get(entered.function()).label());
      }
      row(
          time(block.moment()),
          Numbers.count(block.instructions()),
          Math.max(0, block.depth() - shallowest),
          place(tail, block.address()));
    }
    for (; hole < tail.holes().size(); hole++) {
      Hole last = tail.holes().get(hole);
      row("", "", 0, "(" + last.why() + ")");
    }
    if (!tail.isComplete()) {
      terminal.out().println("incomplete: " + tail.why(walked.undecoded()));
    }
    terminal.out().println();
  }

  private void row(String time, String count, int depth, String what) {
    terminal.out().println("%12s   %8s  %s%s".formatted(time, count, "  ".repeat(depth), what));
  }

  private String time(Moment moment) {
    Trust trust = moment.trust();
    if (trust != null) {
      trusts.add(trust);
    }
    return FlowCallTree.micros(new FlowRow.Time(moment.nanos(), trust));
  }

  private static String word(Entry how) {
    return switch (how) {
      case CALL -> "call ";
      case TAIL -> "jump ";
      case INTERRUPT -> "interrupt ";
      case FOUND -> "found in ";
    };
  }

  private static String place(PieceTail tail, long address) {
    int number = tail.functions().at(address);
    if (number == 0) {
      return Numbers.hex(address);
    }
    FlowFunction function = tail.functions().get(number);
    long offset = address - function.start();
    return function.label() + (offset == 0 ? "" : " + " + Numbers.hex(offset));
  }

  private void legend() {
    FlowCallTree.legend(terminal.out(), trusts);
  }
}

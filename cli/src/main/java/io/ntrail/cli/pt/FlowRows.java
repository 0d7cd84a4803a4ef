package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.FlowTimes;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.analysis.flow.recorded.RecordedPiece;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.programs.x86.FlowClass;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Makes rows of the flow: of instructions or of blocks, of events if wanted, and of errors. */
final class FlowRows implements FlowSink {
  private final boolean byBlock;
  private final boolean withEvents;
  private final boolean isRecorded;
  private final Consumer<FlowRow> sink;
  private FlowRow.Source source;
  private @Nullable FlowTimes times;

  /**
   * @param byBlock a row for each block; false: for each instruction
   * @param withEvents a row for each event, too
   */
  FlowRows(boolean byBlock, boolean withEvents, FlowFunctions functions, Consumer<FlowRow> sink) {
    this(byBlock, withEvents, false, FlowRow.Source.ofStream(functions), sink);
  }

  private FlowRows(
      boolean byBlock,
      boolean withEvents,
      boolean isRecorded,
      FlowRow.Source source,
      Consumer<FlowRow> sink) {
    this.byBlock = byBlock;
    this.withEvents = withEvents;
    this.isRecorded = isRecorded;
    this.source = source;
    this.sink = sink;
  }

  /** Makes rows of the pieces of a recording, with columns that tell them apart. */
  static FlowRows ofPieces(boolean byBlock, boolean withEvents, Consumer<FlowRow> sink) {
    FlowRow.Source none = FlowRow.Source.ofStream(new FlowFunctions(List.of()));
    return new FlowRows(byBlock, withEvents, true, none, sink);
  }

  void setTimes(FlowTimes of) {
    times = of;
  }

  /** Begins with the next piece. */
  void begin(RecordedPiece piece) {
    source = FlowRow.Source.of(piece);
    times = piece.times();
  }

  private FlowRow.Time time(int index) {
    return times != null && times.knowsNanos()
        ? new FlowRow.Time(times.nanos(index), times.trust(index))
        : FlowRow.Time.UNKNOWN;
  }

  @Override
  public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
    long address = blocks.start(block);
    long from = address;
    for (int i = 0; i < count; i++) {
      int length = blocks.length(block, i);
      FlowClass kind = blocks.flowClass(block, i);
      if (!byBlock) {
        sink.accept(FlowRow.executed(address, length, 1, kind, isSpeculative, time(i), source));
      } else if (i == count - 1) {
        sink.accept(
            FlowRow.executed(
                from, address + length - from, count, kind, isSpeculative, time(0), source));
      }
      address += length;
    }
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    if (withEvents) {
      sink.accept(FlowRow.event(event, address, value, time(0), source));
    }
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    sink.accept(FlowRow.error(error, offset, address, time(0), source));
  }

  ListingColumns<FlowRow> columns() {
    ListingColumns<FlowRow> columns = new ListingColumns<>();
    if (isRecorded) {
      PieceColumns.add(columns, row -> row.source().piece());
    }
    columns =
        columns
            .value(
                "error", (row, cell) -> text(cell, row.error() == null ? null : word(row.error())))
            .value("offset", (row, cell) -> offset(row, cell))
            .value(
                "event", (row, cell) -> text(cell, row.event() == null ? null : word(row.event())))
            .value("address", (row, cell) -> address(row, cell))
            .right()
            .titled()
            .value("length", (row, cell) -> count(row, cell, row.length()))
            .right()
            .titled();
    if (byBlock) {
      columns.value("instructions", (row, cell) -> count(row, cell, row.instructions()));
      columns.right().titled();
    }
    return columns
        .value("kind", (row, cell) -> text(cell, row.kind() == null ? null : word(row.kind())))
        .titled()
        .shown(FlowRows::shown)
        .value("function", (row, cell) -> function(row, cell))
        .titled()
        .shown(FlowRows::place)
        .value("functionOffset", (row, cell) -> functionOffset(row, cell))
        .value("value", (row, cell) -> value(row, cell))
        .value("timeNanos", (row, cell) -> time(row, cell))
        .value("timeTrust", (row, cell) -> text(cell, row.time().trustWord()))
        .value("trust", (row, cell) -> text(cell, row.kind() == null ? null : row.trust()))
        .value("why", (row, cell) -> text(cell, row.error() == null ? null : row.why()));
  }

  private static String shown(FlowRow row) {
    FlowError error = row.error();
    if (error != null) {
      return "ERROR at offset 0x%x: %s".formatted(row.offset(), row.why());
    }
    if (row.event() != null) {
      return word(row.event()).toUpperCase(Locale.ROOT)
          + (row.event().hasValue() ? " " + Numbers.hex(row.value()) : "");
    }
    String kind = row.kind() == null ? "" : word(row.kind());
    return row.isSpeculative() ? kind + " (in a transaction)" : kind;
  }

  private static void text(CellWriter cell, @Nullable String text) {
    if (text == null) {
      cell.absent();
    } else {
      cell.name(text);
    }
  }

  private static void offset(FlowRow row, CellWriter cell) {
    if (row.error() == null) {
      cell.absent();
    } else {
      cell.count(row.offset());
    }
  }

  /** Returns the number of the function of a row; 0 if it has no name. */
  private static int named(FlowRow row) {
    return row.address() == 0 || row.event() != null
        ? 0
        : row.source().functions().at(row.address());
  }

  private static void function(FlowRow row, CellWriter cell) {
    int number = named(row);
    if (number == 0) {
      cell.absent();
    } else {
      cell.name(row.source().functions().get(number).label());
    }
  }

  private static void functionOffset(FlowRow row, CellWriter cell) {
    int number = named(row);
    if (number == 0) {
      cell.absent();
    } else {
      cell.count(row.address() - row.source().functions().get(number).start());
    }
  }

  private static String place(FlowRow row) {
    int number = named(row);
    if (number == 0) {
      return "";
    }
    long into = row.address() - row.source().functions().get(number).start();
    String label = row.source().functions().get(number).label();
    return into == 0 ? label : label + " + 0x" + Long.toHexString(into);
  }

  /** Writes the address; that of an event or error may not be known, and is 0 then. */
  private static void address(FlowRow row, CellWriter cell) {
    if (row.kind() == null && row.address() == 0) {
      cell.absent();
    } else {
      cell.hex(row.address());
    }
  }

  private static void value(FlowRow row, CellWriter cell) {
    if (row.event() == null || !row.event().hasValue()) {
      cell.absent();
    } else {
      cell.name(Numbers.hex(row.value()));
    }
  }

  private static void count(FlowRow row, CellWriter cell, long count) {
    if (row.kind() != null) {
      cell.count(count);
    } else {
      cell.absent();
    }
  }

  private static void time(FlowRow row, CellWriter cell) {
    if (row.time().trust() == null) {
      cell.unknown();
    } else {
      cell.count(row.time().nanos());
    }
  }

  /** Writes sums that are not 0, by constant, as an object. */
  static <E extends Enum<E>> void sums(
      Json json, String key, E[] constants, Function<E, String> names, ToLongFunction<E> sums) {
    json.object(key);
    for (E constant : constants) {
      long sum = sums.applyAsLong(constant);
      if (sum > 0) {
        json.number(names.apply(constant), sum);
      }
    }
    json.endObject();
  }

  /** Returns how often the flow is lost, and how often packets were, if they were. */
  static String losses(long errors, long overflows) {
    return Numbers.counted(errors, "error")
        + (overflows == 0 ? "" : ", " + Numbers.counted(overflows, "overflow"));
  }

  /** Returns the meaning of overflows, as a warning. */
  static String overflowed(long overflows) {
    return Numbers.counted(overflows, "overflow")
        + ": the processor lost packets, and what ran meanwhile is not in the answer";
  }

  /** Returns the name of a constant as JSON has it: {@code directJump}. */
  static String word(Enum<?> constant) {
    StringBuilder word = new StringBuilder();
    for (String part : constant.name().split("_", -1)) {
      String lower = part.toLowerCase(Locale.ROOT);
      word.append(
          word.isEmpty() ? lower : Character.toUpperCase(lower.charAt(0)) + lower.substring(1));
    }
    return word.toString();
  }
}

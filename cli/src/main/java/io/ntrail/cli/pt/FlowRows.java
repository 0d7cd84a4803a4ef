package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.TimedFlow;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.cli.common.CellWriter;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Numbers;
import io.ntrail.programs.x86.FlowClass;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes rows of the flow: of instructions or of blocks, of events if wanted, and of errors. */
final class FlowRows implements FlowSink {
  private final boolean byBlock;
  private final boolean withEvents;
  private final FlowFunctions functions;
  private final Consumer<FlowRow> sink;
  private @Nullable TimedFlow times;

  /**
   * @param byBlock a row for each block; false: for each instruction
   * @param withEvents a row for each event, too
   */
  FlowRows(boolean byBlock, boolean withEvents, FlowFunctions functions, Consumer<FlowRow> sink) {
    this.byBlock = byBlock;
    this.withEvents = withEvents;
    this.functions = functions;
    this.sink = sink;
  }

  void setTimes(TimedFlow of) {
    times = of;
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
        sink.accept(FlowRow.executed(address, length, 1, kind, isSpeculative, time(i)));
      } else if (i == count - 1) {
        sink.accept(
            FlowRow.executed(from, address + length - from, count, kind, isSpeculative, time(0)));
      }
      address += length;
    }
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    if (withEvents) {
      sink.accept(FlowRow.event(event, address, value, time(0)));
    }
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    sink.accept(FlowRow.error(error, offset, address, time(0)));
  }

  ListingColumns<FlowRow> columns() {
    ListingColumns<FlowRow> columns =
        new ListingColumns<FlowRow>()
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
        .shown(this::place)
        .value("functionOffset", (row, cell) -> functionOffset(row, cell))
        .value("value", (row, cell) -> value(row, cell))
        .value("timeNanos", (row, cell) -> time(row, cell))
        .value("timeTrust", (row, cell) -> text(cell, row.time().trustWord()))
        .value("trust", (row, cell) -> text(cell, row.kind() == null ? null : row.trust()))
        .value("why", (row, cell) -> text(cell, row.error() == null ? null : row.error().text()));
  }

  private static String shown(FlowRow row) {
    FlowError error = row.error();
    if (error != null) {
      return "ERROR at offset 0x%x: %s".formatted(row.offset(), error.text());
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
  private int named(FlowRow row) {
    return row.address() == 0 || row.event() != null ? 0 : functions.at(row.address());
  }

  private void function(FlowRow row, CellWriter cell) {
    int number = named(row);
    if (number == 0) {
      cell.absent();
    } else {
      cell.name(functions.get(number).label());
    }
  }

  private void functionOffset(FlowRow row, CellWriter cell) {
    int number = named(row);
    if (number == 0) {
      cell.absent();
    } else {
      cell.count(row.address() - functions.get(number).start());
    }
  }

  private String place(FlowRow row) {
    int number = named(row);
    if (number == 0) {
      return "";
    }
    long into = row.address() - functions.get(number).start();
    String label = functions.get(number).label();
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

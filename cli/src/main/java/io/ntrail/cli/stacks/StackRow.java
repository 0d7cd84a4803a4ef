package io.ntrail.cli.stacks;

import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Numbers;
import io.ntrail.programs.symbols.SymbolizedAddress.Origin;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A frame as a row of a table.
 *
 * @param head of the stack
 * @param number of the frame, from 0 for the innermost
 * @param end of the walk, of the outermost frame; null of the others, and where it is not known
 * @param why the walk ends before the stack does; null if it does not
 */
record StackRow(
    StackHead head, int number, NamedFrame frame, @Nullable String end, @Nullable String why) {
  /** Returns a frame of a stack of whose end nothing is known. */
  static StackRow of(StackHead head, int number, NamedFrame frame) {
    return new StackRow(head, number, frame, null, null);
  }

  /** Returns the columns of rows: what the stack is, then the frame. */
  static ListingColumns<StackRow> columns() {
    return frame(StackHead.columns().count("frame", StackRow::number).right(), StackRow::frame);
  }

  /** Returns the same columns, and how the walk of the stack ended. */
  static ListingColumns<StackRow> walkedColumns() {
    return columns()
        .value("end", (row, cell) -> remark(cell, row.end()))
        .value("why", (row, cell) -> remark(cell, row.why()));
  }

  private static <R> ListingColumns<R> frame(
      ListingColumns<R> columns, Function<R, NamedFrame> frame) {
    return columns
        .name("trust", row -> frame.apply(row).trust().word())
        .value("ip", (row, cell) -> address(cell, frame.apply(row).ip()))
        .value("sp", (row, cell) -> address(cell, frame.apply(row).sp()))
        .value("returnAddress", (row, cell) -> present(cell, frame.apply(row).returnAddress()))
        .name("module", row -> frame.apply(row).module())
        .value("rva", (row, cell) -> address(cell, frame.apply(row).rva()))
        .name("function", row -> frame.apply(row).function())
        .value("offset", (row, cell) -> offset(cell, frame.apply(row).offset()))
        .name("file", row -> frame.apply(row).file())
        .knownCount("line", known(row -> frame.apply(row).line()))
        .flag("inline", row -> frame.apply(row).isInlined())
        .value("source", (row, cell) -> source(cell, frame.apply(row)))
        .value("exact", (row, cell) -> exact(cell, frame.apply(row)))
        .value("remark", (row, cell) -> remark(cell, frame.apply(row).remark()));
  }

  /** Numbers from 1, of which 0 is unknown. */
  private static <R> ToLongFunction<R> known(ToLongFunction<R> line) {
    return row -> line.applyAsLong(row) == 0 ? -1 : line.applyAsLong(row);
  }

  private static void address(CellWriter cell, long value) {
    if (value == NamedFrame.UNKNOWN) {
      cell.unknown();
    } else {
      cell.hex(value);
    }
  }

  private static void present(CellWriter cell, long value) {
    if (value == NamedFrame.UNKNOWN) {
      cell.absent();
    } else {
      cell.hex(value);
    }
  }

  private static void offset(CellWriter cell, long value) {
    if (value == NamedFrame.UNKNOWN) {
      cell.absent();
    } else {
      cell.count(value);
    }
  }

  private static void source(CellWriter cell, NamedFrame frame) {
    Origin source = frame.source();
    if (source == null) {
      cell.absent();
    } else {
      cell.name(source.text());
    }
  }

  private static void remark(CellWriter cell, @Nullable String remark) {
    if (remark == null) {
      cell.absent();
    } else {
      cell.name(remark);
    }
  }

  private static void exact(CellWriter cell, NamedFrame frame) {
    if (frame.source() == null) {
      cell.absent();
    } else {
      cell.flag(!frame.isNearest());
    }
  }

  /** Returns the columns of frames alone. */
  static ListingColumns<NamedFrame> frameColumns() {
    return frame(new ListingColumns<>(), frame -> frame);
  }

  /** Returns an address as columns of them have it: all digits of a pointer. */
  static String pointer(long address, boolean is64Bit) {
    String digits = Numbers.hex(address).substring(2);
    return "0x" + "0".repeat(Math.max(0, (is64Bit ? 16 : 8) - digits.length())) + digits;
  }
}

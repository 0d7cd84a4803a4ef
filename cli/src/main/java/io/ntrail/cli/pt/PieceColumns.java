package io.ntrail.cli.pt;

import io.ntrail.analysis.etw.ipt.TracePieces.Piece;
import io.ntrail.analysis.flow.recorded.RecordedPiece;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.formats.etl.RecordCursor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Columns that tell which piece of a recording a row is of. */
final class PieceColumns {
  private PieceColumns() {}

  /** Adds them; rows of no piece have nothing there. */
  static <R> void add(ListingColumns<R> columns, Function<R, @Nullable RecordedPiece> of) {
    add(columns, of, "piece", (piece, cell) -> cell.count(piece.number())).right().titled();
    add(columns, of, "cpu", (piece, cell) -> cell.count(piece.piece().cpu())).right().titled();
    add(columns, of, "pid", (piece, cell) -> id(cell, piece.piece().processId())).right();
    add(columns, of, "tid", (piece, cell) -> id(cell, piece.piece().threadId())).right().titled();
    add(columns, of, "process", (piece, cell) -> cell.name(piece.process()));
    add(columns, of, "pieceEvent", (piece, cell) -> event(cell, piece.piece()));
  }

  private static <R> ListingColumns<R> add(
      ListingColumns<R> columns,
      Function<R, @Nullable RecordedPiece> of,
      String key,
      BiConsumer<RecordedPiece, CellWriter> value) {
    return columns.value(
        key,
        (row, cell) -> {
          RecordedPiece piece = of.apply(row);
          if (piece == null) {
            cell.absent();
          } else {
            value.accept(piece, cell);
          }
        });
  }

  private static void id(CellWriter cell, int id) {
    if (id == RecordCursor.NO_ID) {
      cell.unknown();
    } else {
      cell.count(Integer.toUnsignedLong(id));
    }
  }

  private static void event(CellWriter cell, Piece piece) {
    if (piece.event() == null) {
      cell.unknown();
    } else {
      cell.name(piece.event());
    }
  }
}

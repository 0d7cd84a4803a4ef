package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.TimedFlow.Trust;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Numbers;
import java.io.PrintStream;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/** Calls of flows as trees, and the columns of their rows elsewhere. */
final class FlowCallTree {
  private final PrintStream out;
  private final boolean hasTime;
  private final boolean isAscii;
  private final EnumSet<Trust> trusts = EnumSet.noneOf(Trust.class);

  /**
   * @param hasTime whether there is a column of times
   */
  FlowCallTree(PrintStream out, boolean hasTime, boolean isAscii) {
    this.out = out;
    this.hasTime = hasTime;
    this.isAscii = isAscii;
  }

  /**
   * Returns the columns of rows.
   *
   * @param isRecorded whether they are of pieces of a recording
   */
  static ListingColumns<FlowCallRow> columns(boolean isRecorded) {
    ListingColumns<FlowCallRow> columns = new ListingColumns<>();
    if (isRecorded) {
      PieceColumns.add(columns, FlowCallRow::piece);
    }
    return columns
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
                cell.text(row.why());
              }
            });
  }

  /** Prints the heading of the columns. */
  void head() {
    out.println((hasTime ? "   time (us)   " : "   ") + "   instr  flow");
  }

  /** Prints a tree. */
  void print(FlowCallRows rows) {
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
      out.println(
          time
              + "%8s  ".formatted(count)
              + lines(open, call.depth(), isAscii)
              + call.text()
              + missing(rows, row));
    }
  }

  /** Explains the marks of the times that were printed. */
  void legend() {
    legend(out, trusts);
  }

  /** Explains the marks of times. */
  static void legend(PrintStream out, Set<Trust> trusts) {
    if (trusts.contains(Trust.ESTIMATE)) {
      out.println("~: between the times that packets tell, by instructions");
    }
    if (trusts.contains(Trust.LOWER_BOUND)) {
      out.println(">=: at that time or later; nothing is told behind it");
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

  static String micros(FlowRow.Time time) {
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
}

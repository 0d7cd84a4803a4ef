package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowTimes;
import io.ntrail.analysis.flow.TimedFlow.Trust;
import io.ntrail.analysis.flow.calls.FlowCallSink;
import io.ntrail.analysis.flow.calls.FlowFunction;
import io.ntrail.cli.pt.FlowCallRow.End;
import io.ntrail.cli.pt.FlowRow.Time;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Keeps the calls of a flow, in the order of their entries: their instructions are known when they
 * end only. As numbers, and not more than fit into some memory; all are counted.
 */
final class FlowCallRows implements FlowCallSink {
  /** Rows that are kept at most: 4 bytes a column of function, 8 of others. */
  private static final int MOST = 4_000_000;

  private static final byte OVERFLOW = (byte) Entry.values().length;
  private static final byte LOST = (byte) (OVERFLOW + 1);
  private static final Entry[] ENTRIES = Entry.values();
  private static final FlowError[] ERRORS = FlowError.values();
  private static final End[] ENDS = End.values();
  private static final Trust[] TRUSTS = Trust.values();

  private final FlowRow.Source source;
  private final FlowTimes times;
  private final int most;

  private int[] numbers = new int[256];
  private int[] depths = new int[256];
  private int[] intos = new int[256];
  private byte[] kinds = new byte[256];
  private byte[] ends = new byte[256];
  private byte[] trusts = new byte[256];
  private long[] nanos = new long[256];
  private long[] own = new long[256];
  private int kept;
  private long all;
  private long overflows;

  /** Reasons of rows that say more than their kind of error, by row. */
  private final Map<Integer, String> whys = new HashMap<>();

  private int[] open = new int[64];
  private int depth;

  /**
   * @param limit rows at most; 0: as many as fit
   */
  FlowCallRows(FlowRow.Source source, FlowTimes times, long limit) {
    this.source = source;
    this.times = times;
    this.most = limit == 0 ? MOST : (int) Math.min(MOST, limit);
  }

  /** Adds a row; -1 if there is no room. */
  private int add(int number, int at, byte kind) {
    all++;
    if (kept == most) {
      return -1;
    }
    if (kept == numbers.length) {
      int room = Math.min(most, 2 * kept);
      numbers = Arrays.copyOf(numbers, room);
      depths = Arrays.copyOf(depths, room);
      intos = Arrays.copyOf(intos, room);
      kinds = Arrays.copyOf(kinds, room);
      ends = Arrays.copyOf(ends, room);
      trusts = Arrays.copyOf(trusts, room);
      nanos = Arrays.copyOf(nanos, room);
      own = Arrays.copyOf(own, room);
    }
    numbers[kept] = number;
    depths[kept] = at;
    kinds[kept] = kind;
    ends[kept] = (byte) End.OPEN.ordinal();
    nanos[kept] = times.knowsNanos() ? times.nanos() : 0;
    trusts[kept] = times.knowsNanos() ? (byte) times.trust().ordinal() : -1;
    return kept++;
  }

  @Override
  public void enter(int function, int at, long address, long returnAddress, Entry how) {
    if (at >= open.length) {
      open = Arrays.copyOf(open, 2 * at);
    }
    int row = add(function, at, (byte) how.ordinal());
    open[at] = row;
    depth = at + 1;
    if (row >= 0) {
      long into = address - source.functions().get(function).start();
      intos[row] = into == (int) into ? (int) into : 0;
    }
  }

  @Override
  public void executed(int at, int count) {
    if (open[at] >= 0) {
      own[open[at]] += count;
    }
  }

  @Override
  public void leave(int at, boolean isSeen) {
    depth = at;
    if (open[at] >= 0) {
      ends[open[at]] = (byte) (isSeen ? End.RETURN : End.INFERRED).ordinal();
    }
  }

  @Override
  public void lost(FlowError error, long offset, long address) {
    int row = add(error.ordinal(), depth, LOST);
    if (row >= 0) {
      own[row] = offset;
      String why = source.reasons().text(error, address);
      if (!why.equals(error.text())) {
        whys.put(row, why);
      }
    }
  }

  @Override
  public void overflow() {
    overflows++;
    add(0, depth, OVERFLOW);
  }

  int kept() {
    return kept;
  }

  /** Returns how many rows there are, those that are not kept among them. */
  long all() {
    return all;
  }

  long overflows() {
    return overflows;
  }

  int depth(int row) {
    return depths[row];
  }

  private Time time(int row) {
    return trusts[row] < 0 ? Time.UNKNOWN : new Time(nanos[row], TRUSTS[trusts[row]]);
  }

  FlowCallRow row(int row) {
    byte kind = kinds[row];
    if (kind == OVERFLOW) {
      return new FlowCallRow(
          depths[row], "", null, 0, time(row), 0, End.OPEN, null, 0, "", source.piece());
    }
    if (kind == LOST) {
      FlowError error = ERRORS[numbers[row]];
      String why = whys.getOrDefault(row, error.text());
      return new FlowCallRow(
          depths[row], "", null, 0, time(row), 0, End.OPEN, error, own[row], why, source.piece());
    }
    FlowFunction function = source.functions().get(numbers[row]);
    return new FlowCallRow(
        depths[row],
        function.label(),
        ENTRIES[kind],
        intos[row],
        time(row),
        own[row],
        ENDS[ends[row]],
        null,
        0,
        "",
        source.piece());
  }
}

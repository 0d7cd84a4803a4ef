package io.ntrail.analysis.calls;

import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;

/**
 * The calls that were open at the end of the page in which they began, with their ends: what cannot
 * be seen in a page. About 80 bytes each.
 */
final class CrossPageCalls {
  /** Page of a call that no exception left. */
  static final int NEVER = Integer.MAX_VALUE;

  private final Columns calls = new Columns(64);
  final IntColumn below = calls.ints();
  final IntColumn area = calls.ints();
  final IntColumn slot = calls.ints();
  final IntColumn page = calls.ints();
  final IntColumn ordinal = calls.ints();
  final IntColumn losses = calls.ints();

  /** The page in which an exception was seen to leave it. */
  final IntColumn leftIn = calls.ints();

  final ByteColumn end = calls.bytes();
  final LongColumn function = calls.longs();
  final LongColumn key = calls.longs();
  final LongColumn time = calls.longs();
  final LongColumn children = calls.longs();
  final LongColumn value = calls.longs();

  int add() {
    int call = calls.add();
    leftIn.set(call, NEVER);
    return call;
  }

  int count() {
    return calls.rows();
  }
}

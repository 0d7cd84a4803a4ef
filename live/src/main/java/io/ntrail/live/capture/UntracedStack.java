package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.capture.CapturedThread.Range;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.TracedReturn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Copied memory of a thread with the return addresses that it would have if nothing were traced:
 * those of traced frames lead into slots, which know the true ones.
 */
final class UntracedStack {
  private UntracedStack() {}

  /**
   * Returns the ranges of a thread.
   *
   * @param areas of all sessions in the process, whose slots were copied with the thread
   */
  static List<Range> of(CapturedThread thread, Set<Long> areas, Architecture architecture) {
    List<TracedReturn> returns = new ArrayList<>();
    for (Range range : thread.memory()) {
      long area = range.address() - architecture.areas().data();
      if (areas.contains(area)) {
        returns.addAll(architecture.tracedReturns(area, range.bytes()));
      }
    }
    return returns.isEmpty()
        ? thread.memory()
        : thread.memory().stream().map(range -> untraced(range, returns)).toList();
  }

  private static Range untraced(Range range, List<TracedReturn> returns) {
    Bytes bytes = range.bytes();
    ByteBuffer words =
        ByteBuffer.wrap(bytes.array(0, bytes.length())).order(ByteOrder.LITTLE_ENDIAN);
    for (TracedReturn one : returns) {
      long at = one.place() - range.address();
      if (at >= 0 && at <= bytes.length() - Long.BYTES && one.owns(words.getLong((int) at))) {
        words.putLong((int) at, one.caller());
      }
    }
    return new Range(range.address(), Bytes.copyOf(words.array(), bytes.name()));
  }
}

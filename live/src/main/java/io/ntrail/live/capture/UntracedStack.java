package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.capture.CapturedThread.Range;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.TracedReturn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Copied memory of a thread with the return addresses that it would have if nothing were traced:
 * those of traced frames lead into slots, which know the true ones. Functions of GCC that align
 * their stack have a copy of theirs below, beside the frame pointer that walks follow.
 */
final class UntracedStack {
  /** Bytes below a return address in which a copy of it may lie: registers and what is aligned. */
  private static final int COPY_BYTES = 64;

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
        : thread.memory().stream().map(range -> untraced(range, returns, architecture)).toList();
  }

  /** Returns a range with the return addresses that lead into no slot of some frames. */
  static Range untraced(Range range, List<TracedReturn> returns, Architecture architecture) {
    Bytes bytes = range.bytes();
    // After a tail call one place has several slots, of which each returns into the one before.
    Map<Integer, Long> callers = new HashMap<>();
    int pointer = architecture.pointerSize();
    for (TracedReturn one : returns) {
      long at = one.place() - range.address();
      long last = Math.min(at, bytes.length() - (long) pointer);
      // The return address itself, and copies of it.
      for (long place = at; place >= 0 && place >= at - COPY_BYTES; place -= pointer) {
        if (place <= last) {
          replace(bytes, (int) place, one, callers, architecture);
        }
      }
    }
    byte[] words = bytes.array(0, bytes.length());
    callers.forEach((place, caller) -> {
      byte[] word = architecture.bytes(caller);
      System.arraycopy(word, 0, words, place, word.length);
    });
    return new Range(range.address(), Bytes.copyOf(words, bytes.name()));
  }

  private static void replace(
      Bytes bytes,
      int place,
      TracedReturn one,
      Map<Integer, Long> callers,
      Architecture architecture) {
    Long known = callers.get(place);
    if (one.owns(known == null ? architecture.pointer(bytes, place) : known)) {
      callers.put(place, one.caller());
    }
  }
}

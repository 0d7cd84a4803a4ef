package io.ntrail.analysis.calls;

import org.jspecify.annotations.Nullable;

/**
 * Matches exits with entries by the routine, for records that have nothing else.
 *
 * <p>An exit ends the innermost open call of its routine; calls inside that one are over too, and
 * as their ends are missing, these are inferred. An exit of a routine of which no call is open has
 * lost its entry: it makes a call without duration. The caller's address is of no use: tracers of
 * this kind record their own thunk there.
 *
 * <p>What is lost of a recursive routine cannot be distinguished: the exit of an outer call ends an
 * inner one whose own exit is missing.
 */
final class RoutineMatching extends CallBuilder {
  private static final int BITS = 14;

  /** Number of open calls by hash of their routine: 0 means that there is none to look for. */
  private final short[] hashes = new short[1 << BITS];

  RoutineMatching(OpenCalls open, Sink sink) {
    super(open, sink);
  }

  private static int hash(long function) {
    return (int) (function * 0x9E37_79B9_7F4A_7C15L >>> 64 - BITS);
  }

  @Override
  void restore(int lossesThen, long beyondThen) {
    super.restore(lossesThen, beyondThen);
    java.util.Arrays.fill(hashes, (short) 0);
  }

  @Override
  void pushed(OpenCalls.Call frame) {
    hashes[hash(frame.function)]++;
  }

  @Override
  void popping(OpenCalls.Call frame) {
    hashes[hash(frame.function)]--;
  }

  @Override
  int slot(OpenCalls.Call frame) {
    return frame.depth;
  }

  @Override
  void entry(CallCursor record) {
    if (roomForOne(record)) {
      opened(record);
    }
  }

  @Override
  void unwind(CallCursor record) {
    exit(record, CallEnd.UNWIND);
  }

  @Override
  void exit(CallCursor record, CallEnd end) {
    if (endsBeyond(record, end)) {
      return;
    }
    long function = record.function();
    OpenCalls.Call top = open.top();
    if (top == null || top.function != function) {
      OpenCalls.Call found = find(function);
      if (found == null) {
        withoutEntry(record, end);
        return;
      }
      while (top != null && top != found) {
        abandon(top, record.time());
        top = open.top();
      }
      top = found;
    }
    close(top, record.time(), end, record.value());
  }

  @Override
  void unwindTarget(CallCursor record) {
    // Frames without an address cannot be compared with it.
  }

  @Override
  void over(CallCursor record) {
    // Only records with slots tell that.
  }

  private OpenCalls.@Nullable Call find(long function) {
    if (hashes[hash(function)] == 0) {
      return null;
    }
    OpenCalls.Call frame = open.top();
    while (frame != null && frame.function != function) {
      frame = frame.below;
    }
    return frame;
  }
}

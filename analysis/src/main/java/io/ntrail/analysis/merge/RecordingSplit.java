package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.List;

/**
 * Times at which a recording is split into several, each of which can be understood alone: what
 * gives records their meaning is in each of them.
 */
public final class RecordingSplit {
  /** Parts: each is made in passes of its own over the whole. */
  private static final int MOST_PARTS = 999;

  /** Share of a part that may be what each of them needs. */
  private static final double MOST_CONTEXT = 0.8;

  private RecordingSplit() {}

  /** Limits of a part. Only one of them is below {@link Long#MAX_VALUE}. */
  public record Limit(long nanos, long bytes) {}

  /**
   * Part of a recording.
   *
   * @param fromNanos its first time
   * @param toNanos the time before which it ends
   */
  public record Part(long fromNanos, long toNanos) {}

  /**
   * Returns the parts of a selection, in time order, without a gap between them.
   *
   * @param limit of each part; bytes are those of records before compression
   * @throws CannotGoOn if there would be too many parts, or reading was stopped
   */
  public static List<Part> of(Events events, RecordingCut.Request request, Limit limit) {
    ContextRecords context = new ContextRecords(events.kernel());
    // What it lets through and what it cannot decide about is counted where the parts are written.
    EventFilter filter = request.filter().copy();
    long room = limit.bytes == Long.MAX_VALUE ? Long.MAX_VALUE : room(events, context, limit.bytes);
    List<Long> starts = new ArrayList<>();
    long begin = Long.MIN_VALUE;
    long last = Long.MIN_VALUE;
    long bytes = 0;
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
      while (walk.next()) {
        EventReader event = walk.event();
        long nanos = event.nanos();
        if (nanos < request.fromNanos() || nanos >= request.toNanos()) {
          continue;
        }
        if (begin == Long.MIN_VALUE) {
          begin = nanos;
          starts.add(request.fromNanos());
        }
        boolean isFull =
            limit.nanos < Long.MAX_VALUE ? nanos - begin >= limit.nanos : bytes >= room;
        if (isFull && nanos > last) {
          // Parts of a length of time begin at multiples of it.
          begin =
              limit.nanos < Long.MAX_VALUE
                  ? begin + (nanos - begin) / limit.nanos * limit.nanos
                  : nanos;
          starts.add(begin);
          bytes = 0;
          if (starts.size() > MOST_PARTS) {
            throw new CannotGoOn("that would be more than %,d parts".formatted(MOST_PARTS), "");
          }
        }
        last = nanos;
        RecordCursor record = event.record();
        if (!context.isOne(record) && filter.passes(event)) {
          bytes += record.size() + 7 & ~7;
        }
      }
    }
    events.recording().reading().mustGoOn();
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < starts.size(); i++) {
      parts.add(
          new Part(starts.get(i), i + 1 < starts.size() ? starts.get(i + 1) : request.toNanos()));
    }
    return parts.isEmpty()
        ? List.of(new Part(request.fromNanos(), request.toNanos()))
        : List.copyOf(parts);
  }

  /** Returns the bytes of a part that are left for its own records. */
  private static long room(Events events, ContextRecords context, long limit) {
    long needed = 0;
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
      while (walk.next()) {
        RecordCursor record = walk.event().record();
        needed += context.isOne(record) ? record.size() + 7 & ~7 : 0;
      }
    }
    events.recording().reading().mustGoOn();
    if (needed > limit * MOST_CONTEXT) {
      throw new CannotGoOn(
          "each part needs %,d bytes for processes, images, files and descriptions alone"
              .formatted(needed),
          "");
    }
    return limit - needed;
  }
}

package io.ntrail.cli.trace;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.live.session.BufferWaits;
import io.ntrail.live.trace.LoadHolds;
import io.ntrail.live.trace.TraceRun;
import java.io.PrintStream;

/**
 * Tells how long threads of a program waited for ntrail: for libraries to be patched, for buffers.
 */
final class TraceDelays {
  private TraceDelays() {}

  /** Prints a line for each kind of delay that there was, if the clock frequency is known. */
  static void print(PrintStream out, TraceRun run, BufferWaits waits) {
    LoadHolds holds = run.holds();
    long rate = run.ticksPerSecond();
    if (rate == 0) {
      return;
    }
    if (holds.count() > 0) {
      out.println(
          "loading of %s took longer by %s, of %s by %s"
              .formatted(
                  holds.count() == 1 ? "1 library" : Numbers.count(holds.count()) + " libraries",
                  duration(holds.ticks(), rate),
                  holds.longest(),
                  duration(holds.longestTicks(), rate)));
    }
    if (waits.count() > 0) {
      out.println(
          "threads waited %s for free buffers: %s in all, %s at the longest"
              .formatted(
                  Numbers.counted(waits.count(), "time"),
                  duration(waits.ticks(), rate),
                  duration(waits.longestTicks(), rate)));
    }
  }

  static void json(Json json, TraceRun run, BufferWaits waits) {
    LoadHolds holds = run.holds();
    long rate = run.ticksPerSecond();
    json.object("held").number("libraries", holds.count());
    nanos(json, holds.ticks(), holds.longestTicks(), rate);
    json.text("longest", holds.longest()).endObject();
    json.object("waits").number("count", waits.count());
    nanos(json, waits.ticks(), waits.longestTicks(), rate);
    json.endObject();
  }

  private static void nanos(Json json, long all, long longest, long rate) {
    if (rate == 0) {
      json.unknown("nanos").unknown("longestNanos");
    } else {
      json.number("nanos", nanos(all, rate)).number("longestNanos", nanos(longest, rate));
    }
  }

  private static String duration(long ticks, long rate) {
    return Numbers.duration(nanos(ticks, rate));
  }

  private static long nanos(long ticks, long rate) {
    return Math.round((double) ticks * 1e9 / rate);
  }
}

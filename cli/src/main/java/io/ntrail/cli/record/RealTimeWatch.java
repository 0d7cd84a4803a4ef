package io.ntrail.cli.record;

import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.etl.ConsumedEvents;
import io.ntrail.live.consumer.EventConsumer;
import io.ntrail.live.etw.SessionState;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Events of a session without a file while it runs: Windows hands them out, and the session goes on
 * afterwards.
 */
final class RealTimeWatch {
  /** Time after which events are taken, so that there is room for more. */
  private static final int TAKE_MILLIS = 50;

  /** Time after which what was taken is printed, and bytes that are not waited for. */
  private static final long PRINT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long MANY = 4 << 20;

  /** Times without a session after which its last events are not waited for any longer. */
  private static final int PATIENCE = 10;

  private final Sessions sessions;
  private final LossWatch losses;
  private final Map<String, LossWatch> others;
  private final WatchedParts parts;
  private final Terminal terminal;
  private long untaken;
  private long tooLarge;
  private long stripped;
  private long told;
  private ConsumedEvents.Notices notices = new ConsumedEvents.Notices(0, 0, 0);

  /**
   * Watches.
   *
   * @param losses of the session
   * @param others losses of sessions that record with it, by name
   * @param parts what is printed
   */
  RealTimeWatch(
      Sessions sessions,
      LossWatch losses,
      Map<String, LossWatch> others,
      WatchedParts parts,
      Terminal terminal) {
    this.sessions = sessions;
    this.losses = losses;
    this.others = others;
    this.parts = parts;
    this.terminal = terminal;
  }

  /**
   * Prints events until the session ends, there are enough of them, or it is interrupted.
   *
   * @param most events
   */
  void run(String name, long most, CountDownLatch interrupted)
      throws IOException, InterruptedException {
    try (EventConsumer consumer = sessions.consumer(name)) {
      ConsumedEvents events = new ConsumedEvents(consumer.session());
      if (!consumer.isRaw()) {
        warn(
            "the clock of the session is not known: Windows converts its times, and stacks of"
                + " kernel events are not found");
      }
      long printed = 0;
      int gone = 0;
      boolean goesOn = true;
      long next = System.nanoTime() + PRINT_NANOS;
      while (goesOn
          && printed < most
          && !terminal.outClosed()
          && !interrupted.await(TAKE_MILLIS, TimeUnit.MILLISECONDS)) {
        EventConsumer.State state = consumer.read(events::add);
        if (System.nanoTime() < next && events.bytes() < MANY && !state.hasEnded()) {
          continue;
        }
        Optional<SessionState> session = sessions.find(name);
        if (session.isPresent()) {
          sessions.flush(name);
        }
        gone += session.isPresent() ? 0 : 1;
        losses.look(session);
        others.forEach((other, its) -> its.look(sessions.find(other)));
        if (events.bytes() > 0) {
          printed += parts.print(events.take(), name, most - printed);
        }
        tell(state, session, events);
        if (state.hasEnded() && gone == 0) {
          ended(sessions.find(name));
        }
        goesOn = !state.hasEnded() && gone < PATIENCE;
        next = System.nanoTime() + PRINT_NANOS;
      }
    }
  }

  /** Tells that no event comes any more. */
  private void ended(Optional<SessionState> session) {
    if (session.isPresent()) {
      warn("Windows hands out no more events of the session");
    } else {
      losses.look(session);
    }
  }

  /** Tells of losses that are new, of those that the state of the session does not count. */
  private void tell(
      EventConsumer.State state, Optional<SessionState> session, ConsumedEvents events) {
    if (state.lost() > untaken) {
      untaken = state.lost();
      warn(
          "%s came faster than they were printed, and were not taken so far"
              .formatted(Numbers.counted(untaken, "event")));
    }
    if (events.tooLarge() > tooLarge) {
      tooLarge = events.tooLarge();
      warn(
          "%s larger than a record can be, not shown so far"
              .formatted(Numbers.counted(tooLarge, "event")));
    }
    if (stripped == 0 && events.stripped() > 0) {
      stripped = events.stripped();
      warn(
          "events of classes come with more than their records have, as the user or the key of the"
              + " event, which is not shown");
    }
    // Documented as not used; versions of Windows may use it all the same.
    if (state.told() > Math.max(told, session.map(its -> its.lost().events()).orElse(0L))) {
      told = state.told();
      warn(
          "%s lost so far, as Windows tells with buffers"
              .formatted(Numbers.counted(told, "event")));
    }
    ConsumedEvents.Notices now = events.notices();
    if (!now.equals(notices)) {
      notices = now;
      warn(
          "Windows has told of losses without their number so far: of events %s, of buffers %s, of"
                  .formatted(times(now.events()), times(now.buffers()))
              + " events that waited on the disk %s".formatted(times(now.files())));
    }
  }

  private static String times(long count) {
    return Numbers.counted(count, "time");
  }

  private void warn(String what) {
    terminal.err().println("warning: " + what);
  }
}

package io.ntrail.cli.record;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.etl.GrowingEtlFile;
import io.ntrail.live.etw.KernelRecorder.Flushed;
import io.ntrail.live.etw.SessionMode;
import io.ntrail.live.etw.SessionState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Events of a session while it records: {@code record watch}. They come from its file, into which
 * the session is made to write every second what it has; those of a session without a file from
 * Windows itself.
 */
final class SessionWatch implements AutoCloseable {
  private static final int EVERY_MILLIS = 1000;

  private final RecordMachine machine;
  private final WatchedParts parts;
  private final Terminal terminal;
  private final LossWatch losses;

  /** Sessions that record with the one that is watched, by name. */
  private final Map<String, LossWatch> others = new LinkedHashMap<>();

  private final CountDownLatch interrupted = new CountDownLatch(1);

  /**
   * Watches.
   *
   * @param machine whose session it is
   * @param filter of events that are printed
   * @param format text or JSON Lines
   */
  SessionWatch(RecordMachine machine, EventFilter filter, Format format, Terminal terminal) {
    this.machine = machine;
    this.parts = new WatchedParts(filter, format, terminal);
    this.terminal = terminal;
    this.losses = new LossWatch(machine, terminal);
  }

  /**
   * Prints events until the session ends, there are enough of them, or Ctrl+C.
   *
   * @param name of the session; empty: ntrail's
   * @param most events; 0: all
   */
  int run(String name, long most) {
    terminal.interruption().begin(interrupted::countDown);
    terminal.interruption().leavesNoPart();
    try {
      return machine.ask(sessions -> {
        List<SessionState> all = sessions.together(name);
        SessionState state = all.getFirst();
        for (SessionState other : all.subList(1, all.size())) {
          others.put(other.name(), LossWatch.of(other.name(), machine, terminal));
        }
        if (state.file().isEmpty()) {
          return realTime(sessions, state, most);
        }
        boolean goesOn = goesOn(sessions.flush(name));
        Path file = machine.files().apply(state.file());
        try (GrowingEtlFile growing = new GrowingEtlFile(file, state.kibibytes() << 10)) {
          // What is there already tells of processes and images; it is not new.
          follow(growing, 0);
          if (goesOn) {
            watch(sessions, name, growing, most == 0 ? Long.MAX_VALUE : most);
          }
        } catch (IOException e) {
          throw new CannotGoOn("cannot read %s: %s".formatted(file, e.getMessage()), "");
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw CannotGoOn.interrupted();
        }
        return ExitCode.DONE;
      });
    } finally {
      terminal.interruption().end();
    }
  }

  /** Prints events of a session that hands them out. */
  private int realTime(Sessions sessions, SessionState state, long most) {
    if ((state.mode() & SessionMode.REAL_TIME) == 0) {
      throw withoutFile(state);
    }
    try {
      new RealTimeWatch(sessions, losses, others, parts, terminal)
          .run(state.name(), most == 0 ? Long.MAX_VALUE : most, interrupted);
    } catch (IOException e) {
      throw new CannotGoOn("cannot keep what the events tell: " + e.getMessage(), "");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    }
    return ExitCode.DONE;
  }

  /** Returns the refusal of a session whose events are nowhere that could be read. */
  private static CannotGoOn withoutFile(SessionState state) {
    if (state.isInMemory()) {
      return new CannotGoOn(
          "\"%s\" keeps its events in memory: there is no file that could be watched"
              .formatted(state.name()),
          "ntrail record snapshot -o NAME.etl");
    }
    return new CannotGoOn(
        "\"%s\" writes no file, and hands its events to nobody".formatted(state.name()),
        "the same providers with a file: ntrail record start --provider NAME -o NAME.etl");
  }

  private void watch(Sessions sessions, String name, GrowingEtlFile growing, long most)
      throws IOException, InterruptedException {
    sessions.find(name).ifPresent(state -> growing.missed(state.written()));
    long printed = 0;
    boolean goesOn = true;
    while (goesOn
        && printed < most
        && !terminal.outClosed()
        && !interrupted.await(EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
      // The end of the session is looked for before its file is read, whose last part it wrote.
      Optional<SessionState> state = sessions.find(name);
      Flushed flushed = state.isPresent() ? sessions.flush(name) : Flushed.NONE;
      losses.look(state);
      goesOn = goesOn(flushed);
      others.forEach((other, its) -> its.look(sessions.find(other)));
      printed += follow(growing, most - printed);
      long missed = state.map(its -> growing.missed(its.written())).orElse(0L);
      if (missed > 0) {
        terminal
            .err()
            .println(
                "warning: %s written over before they were read"
                    .formatted(Numbers.counted(missed, "buffer")));
      }
    }
  }

  /** Returns whether a session goes on; tells what is full if that has ended it. */
  private boolean goesOn(Flushed flushed) {
    if (flushed == Flushed.DISK_FULL || flushed == Flushed.FILE_FULL) {
      losses.ended(SessionEnding.full(flushed == Flushed.DISK_FULL));
    }
    return flushed == Flushed.GOES_ON;
  }

  /** Prints what is new in a file; returns the number of events. */
  private long follow(GrowingEtlFile growing, long most) throws IOException {
    long printed = 0;
    long before;
    do {
      before = growing.buffers();
      byte[] part = growing.read();
      if (growing.buffers() > before) {
        printed += parts.print(part, growing.name(), most - printed);
      }
    } while (growing.buffers() > before && !terminal.outClosed());
    return printed;
  }

  @Override
  public void close() {
    parts.close();
  }
}

package io.ntrail.analysis.probe.sources;

import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.formats.bytes.CannotGoOn;
import java.util.List;
import java.util.Set;

/** No recording: only time goes on, as it does. For programs of BEGIN, END and probes of time. */
public final class ClockSource implements ProbeSource {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final long begun = System.nanoTime();
  private final long begunAt = System.currentTimeMillis() * 1_000_000;
  private final long most;

  /** Time without an event. */
  private record Moment(long timestamp, long wallTimestamp) implements ProbeEvent {}

  /**
   * Time from now on.
   *
   * @param seconds after which it ends
   */
  public ClockSource(long seconds) {
    this.most = Math.multiplyExact(seconds, NANOS_PER_SECOND);
  }

  @Override
  public List<Probe> all() {
    return List.of();
  }

  @Override
  public List<Probe> matching(ProbeDescription description, boolean ignoresCase) {
    return List.of();
  }

  @Override
  public ProbeEvent at(long nanos) {
    return new Moment(nanos, begunAt + nanos);
  }

  @Override
  public void run(Set<Probe> enabled, Sink sink) {
    if (enabled.stream().noneMatch(probe -> probe.provider().equals("profile"))) {
      return;
    }
    try {
      while (endNanos() < most && sink.reach(endNanos())) {
        sink.pause();
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    }
  }

  @Override
  public long endNanos() {
    return Math.min(most, System.nanoTime() - begun);
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}

package io.ntrail.analysis.model;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The state of work that can be stopped on request: in which phase it is, how far that came, and
 * where it was stopped. Safe for use by several threads.
 *
 * <p>A request stops the phase that is under way, or the next one. Later phases go on, with what
 * the stopped one has left them.
 *
 * @param <P> tells the phases apart
 */
public final class StoppableWork<P> {
  /**
   * Progress of a phase.
   *
   * @param done out of {@code total}; the phase is over when both are equal
   * @param total what the phase has to do
   */
  public record Position<P>(P phase, long done, long total) {
    /** Returns whether nothing is left of the phase. */
    public boolean isOver() {
      return done >= total;
    }

    /** Returns the percentage that is done; never 100, as the answer is still to be made then. */
    public int percent() {
      return total <= 0 ? 0 : (int) Math.clamp(100.0 * done / total, 0, 99);
    }
  }

  private record Running<P>(P phase, long total, AtomicLong done) {}

  private final AtomicReference<Running<P>> running;

  /** Requests so far, and how many of them have stopped a phase. */
  private final AtomicLong requests = new AtomicLong();

  private final AtomicLong followed = new AtomicLong();
  private final AtomicReference<Optional<Position<P>>> stopped =
      new AtomicReference<>(Optional.empty());

  /** Work of which nothing is done. */
  public StoppableWork(P first) {
    this.running = new AtomicReference<>(new Running<>(first, 1, new AtomicLong()));
  }

  /**
   * Begins a phase.
   *
   * @param total what it has to do
   */
  public void begin(P phase, long total) {
    running.set(new Running<>(phase, Math.max(1, total), new AtomicLong()));
  }

  /**
   * Begins the current phase again, once it is known how long it is.
   *
   * @param total what it has to do
   */
  public void begin(long total) {
    begin(running.get().phase, total);
  }

  /** Notes that more of the current phase is done. */
  public void done(long more) {
    running.get().done.addAndGet(more);
  }

  /** Notes how much of the current phase is done. */
  public void reached(long done) {
    running.get().done.set(done);
  }

  /** Returns how much of the current phase is done; cheap enough to ask for every record. */
  public long reached() {
    return running.get().done.get();
  }

  /** Returns the progress of the current phase. */
  public Position<P> position() {
    Running<P> now = running.get();
    return new Position<>(now.phase, Math.min(now.done.get(), now.total), now.total);
  }

  /** Ends the phase that is under way where it is. */
  public void stop() {
    requests.incrementAndGet();
  }

  /** Returns whether the phase that asks has to end. */
  public boolean isStopping() {
    return requests.get() > followed.get();
  }

  /** Ends what the requests so far were for: the phase left something out. */
  public void stopped() {
    followed.set(requests.get());
    Position<P> here = position();
    // A later phase had only what an earlier one left it.
    stopped.updateAndGet(
        before -> Optional.of(before.map(first -> part(first, here)).orElse(here)));
  }

  private static <P> Position<P> part(Position<P> of, Position<P> here) {
    long done = (long) ((double) of.done * here.done / here.total);
    return new Position<>(of.phase, done, of.total);
  }

  /** Returns how far the work came if it was stopped; empty if it was not. */
  public Optional<Position<P>> stoppedAt() {
    return stopped.get();
  }
}

package io.ntrail.analysis.etw.recording;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The state of reading a recording: in which pass it is, how far that came, and where reading was
 * stopped on request. Safe for use by several threads.
 *
 * <p>A request stops the pass that is under way, or the next one. Later passes are confined to what
 * the stopped one has read, so that all parts of an answer are about the same part of the
 * recording.
 */
public final class ReadingState {
  /** The passes over a recording. */
  public enum Pass {
    /** All records in any order, to learn what there is. */
    SURVEY,
    /** Events that have a stack are looked for. */
    STACKS,
    /** All records in time order. */
    IN_ORDER
  }

  /**
   * Progress of a pass.
   *
   * @param done out of {@code total}; the pass is over when both are equal
   * @param total what the pass has to do
   */
  public record Position(Pass pass, long done, long total) {
    /** Returns whether nothing is left of the pass. */
    public boolean isOver() {
      return done >= total;
    }
  }

  private record Running(Pass pass, long total, AtomicLong done) {}

  private final AtomicReference<Running> running =
      new AtomicReference<>(new Running(Pass.SURVEY, 1, new AtomicLong()));

  /** Requests so far, and how many of them have stopped a pass. */
  private final AtomicLong requests = new AtomicLong();

  private final AtomicLong followed = new AtomicLong();

  /** Key of the first record that was not read. */
  private final AtomicLong end = new AtomicLong(Long.MAX_VALUE);

  ReadingState() {}

  /**
   * Begins a pass.
   *
   * @param total what it has to do: bytes of a survey, slices or buffers of other passes
   */
  public void begin(Pass pass, long total) {
    running.set(new Running(pass, Math.max(1, total), new AtomicLong()));
  }

  /** Notes that more of the current pass is done. */
  public void done(long more) {
    running.get().done.addAndGet(more);
  }

  /** Returns the progress of the current pass. */
  public Position position() {
    Running now = running.get();
    return new Position(now.pass, Math.min(now.done.get(), now.total), now.total);
  }

  /** Ends the pass that is under way where it is. */
  public void stop() {
    requests.incrementAndGet();
  }

  /** Returns whether the pass that asks has to end. */
  boolean isStopping() {
    return requests.get() > followed.get();
  }

  /** Notes that a pass leaves out the records from a key on. */
  void leaveOut(long key) {
    end.accumulateAndGet(key, Math::min);
  }

  /** Ends what the requests so far were for. */
  void stopped() {
    followed.set(requests.get());
  }

  /** Returns the key of the first record that was left out; the greatest if none was. */
  long end() {
    return end.get();
  }
}

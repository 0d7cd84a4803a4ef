package io.ntrail.analysis.etw.recording;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.formats.bytes.CannotGoOn;
import java.util.concurrent.atomic.AtomicLong;

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

  private final StoppableWork<Pass> work = new StoppableWork<>(Pass.SURVEY);

  /** Key of the first record that was not read. */
  private final AtomicLong end = new AtomicLong(Long.MAX_VALUE);

  ReadingState() {}

  /**
   * Begins a pass.
   *
   * @param total what it has to do: bytes of a survey, slices or buffers of other passes
   */
  public void begin(Pass pass, long total) {
    work.begin(pass, total);
  }

  /** Notes that more of the current pass is done. */
  public void done(long more) {
    work.done(more);
  }

  /** Returns the progress of the current pass. */
  public StoppableWork.Position<Pass> position() {
    return work.position();
  }

  /** Ends the pass that is under way where it is. */
  public void stop() {
    work.stop();
  }

  /** Returns whether the pass that asks has to end. */
  public boolean isStopping() {
    return work.isStopping();
  }

  /**
   * Makes sure that all was read so far, for work of which a part is of no use.
   *
   * @throws CannotGoOn if a pass was stopped, or is to be
   */
  public void mustGoOn() {
    if (isStopping() || end() < Long.MAX_VALUE) {
      throw CannotGoOn.interrupted();
    }
  }

  /** Notes that a pass leaves out the records from a key on. */
  void leaveOut(long key) {
    end.accumulateAndGet(key, Math::min);
  }

  /** Ends what the requests so far were for. */
  void stopped() {
    work.stopped();
  }

  /** Returns the key of the first record that was left out; the greatest if none was. */
  long end() {
    return end.get();
  }
}

package io.ntrail.live.session;

import io.ntrail.formats.bytes.SharedFile;
import io.ntrail.live.code.SessionLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests of threads of a target that are about to resume a thread of another process, and wait
 * until they may (docs/live.md section 1): this is how a new process begins to run.
 *
 * <p>Used by one thread.
 */
public final class ResumeRequests {
  private final SharedFile file;
  private int seen;

  ResumeRequests(SharedFile file) {
    this.file = file;
  }

  /**
   * Waiting thread.
   *
   * @param place where it waits
   * @param state the value of its state field
   * @param pid id of the process whose thread it is about to resume
   * @param tid id of that thread
   * @param ticks when it began to wait
   */
  public record Waiting(int place, int state, int pid, int tid, long ticks) {}

  /** Returns whether there may be a thread that was not seen yet. */
  public boolean isNews() {
    return file.u32Acquire(SessionLayout.AT_RESUMES) != seen;
  }

  /** Returns all threads that wait now. */
  public List<Waiting> waiting() {
    seen = file.u32Acquire(SessionLayout.AT_RESUMES);
    List<Waiting> all = new ArrayList<>();
    for (int place = 0; place < SessionLayout.RESUME_PLACES; place++) {
      long at = at(place);
      int state = file.u32Acquire(at + SessionLayout.RESUME_STATE);
      if ((state & SessionLayout.RESUME_STATE_MASK) == SessionLayout.RESUME_ASKED) {
        all.add(
            new Waiting(
                place,
                state,
                file.u32(at + SessionLayout.RESUME_PROCESS),
                file.u32(at + SessionLayout.RESUME_THREAD),
                file.u64(at + SessionLayout.RESUME_TICKS)));
      }
    }
    return all;
  }

  /**
   * Releases a thread.
   *
   * @return false if it did not wait any more
   */
  public boolean letGo(Waiting waiting) {
    int granted = waiting.state & ~SessionLayout.RESUME_STATE_MASK | SessionLayout.RESUME_LET_GO;
    return file.compareAndSetU32(at(waiting.place), waiting.state, granted);
  }

  private static long at(int place) {
    return SessionLayout.AT_RESUME_RING + (long) place * SessionLayout.RESUME_BYTES;
  }
}

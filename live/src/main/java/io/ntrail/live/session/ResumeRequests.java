package io.ntrail.live.session;

import io.ntrail.formats.bytes.SharedFile;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests of threads of a target that are about to resume a thread of another process, and wait
 * until they may (docs/live.md section 1): this is how a new process begins to run.
 *
 * <p>Used by one thread.
 */
public final class ResumeRequests {
  private static final int ASKED = 2;
  private static final int LET_GO = 3;
  private static final int WHAT = 3;

  private final SharedFile file;
  private int seen;

  ResumeRequests(SharedFile file) {
    this.file = file;
  }

  /**
   * Thread that waits.
   *
   * @param place where it waits
   * @param state how it says that
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
      int state = file.u32Acquire(at);
      if ((state & WHAT) == ASKED) {
        all.add(new Waiting(place, state, file.u32(at + 4), file.u32(at + 8), file.u64(at + 16)));
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
    return file.compareAndSetU32(at(waiting.place), waiting.state, waiting.state & ~WHAT | LET_GO);
  }

  private static long at(int place) {
    return SessionLayout.AT_RESUME_RING + (long) place * SessionLayout.RESUME_BYTES;
  }
}

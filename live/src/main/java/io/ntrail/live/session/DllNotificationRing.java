package io.ntrail.live.session;

import io.ntrail.formats.bytes.SharedFile;
import io.ntrail.live.code.SessionLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Ring of notifications of modules that are loaded and unloaded, with their answers (docs/live.md
 * section 1). The thread that loads a module holds the loader's lock while it waits for the answer.
 *
 * <p>Used by one thread, but for {@link #beat}.
 */
public final class DllNotificationRing {
  private final SharedFile file;
  private int heartbeat;
  private int answered;

  DllNotificationRing(SharedFile file) {
    this.file = file;
  }

  /**
   * Notification of a module.
   *
   * @param count how many notices there are with this one, modulo 2^30
   * @param loaded whether it came
   * @param base where it lies
   * @param size bytes of address space
   * @param name where the target has the structure with its path, as long as the notice is waited
   *     for
   * @param ticks when
   */
  public record Notice(int count, boolean loaded, long base, long size, long name, long ticks) {}

  /** Updates the heartbeat, without which threads do not wait long. */
  public void beat() {
    heartbeat = heartbeat == -1 ? 1 : heartbeat + 1;
    file.setU32Release(SessionLayout.AT_HEARTBEAT, heartbeat);
  }

  /** Returns whether there is anything to answer. */
  public boolean isNews() {
    return file.u32Acquire(SessionLayout.AT_NOTICES) != answered;
  }

  /** Returns whether threads record what they call: else none waits. */
  public boolean isRecording() {
    return file.u32Acquire(SessionLayout.AT_ENABLED) != 0;
  }

  /** Returns whether a thread is about to notify, or waits: it holds the loader's lock. */
  public boolean isBusy() {
    return file.u32Acquire(SessionLayout.AT_NOTICE_BUSY) != 0;
  }

  /** Returns the unanswered notifications in order; none if the target's counters are invalid. */
  public List<Notice> news() {
    int count = file.u32Acquire(SessionLayout.AT_NOTICES) - answered;
    List<Notice> news = new ArrayList<>();
    if (count < 0 || count > SessionLayout.NOTICE_PLACES) {
      return news;
    }
    for (int i = 0; i < count; i++) {
      int place = answered + i & SessionLayout.NOTICE_PLACES - 1;
      long at = SessionLayout.AT_NOTICE_RING + (long) place * SessionLayout.NOTICE_BYTES;
      news.add(
          new Notice(
              answered + i + 1,
              file.u32(at + SessionLayout.NOTICE_REASON) == SessionLayout.NOTICE_LOADED,
              file.u64(at + SessionLayout.NOTICE_BASE),
              file.u32(at + SessionLayout.NOTICE_SIZE) & 0xFFFF_FFFFL,
              file.u64(at + SessionLayout.NOTICE_NAME),
              file.u64(at + SessionLayout.NOTICE_TICKS)));
    }
    return news;
  }

  /**
   * Returns whether an unanswered notification says that a module goes.
   *
   * @param seen count of the last notification that does not matter any more
   */
  public boolean isUnloaded(long base, int seen) {
    return news().stream()
        .anyMatch(news -> news.count() - seen > 0 && !news.loaded() && news.base() == base);
  }

  /** Answers this notification and those before it. */
  public void answer(Notice notice) {
    answered = notice.count;
    file.setU32Release(SessionLayout.AT_ANSWERED, answered);
  }

  /** Returns the number of answered notifications, modulo 2^32. */
  public int answered() {
    return answered;
  }

  /** Returns the number of notifications that could not be published so far, modulo 2^32. */
  public int missed() {
    return file.u32Acquire(SessionLayout.AT_NOTICES_MISSED);
  }

  /** Returns whether a thread waits for the answer to a notification. */
  public boolean isAwaited(Notice notice) {
    return file.u32Acquire(SessionLayout.AT_NOTICE_STATE)
        == state(notice, SessionLayout.NOTICE_WAITS);
  }

  /** Returns whether its thread still waits for the answer, in whatever state. */
  public boolean isHeld(Notice notice) {
    int state = file.u32Acquire(SessionLayout.AT_NOTICE_STATE);
    return state != 0 && state >>> 2 == (notice.count & -1 >>> 2);
  }

  /**
   * Asks the waiting thread to register a function table.
   *
   * @return false if it does not wait any more
   */
  public boolean offer(Notice notice, long table, int entries, long base, long end) {
    file.setU64(SessionLayout.AT_OFFERED, table);
    file.setU64(SessionLayout.AT_OFFERED_ENTRIES, entries);
    file.setU64(SessionLayout.AT_OFFERED_BASE, base);
    file.setU64(SessionLayout.AT_OFFERED_END, end);
    return file.compareAndSetU32(
        SessionLayout.AT_NOTICE_STATE,
        state(notice, SessionLayout.NOTICE_WAITS),
        state(notice, SessionLayout.TABLE_OFFERED));
  }

  /** Returns whether the offered table is neither taken nor refused. */
  public boolean isOffered(Notice notice) {
    return file.u32Acquire(SessionLayout.AT_NOTICE_STATE)
        == state(notice, SessionLayout.TABLE_OFFERED);
  }

  /** Returns whether the system took the offered table. */
  public boolean isTaken(Notice notice) {
    return file.u32Acquire(SessionLayout.AT_NOTICE_STATE)
            == state(notice, SessionLayout.TABLE_TAKEN)
        && file.u32Acquire(SessionLayout.AT_OFFERED_STATUS) == 0;
  }

  /** Returns the handle of the table that was registered last. */
  public long handle() {
    return file.u64(SessionLayout.AT_OFFERED_HANDLE);
  }

  private static int state(Notice notice, int what) {
    return notice.count << 2 | what;
  }

  /**
   * Keeps modules loaded: one whose unloading is not among the {@link #news} afterwards stays until
   * they may be unloaded again, or for two seconds.
   */
  public void hold(boolean held) {
    // A thread that leaves announces that first and then checks if it may: one of the two sees the
    // other.
    file.exchangeU32(SessionLayout.AT_HOLD, held ? 1 : 0);
  }
}

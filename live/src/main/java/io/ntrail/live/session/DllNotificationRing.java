package io.ntrail.live.session;

import io.ntrail.formats.bytes.SharedFile;
import java.util.ArrayList;
import java.util.List;

/**
 * What a target tells of modules that come and go, and what it is answered (docs/live.md section
 * 1). The thread that loads a module holds the loader's lock while it waits for the answer.
 *
 * <p>Used by one thread, but for {@link #beat}.
 */
public final class DllNotificationRing {
  private static final int LOADED = 1;
  private static final int WAITS = 1;
  private static final int OFFERED = 2;
  private static final int TAKEN = 3;

  private final SharedFile file;
  private int heartbeat;
  private int answered;

  DllNotificationRing(SharedFile file) {
    this.file = file;
  }

  /**
   * A module came or goes.
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

  /** Says that the controller lives: nobody waits long for one that does not say it any more. */
  public void beat() {
    heartbeat = heartbeat == -1 ? 1 : heartbeat + 1;
    file.setU32Release(SessionLayout.AT_HEARTBEAT, heartbeat);
  }

  /** Whether there is anything to answer. */
  public boolean isNews() {
    return file.u32Acquire(SessionLayout.AT_NOTICES) != answered;
  }

  /** Whether a thread is about to tell something, or waits: it holds the loader's lock. */
  public boolean isBusy() {
    return file.u32Acquire(SessionLayout.AT_NOTICE_BUSY) != 0;
  }

  /** Notices that are not answered yet, in their order; none if the target tells nonsense. */
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
              file.u32(at) == LOADED,
              file.u64(at + 8),
              file.u32(at + 4) & 0xFFFF_FFFFL,
              file.u64(at + 16),
              file.u64(at + 24)));
    }
    return news;
  }

  /** Says that this notice and those before it are dealt with. */
  public void answer(Notice notice) {
    answered = notice.count;
    file.setU32Release(SessionLayout.AT_ANSWERED, answered);
  }

  /** How many notices were answered, modulo 2^32. */
  public int answered() {
    return answered;
  }

  /** Notices that could not be published so far, modulo 2^32. */
  public int missed() {
    return file.u32Acquire(SessionLayout.AT_NOTICES_MISSED);
  }

  /** Whether a thread waits for the answer to a notice. */
  public boolean isAwaited(Notice notice) {
    return file.u32Acquire(SessionLayout.AT_NOTICE_STATE) == state(notice, WAITS);
  }

  /**
   * Asks the thread that waits to tell the system of a function table.
   *
   * @return false if it does not wait any more
   */
  public boolean offer(Notice notice, long table, int entries, long base, long end) {
    file.setU64(SessionLayout.AT_OFFERED, table);
    file.setU64(SessionLayout.AT_OFFERED + 8, entries);
    file.setU64(SessionLayout.AT_OFFERED + 16, base);
    file.setU64(SessionLayout.AT_OFFERED + 24, end);
    return file.compareAndSetU32(
        SessionLayout.AT_NOTICE_STATE, state(notice, WAITS), state(notice, OFFERED));
  }

  /** Whether what was offered is neither taken nor refused. */
  public boolean isOffered(Notice notice) {
    return file.u32Acquire(SessionLayout.AT_NOTICE_STATE) == state(notice, OFFERED);
  }

  /** Whether the system took what was offered. */
  public boolean isTaken(Notice notice) {
    return file.u32Acquire(SessionLayout.AT_NOTICE_STATE) == state(notice, TAKEN)
        && file.u32Acquire(SessionLayout.AT_OFFERED_STATUS) == 0;
  }

  /** By what the system can be told to forget the table that was taken last. */
  public long handle() {
    return file.u64(SessionLayout.AT_OFFERED_HANDLE);
  }

  private static int state(Notice notice, int what) {
    return notice.count << 2 | what;
  }

  /**
   * Keeps modules from going: one whose going is not among the {@link #news} afterwards stays until
   * they may go again, or for two seconds.
   */
  public void hold(boolean held) {
    // Whoever goes tells that first and then looks whether it may: one of the two sees the other.
    file.exchangeU32(SessionLayout.AT_HOLD, held ? 1 : 0);
  }
}

package io.ntrail.live.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.LockSupport;

/**
 * Reader of an agent's replies that never waits for the pipe itself: it looks whether bytes are
 * there. A read could not be interrupted when the agent is gone and another process has inherited
 * its end of the pipe.
 *
 * <p>Most replies come within a fraction of a millisecond, and a trace waits for hundreds of them
 * before its program runs. So the reader looks again and again at first, lets other threads run in
 * between, and only after a while sleeps.
 */
final class ReplyReader {
  /**
   * Time of looking without sleep, in nanoseconds: as long as a reply takes that comes at once. Who
   * looks longer holds the processor that the agent waits for, if all are busy.
   */
  private static final long EAGER = 50_000;

  private static final long SHORTEST_SLEEP = 20_000;
  private static final long LONGEST_SLEEP = 1_000_000;

  private final AgentConnection connection;
  private final InputStream in;

  ReplyReader(AgentConnection connection) {
    this.connection = connection;
    this.in = connection.fromAgent();
  }

  /**
   * Reads bytes.
   *
   * @param until the time by the system's nanoseconds at which to give up
   * @throws TimeLimiter.TimedOut if they do not come; the agent was killed
   * @throws IOException if the agent has ended
   */
  byte[] read(int length, long until) throws IOException {
    byte[] bytes = new byte[length];
    int done = 0;
    long begun = System.nanoTime();
    long sleep = SHORTEST_SLEEP;
    boolean interrupted = false;
    try {
      while (done < length) {
        // Asked first: what an agent wrote before its end counts.
        boolean isOver = sleep > SHORTEST_SLEEP && connection.hasEnded();
        int ready = in.available();
        if (ready > 0) {
          int read = in.read(bytes, done, Math.min(ready, length - done));
          if (read < 0) {
            throw new IOException("the pipe was closed");
          }
          done += read;
          continue;
        }
        if (isOver) {
          throw new IOException("the pipe was closed");
        }
        long now = System.nanoTime();
        if (now - until > 0) {
          connection.kill();
          throw new TimeLimiter.TimedOut();
        }
        if (now - begun < EAGER) {
          Thread.onSpinWait();
        } else {
          // An exchange that was begun is ended, or nobody knew what was done.
          interrupted |= Thread.interrupted();
          LockSupport.parkNanos(sleep);
          sleep = Math.min(LONGEST_SLEEP, sleep + sleep / 8);
        }
      }
      return bytes;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

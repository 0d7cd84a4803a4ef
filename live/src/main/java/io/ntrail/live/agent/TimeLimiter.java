package io.ntrail.live.agent;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Limits the time of long requests to an agent.
 *
 * <p>A thread of its own writes them: a pipe can stay full after the agent was killed, when another
 * process has inherited its other end, and then that thread is left after.
 */
final class TimeLimiter implements AutoCloseable {
  private final Runnable end;
  private final ExecutorService thread;

  /**
   * @param end ends what did not answer in time
   */
  TimeLimiter(Runnable end) {
    this.end = end;
    this.thread =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("agent").factory());
  }

  /** No answer within the time limit. What should have given it was ended. */
  static final class TimedOut extends IOException {
    private static final long serialVersionUID = 1;

    TimedOut() {
      super("timed out");
    }
  }

  /**
   * Makes one exchange.
   *
   * @param mostNanos how long it may take
   * @throws TimedOut if it takes too long; nothing can be asked afterwards
   * @throws IOException if it fails
   */
  <T> T wait(Callable<T> exchange, long mostNanos) throws IOException {
    Future<T> answer = thread.submit(exchange);
    boolean interrupted = false;
    long until = System.nanoTime() + mostNanos;
    try {
      while (true) {
        try {
          return answer.get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          // An exchange that was begun is ended, or nobody knew what was done.
          interrupted = true;
        }
      }
    } catch (TimeoutException e) {
      end.run();
      throw new TimedOut();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new IllegalStateException(e);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}

package io.ntrail.programs.symbols;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that wait for others most of the time: several at once, started in their order, and stopped
 * when their results are no longer awaited.
 */
public final class TimedTasks<T> {
  /** Number of simultaneous requests. */
  private static final int THREADS = 8;

  /** Time that stopped tasks get for cleaning up. */
  private static final long STOPPING_SECONDS = 10;

  private final ExecutorService executor =
      Executors.newFixedThreadPool(
          THREADS, Thread.ofPlatform().daemon().name("symbols-", 0).factory());
  private final List<Future<T>> futures = new ArrayList<>();

  /** Starts the tasks. */
  public TimedTasks(List<Callable<T>> tasks) {
    tasks.forEach(task -> futures.add(executor.submit(task)));
  }

  /**
   * Waits for them.
   *
   * @param wait how long; null: until all are done
   * @param isGood whether what a task gave that was stopped is of use all the same
   * @param drop takes what is of no use
   * @return what they gave; empty for those that were stopped
   */
  public List<Optional<T>> await(@Nullable Duration wait, Predicate<T> isGood, Consumer<T> drop) {
    long end = wait == null ? Long.MAX_VALUE : System.nanoTime() + wait.toNanos();
    List<Optional<T>> results = new ArrayList<>();
    boolean isOver = false;
    try {
      for (Future<T> future : futures) {
        if (!isOver) {
          isOver = !isDone(future, wait == null ? Long.MAX_VALUE : end - System.nanoTime());
        }
        results.add(future.isDone() ? Optional.of(result(future)) : Optional.empty());
      }
    } finally {
      stop();
    }
    for (int i = 0; i < results.size(); i++) {
      Future<T> future = futures.get(i);
      if (results.get(i).isEmpty() && future.state() == Future.State.SUCCESS) {
        T given = future.resultNow();
        if (isGood.test(given)) {
          results.set(i, Optional.of(given));
        } else {
          drop.accept(given);
        }
      }
    }
    return results;
  }

  private static boolean isDone(Future<?> future, long nanos) {
    try {
      future.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      return true;
    }
  }

  private static <T> T result(Future<T> future) {
    if (future.state() == Future.State.FAILED) {
      Throwable failure = future.exceptionNow();
      if (failure instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      throw new IllegalStateException(failure);
    }
    return future.resultNow();
  }

  private void stop() {
    executor.shutdownNow();
    try {
      boolean _ = executor.awaitTermination(STOPPING_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

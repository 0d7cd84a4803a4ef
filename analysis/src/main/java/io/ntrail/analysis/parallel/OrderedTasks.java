package io.ntrail.analysis.parallel;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Numbered tasks on several cores whose results are taken one after the other, in order, by the
 * thread that asked for them: the answer is that of one core.
 */
public final class OrderedTasks {
  private OrderedTasks() {}

  /**
   * Does one task after the other; used by one thread at a time.
   *
   * @param <T> result of a task
   */
  public interface Worker<T> extends AutoCloseable {
    /** Does a task. */
    T result(int task);

    @Override
    void close();
  }

  /**
   * Takes results.
   *
   * @param <T> result of a task
   * @param <X> what may go wrong
   */
  @FunctionalInterface
  public interface Taker<T, X extends Exception> {
    /** Takes the result of the next task. */
    void take(T result) throws X;
  }

  /**
   * Runs the tasks 0 to {@code tasks} - 1.
   *
   * @param threads number of threads beside the one that takes results; with 0 that one does all;
   *     one thread has one worker, and does the tasks in order
   * @param ahead number of results that may wait to be taken
   * @param workers makes what does tasks, at most as many as results may wait
   */
  public static <T, X extends Exception> void run(
      int threads, int tasks, int ahead, Supplier<? extends Worker<T>> workers, Taker<T, X> taker)
      throws X {
    if (threads == 0 || tasks <= 1) {
      try (Worker<T> worker = workers.get()) {
        for (int task = 0; task < tasks; task++) {
          taker.take(worker.result(task));
        }
      }
      return;
    }
    Queue<Worker<T>> idle = new ConcurrentLinkedQueue<>();
    ArrayDeque<Future<T>> waiting = new ArrayDeque<>();
    ExecutorService executor = Executors.newFixedThreadPool(Math.min(threads, tasks));
    try {
      int next = 0;
      while (next < tasks || !waiting.isEmpty()) {
        while (next < tasks && waiting.size() < Math.max(1, ahead)) {
          int task = next++;
          waiting.add(executor.submit(() -> result(idle, workers, task)));
        }
        taker.take(get(waiting.remove()));
      }
    } finally {
      waiting.forEach(one -> one.cancel(false));
      executor.close();
      idle.forEach(Worker::close);
    }
  }

  private static <T> T result(
      Queue<Worker<T>> idle, Supplier<? extends Worker<T>> workers, int task) {
    Worker<T> worker = idle.poll();
    if (worker == null) {
      worker = workers.get();
    }
    try {
      return worker.result(task);
    } finally {
      idle.add(worker);
    }
  }

  private static <T> T get(Future<T> result) {
    try {
      return result.get();
    } catch (ExecutionException e) {
      throw ParallelTasks.unwrapped(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    }
  }
}

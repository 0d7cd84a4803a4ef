package io.ntrail.analysis.parallel;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BinaryOperator;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;

/** Numbered tasks on several cores, each thread collecting into something of its own. */
public final class ParallelTasks {
  private ParallelTasks() {}

  /**
   * Runs the tasks 0 to {@code tasks} - 1.
   *
   * @param make makes what a thread collects into
   * @param merge adds the second collection to the first; which task went into which collection
   *     differs from run to run, so the result may depend on the sum only
   */
  public static <A> A run(
      int cores, int tasks, Supplier<A> make, ObjIntConsumer<A> task, BinaryOperator<A> merge) {
    AtomicInteger next = new AtomicInteger();
    Callable<A> worker =
        () -> {
          A collected = make.get();
          int i;
          while ((i = next.getAndIncrement()) < tasks && !Thread.currentThread().isInterrupted()) {
            task.accept(collected, i);
          }
          return collected;
        };
    int workers = Math.clamp(cores, 1, Math.max(1, tasks));
    try (ExecutorService executor = Executors.newFixedThreadPool(workers)) {
      List<Future<A>> parts = new ArrayList<>();
      for (int i = 0; i < workers; i++) {
        parts.add(executor.submit(worker));
      }
      try {
        A all = parts.getFirst().get();
        for (Future<A> part : parts.subList(1, workers)) {
          all = merge.apply(all, part.get());
        }
        return all;
      } catch (ExecutionException e) {
        next.set(tasks);
        throw unwrapped(e);
      } catch (InterruptedException e) {
        executor.shutdownNow();
        Thread.currentThread().interrupt();
        throw CannotGoOn.interrupted();
      }
    }
  }

  /** Returns what a task has thrown. */
  static RuntimeException unwrapped(ExecutionException e) {
    return switch (e.getCause()) {
      case RuntimeException cause -> cause;
      case Error cause -> throw cause;
      case null, default -> new IllegalStateException(e);
    };
  }
}

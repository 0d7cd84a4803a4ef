package io.ntrail.analysis.parallel;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
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
    List<FutureTask<A>> parts = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    try {
      for (int i = 0; i < workers; i++) {
        FutureTask<A> part = new FutureTask<>(worker);
        parts.add(part);
        threads.add(Thread.ofPlatform().name("tasks-" + i).start(part));
      }
      A all = parts.getFirst().get();
      for (FutureTask<A> part : parts.subList(1, workers)) {
        all = merge.apply(all, part.get());
      }
      return all;
    } catch (ExecutionException e) {
      throw unwrapped(e);
    } catch (InterruptedException e) {
      threads.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    } finally {
      next.set(tasks);
      end(threads);
    }
  }

  /** Waits until the threads have ended, whatever interrupts it. */
  private static void end(List<Thread> threads) {
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
          threads.forEach(Thread::interrupt);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
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

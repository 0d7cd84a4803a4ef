package io.ntrail.analysis.parallel;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** One task after the other in a second thread, beside what the thread that starts them does. */
public final class TaskBehind implements AutoCloseable {
  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private @Nullable Future<?> running;

  /** Creates one without a task. */
  public TaskBehind() {}

  /** Starts a task; the one before must have been waited for. */
  public void start(Runnable task) {
    if (running != null) {
      throw new IllegalStateException("a task is running");
    }
    running = executor.submit(task);
  }

  /** Waits until the task that was started has ended, if any; throws what it has thrown. */
  public void await() {
    Future<?> task = running;
    if (task == null) {
      return;
    }
    running = null;
    try {
      task.get();
    } catch (ExecutionException e) {
      throw ParallelTasks.unwrapped(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    }
  }

  /** Waits until the task that was started has ended; what it throws is lost. */
  @Override
  public void close() {
    executor.close();
  }
}

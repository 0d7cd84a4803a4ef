package io.ntrail.analysis.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tasks on several cores: their results come as one core would give them. */
class OrderedTasksTest {
  private static final int TASKS = 50;

  private final AtomicInteger made = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger mostWaiting = new AtomicInteger();

  private final AtomicBoolean isInOrder = new AtomicBoolean(true);

  /** Counted down when a task is ready, if the one before it is to wait for that. */
  private List<CountDownLatch> ready = List.of();

  /** Gives the number of the task. */
  private final class Worker implements OrderedTasks.Worker<Integer> {
    private int last = -1;

    Worker() {
      made.incrementAndGet();
    }

    @Override
    public Integer result(int task) {
      if (task < last) {
        isInOrder.set(false);
      }
      last = task;
      if (task % 2 == 0 && task + 1 < ready.size()) {
        await(ready.get(task + 1));
      }
      if (task < ready.size()) {
        ready.get(task).countDown();
      }
      if (task == TASKS) {
        throw new IllegalArgumentException("task " + task);
      }
      int now = waiting.incrementAndGet();
      mostWaiting.accumulateAndGet(now, Math::max);
      return task;
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw CannotGoOn.interrupted();
    }
  }

  private List<Integer> results(int threads, int tasks, int ahead) {
    List<Integer> results = new ArrayList<>();
    OrderedTasks.run(
        threads,
        tasks,
        ahead,
        Worker::new,
        result -> {
          waiting.decrementAndGet();
          results.add(result);
        });
    return results;
  }

  @Test
  void resultsComeInOrderWhateverIsReadyFirst() {
    List<Integer> all = IntStream.range(0, TASKS).boxed().toList();
    for (int threads : new int[] {0, 1}) {
      assertEquals(all, results(threads, TASKS, 5), threads + " threads");
    }
    for (int threads : new int[] {2, 4}) {
      // Of two tasks, the second is ready first.
      ready = all.stream().map(_ -> new CountDownLatch(1)).toList();
      assertEquals(all, results(threads, TASKS, 5), threads + " threads");
    }
    assertEquals(made.get(), closed.get(), "all workers are closed");
  }

  @Test
  void oneThreadHasOneWorkerThatDoesTheTasksInOrder() {
    results(1, TASKS, 3);
    assertEquals(1, made.get());
    assertEquals(1, closed.get());
    assertTrue(isInOrder.get());
  }

  @Test
  void noMoreResultsWaitThanAreAllowed() {
    results(4, TASKS, 3);
    assertTrue(mostWaiting.get() <= 3, mostWaiting + " waited");
  }

  @Test
  void nothingToDoIsDone() {
    assertEquals(List.of(), results(2, 0, 2));
  }

  @Test
  void theFailureOfATaskIsThatOfAll() {
    for (int threads : new int[] {0, 2}) {
      assertThrows(IllegalArgumentException.class, () -> results(threads, TASKS + 1, 4));
    }
    assertEquals(made.get(), closed.get(), "all workers are closed");
  }

  @Test
  void theFailureOfWhoTakesResultsEndsThem() {
    assertThrows(
        IOException.class,
        () ->
            OrderedTasks.run(
                2,
                TASKS,
                4,
                Worker::new,
                result -> {
                  if (result == 3) {
                    throw new IOException("disk full");
                  }
                }));
    assertEquals(made.get(), closed.get(), "all workers are closed");
  }
}

package io.ntrail.analysis.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbered tasks on several threads: sums, failures, interruption. */
class ParallelTasksTest {
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  private List<Integer> numbers(int cores, int tasks) {
    return ParallelTasks.run(
        cores,
        tasks,
        ArrayList::new,
        (found, i) -> {
          threads.add(Thread.currentThread());
          found.add(i);
        },
        (a, b) -> {
          a.addAll(b);
          return a;
        });
  }

  private void assertNoThreadIsLeft() {
    assertFalse(threads.isEmpty());
    assertTrue(threads.stream().noneMatch(Thread::isAlive));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7})
  void everyTaskRunsOnceOnAnyNumberOfCores(int cores) {
    List<Integer> all = numbers(cores, 100);
    assertEquals(100, all.size());
    assertEquals(100, Set.copyOf(all).size());
    assertNoThreadIsLeft();
  }

  @Test
  void withoutTasksTheCollectionIsEmpty() {
    assertEquals(List.of(), numbers(4, 0));
  }

  @Test
  void aTaskThatFailsEndsTheOthersAndItsFailureIsThrown() {
    IllegalStateException failure = new IllegalStateException("task 3");
    AtomicInteger begun = new AtomicInteger();
    IllegalStateException thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                ParallelTasks.<List<Integer>>run(
                    1,
                    1_000,
                    ArrayList::new,
                    (_, i) -> {
                      threads.add(Thread.currentThread());
                      begun.incrementAndGet();
                      if (i == 3) {
                        throw failure;
                      }
                    },
                    (a, _) -> a));
    assertSame(failure, thrown);
    assertEquals(4, begun.get());
    assertNoThreadIsLeft();
  }

  @Test
  void aMergeThatFailsLeavesNoThread() {
    assertThrows(
        UnsupportedOperationException.class,
        () ->
            ParallelTasks.<List<Integer>>run(
                2,
                1_000,
                ArrayList::new,
                (_, _) -> threads.add(Thread.currentThread()),
                (_, _) -> {
                  throw new UnsupportedOperationException();
                }));
    assertNoThreadIsLeft();
  }

  @Test
  void whoIsInterruptedWaitsForTheTasksThatRunAndRemembersIt() throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    AtomicInteger begun = new AtomicInteger();
    AtomicBoolean remembered = new AtomicBoolean();
    List<Throwable> thrown = new ArrayList<>();
    Thread asking =
        new Thread(() -> {
          try {
            ParallelTasks.<List<Integer>>run(
                2,
                1_000_000,
                ArrayList::new,
                (_, _) -> {
                  threads.add(Thread.currentThread());
                  begun.incrementAndGet();
                  running.countDown();
                  untilInterrupted();
                },
                (a, _) -> a);
          } catch (CannotGoOn e) {
            thrown.add(e);
          }
          remembered.set(Thread.currentThread().isInterrupted());
        });
    asking.start();
    running.await();
    asking.interrupt();
    asking.join();
    assertEquals(1, thrown.size());
    assertTrue(remembered.get());
    assertTrue(begun.get() <= 2, () -> begun + " tasks");
    assertNoThreadIsLeft();
  }

  /** Waits as a task does that has nothing else to do; it stays interrupted. */
  private static void untilInterrupted() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.ntrail.analysis.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tasks in a second thread. */
class TaskBehindTest {
  @Test
  void whatIsWaitedForIsDone() {
    List<Integer> done = new ArrayList<>();
    try (TaskBehind behind = new TaskBehind()) {
      for (int i = 0; i < 3; i++) {
        int task = i;
        behind.await();
        behind.start(() -> done.add(task));
      }
      behind.await();
      assertEquals(List.of(0, 1, 2), done);
    }
  }

  @Test
  void aTaskRunsBesideTheThreadThatStartedIt() {
    CountDownLatch goOn = new CountDownLatch(1);
    List<String> done = new ArrayList<>();
    try (TaskBehind behind = new TaskBehind()) {
      behind.start(() -> {
        awaitQuietly(goOn);
        done.add("behind");
      });
      goOn.countDown();
      behind.await();
    }
    assertEquals(List.of("behind"), done);
  }

  @Test
  void whatATaskThrowsIsThrownOnce() {
    try (TaskBehind behind = new TaskBehind()) {
      behind.start(() -> {
        throw new IllegalArgumentException("broken");
      });
      assertEquals(
          "broken", assertThrows(IllegalArgumentException.class, behind::await).getMessage());
      behind.await();
    }
  }

  @Test
  void asLongAsOneTaskIsNotWaitedForNoOtherStarts() {
    try (TaskBehind behind = new TaskBehind()) {
      behind.start(() -> {});
      assertThrows(IllegalStateException.class, () -> behind.start(() -> {}));
    }
  }

  @Test
  void whoIsInterruptedWaitsNoLonger() {
    CountDownLatch goOn = new CountDownLatch(1);
    try (TaskBehind behind = new TaskBehind()) {
      behind.start(() -> awaitQuietly(goOn));
      Thread.currentThread().interrupt();
      assertThrows(CannotGoOn.class, behind::await);
      assertTrue(Thread.interrupted());
      goOn.countDown();
    }
    assertFalse(Thread.currentThread().isInterrupted());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

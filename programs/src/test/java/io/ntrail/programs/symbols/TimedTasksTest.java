package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.CannotGoOn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/** Tasks that may be stopped when the time is over. */
class TimedTasksTest {
  private static final Callable<String> ENDLESS =
      () -> {
        new CountDownLatch(1).await();
        return "never";
      };

  private final List<String> dropped = new ArrayList<>();

  private List<Optional<String>> run(Duration wait, List<Callable<String>> tasks) {
    return new TimedTasks<>(tasks).await(wait, text -> text.equals("good"), dropped::add);
  }

  @Test
  void resultsComeInTheOrderOfTheTasks() {
    List<Callable<String>> tasks = new ArrayList<>();
    List<Optional<String>> expected = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      String text = Integer.toString(i);
      tasks.add(() -> text);
      expected.add(Optional.of(text));
    }
    assertEquals(expected, new TimedTasks<>(tasks).await(null, _ -> true, dropped::add));
  }

  @Test
  void severalRunAtOnce() {
    CyclicBarrier together = new CyclicBarrier(8);
    Callable<String> task =
        () -> {
          together.await();
          return "good";
        };
    List<Callable<String>> tasks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      tasks.add(task);
    }
    assertEquals(8, new TimedTasks<>(tasks).await(null, _ -> true, dropped::add).size());
  }

  @Test
  void lateTasksAreStoppedAndEmpty() {
    assertEquals(List.of(Optional.empty()), run(Duration.ZERO, List.of(ENDLESS)));
  }

  @Test
  void aUsefulResultOfAStoppedTaskIsTaken() {
    for (String given : List.of("good", "bad")) {
      Callable<String> task =
          () -> {
            try {
              return ENDLESS.call();
            } catch (InterruptedException e) {
              return given;
            }
          };
      CountDownLatch begun = new CountDownLatch(1);
      Callable<String> waits =
          () -> {
            begun.countDown();
            return task.call();
          };
      TimedTasks<String> tasks = new TimedTasks<>(List.of(waits));
      assertEquals(true, await(begun));
      assertEquals(
          List.of(given.equals("good") ? Optional.of("good") : Optional.empty()),
          tasks.await(Duration.ZERO, text -> text.equals("good"), dropped::add));
    }
    assertEquals(List.of("bad"), dropped);
  }

  private static boolean await(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Test
  void aTaskThatFailsFailsForWhoWaits() {
    Callable<String> task =
        () -> {
          throw new CannotGoOn("no", "");
        };
    List<Callable<String>> tasks = List.of(task);
    assertThrows(CannotGoOn.class, () -> run(Duration.ofMinutes(1), tasks));
  }
}

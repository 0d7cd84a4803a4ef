package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Several threads and programs put the same file into the same stores at once. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class StoreRaceTest {
  private static final StoreFixture CRASH = StoreFixture.crash();
  private static final int RUNNERS = 4;

  @TempDir private Path folder;

  @BeforeEach
  void fillTheLastStore() throws IOException {
    StoreFixture.put(folder, "r/" + CRASH.packedPlace(), CRASH.packed());
  }

  private static String found(int round) {
    return "l" + round + "/" + CRASH.place() + "[]";
  }

  /** In every store the whole file, and nothing else. */
  private void everyStoreIsWhole() throws IOException {
    List<String> expected = new ArrayList<>(List.of("r/" + CRASH.packedPlace()));
    for (int round = 0; round < StoreRace.ROUNDS; round++) {
      expected.add("l" + round + "/" + CRASH.place());
      expected.add("m" + round + "/" + CRASH.packedPlace());
      assertEquals(
          CRASH.bytes().length, Files.size(folder.resolve("l" + round + "/" + CRASH.place())));
    }
    Files.deleteIfExists(folder.resolve("go"));
    assertEquals(expected.stream().sorted().toList(), StoreFixture.files(folder));
  }

  @Test
  void threadsDoNotDisturbEachOther() throws Exception {
    CyclicBarrier together = new CyclicBarrier(RUNNERS);
    Callable<List<String>> runner =
        () -> {
          List<String> found = new ArrayList<>();
          for (int round = 0; round < StoreRace.ROUNDS; round++) {
            together.await();
            found.add(StoreRace.find(folder, round));
          }
          return found;
        };
    try (ExecutorService executor = Executors.newFixedThreadPool(RUNNERS)) {
      for (Future<List<String>> future :
          executor.invokeAll(IntStream.range(0, RUNNERS).mapToObj(_ -> runner).toList())) {
        assertEquals(
            IntStream.range(0, StoreRace.ROUNDS).mapToObj(StoreRaceTest::found).toList(),
            future.get());
      }
    }
    everyStoreIsWhole();
  }

  @Test
  void programsDoNotDisturbEachOther() throws Exception {
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < RUNNERS; i++) {
      processes.add(
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  StoreRace.class.getName(),
                  folder.toString())
              .redirectErrorStream(true)
              .start());
    }
    Files.createFile(folder.resolve("go"));
    for (Process process : processes) {
      List<String> lines =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("WARNING"))
              .toList();
      assertEquals(
          IntStream.range(0, StoreRace.ROUNDS).mapToObj(StoreRaceTest::found).toList(), lines);
      assertEquals(0, process.waitFor());
    }
    assertTrue(processes.size() > 1);
    everyStoreIsWhole();
  }
}

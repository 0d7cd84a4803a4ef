package io.ntrail.programs.symbols.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.programs.symbols.StoreFixture;
import io.ntrail.testkit.web.SymbolStoreServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Several threads and programs want the same file from a server: it is sent once. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class HttpRaceTest {
  private static final StoreFixture CRASH = StoreFixture.crash();
  private static final String PLACE = "/" + CRASH.place();
  private static final int RUNNERS = 4;

  @TempDir private Path folder;

  private final SymbolStoreServer server =
      new SymbolStoreServer().on(PLACE, SymbolStoreServer.inParts(CRASH.bytes(), "\"one\""));

  @AfterEach
  void stop() {
    server.close();
  }

  private static List<String> found() {
    return IntStream.range(0, HttpRace.ROUNDS)
        .mapToObj(round -> "l" + round + PLACE + "[]")
        .toList();
  }

  /** In every store the whole file and nothing else; the server has sent it once for each. */
  private void everyStoreIsWhole() throws IOException {
    List<String> expected = new ArrayList<>();
    for (int round = 0; round < HttpRace.ROUNDS; round++) {
      expected.add("l" + round + PLACE);
      assertEquals(CRASH.bytes().length, Files.size(folder.resolve("l" + round + PLACE)));
    }
    Files.deleteIfExists(folder.resolve("go"));
    assertEquals(expected.stream().sorted().toList(), StoreFixture.files(folder));
    assertEquals(HttpRace.ROUNDS, server.asked().size());
  }

  @Test
  void threadsFetchAFileOnce() throws Exception {
    CyclicBarrier together = new CyclicBarrier(RUNNERS);
    try (HttpStoreClient fetch = new HttpStoreClient(Fetching.PATIENT, FetchListener.NONE);
        ExecutorService executor = Executors.newFixedThreadPool(RUNNERS)) {
      Callable<List<String>> runner =
          () -> {
            List<String> found = new ArrayList<>();
            for (int round = 0; round < HttpRace.ROUNDS; round++) {
              together.await();
              found.add(HttpRace.find(folder, server.root().toString(), round, fetch));
            }
            return found;
          };
      for (Future<List<String>> future :
          executor.invokeAll(IntStream.range(0, RUNNERS).mapToObj(_ -> runner).toList())) {
        assertEquals(found(), future.get());
      }
    }
    everyStoreIsWhole();
  }

  private Process program(String address) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            HttpRace.class.getName(),
            folder.toString(),
            address)
        .redirectErrorStream(true)
        .start();
  }

  @Test
  void aKilledProgramLeavesAPartialFileToResume() throws Exception {
    int half = CRASH.bytes().length / 2;
    Path part = folder.resolve("l0" + PLACE + ".part");
    CountDownLatch came = new CountDownLatch(1);
    server.on(
        PLACE,
        SymbolStoreServer.inTurn(
            exchange -> {
              exchange
                  .head(200, CRASH.bytes().length, "ETag", "\"one\"")
                  .send(Arrays.copyOf(CRASH.bytes(), half));
              while (!Files.exists(part) || Files.size(part) < half) {
                Thread.onSpinWait();
              }
              came.countDown();
              exchange.untilClosed();
            },
            SymbolStoreServer.inParts(CRASH.bytes(), "\"one\"")));
    Files.createFile(folder.resolve("go"));
    Process killed = program(server.root().toString());
    came.await();
    killed.destroyForcibly().waitFor();
    assertEquals(half, Files.size(part));
    try (HttpStoreClient fetch = new HttpStoreClient(Fetching.PATIENT, FetchListener.NONE)) {
      assertEquals("l0" + PLACE + "[]", HttpRace.find(folder, server.root().toString(), 0, fetch));
    }
    assertEquals("bytes=" + half + "-", server.asked().getLast().header("range"));
    assertEquals(List.of("go", "l0" + PLACE), StoreFixture.files(folder));
  }

  @Test
  void programsFetchAFileOnce() throws Exception {
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < RUNNERS; i++) {
      processes.add(program(server.root().toString()));
    }
    Files.createFile(folder.resolve("go"));
    for (Process process : processes) {
      List<String> lines =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("WARNING"))
              .toList();
      assertEquals(found(), lines);
      assertEquals(0, process.waitFor());
    }
    everyStoreIsWhole();
  }
}

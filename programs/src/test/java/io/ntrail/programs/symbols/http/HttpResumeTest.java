package io.ntrail.programs.symbols.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.programs.symbols.StoreFixture;
import io.ntrail.testkit.web.RawServer;
import io.ntrail.testkit.web.SymbolStoreServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** An interrupted download resumes where it stopped, as long as it is the same file. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class HttpResumeTest {
  private static final StoreFixture CRASH = StoreFixture.crash();
  private static final String PLACE = "/" + CRASH.place();
  private static final byte[] BYTES = CRASH.bytes();
  private static final int HALF = BYTES.length / 2;
  private static final String LENGTH = "Content-Length: " + BYTES.length;
  private static final String TAG = "ETag: \"one\"";

  @TempDir private Path folder;

  private static byte[] first() {
    return Arrays.copyOf(BYTES, HALF);
  }

  private static byte[] rest() {
    return Arrays.copyOfRange(BYTES, HALF, BYTES.length);
  }

  private static String range(int from) {
    return "Content-Range: bytes %d-%d/%d".formatted(from, BYTES.length - 1, BYTES.length);
  }

  private void finds(RawServer server) throws IOException {
    try (Fetching fetching = new Fetching(folder, CRASH, Fetching.PATIENT)) {
      fetching.finds(server.root());
    }
  }

  @Test
  void anInterruptedDownloadIsResumed() throws IOException {
    try (RawServer server =
        new RawServer((_, number, to) -> {
          if (number == 0) {
            to.head("200 OK", LENGTH, TAG).send(first());
          } else {
            to.head("206 Partial", "Content-Length: " + rest().length, TAG, range(HALF))
                .send(rest());
          }
        })) {
      finds(server);
      assertEquals(2, server.asked().size());
      List<String> second = server.asked().getLast();
      assertTrue(second.contains("Range: bytes=" + HALF + "-"), second::toString);
      assertTrue(second.contains("If-Range: \"one\""), second::toString);
    }
  }

  @Test
  void aServerThatStartsOverIsFollowed() throws IOException {
    try (RawServer server =
        new RawServer((_, number, to) -> {
          to.head("200 OK", LENGTH, TAG).send(number == 0 ? first() : BYTES);
        })) {
      finds(server);
      assertEquals(2, server.asked().size());
    }
  }

  @Test
  void aServerThatHasLessIsAskedFromTheStart() throws IOException {
    try (RawServer server =
        new RawServer((_, number, to) -> {
          switch (number) {
            case 0 -> to.head("200 OK", LENGTH, TAG).send(first());
            case 1 -> to.head("416 No", "Content-Range: bytes */10", "Content-Length: 0");
            default -> to.head("200 OK", LENGTH, TAG).send(BYTES);
          }
        })) {
      finds(server);
      assertTrue(
          server.asked().getLast().stream().noneMatch(line -> line.startsWith("Range")), "anew");
    }
  }

  @Test
  void anotherPartThanTheRequestedOneIsNotUsed() throws IOException {
    for (String wrong :
        List.of(range(HALF - 1), range(HALF + 1), "Content-Range: bytes x", "X-Other: 1")) {
      try (RawServer server =
          new RawServer((_, number, to) -> {
            switch (number) {
              case 0 -> to.head("200 OK", LENGTH, TAG).send(first());
              case 1 -> to.head("206 Partial", "Content-Length: 10", wrong).send(new byte[10]);
              default -> to.head("200 OK", LENGTH, TAG).send(BYTES);
            }
          })) {
        finds(server);
        Files.delete(folder.resolve("s" + PLACE));
      }
    }
  }

  @Test
  void withoutAProofThatItIsTheSameFileItStartsOver() throws IOException {
    try (RawServer server =
        new RawServer((_, number, to) -> {
          to.head("200 OK", LENGTH, "ETag: W/\"weak\"").send(number == 0 ? first() : BYTES);
        })) {
      finds(server);
      assertTrue(
          server.asked().getLast().stream().noneMatch(line -> line.startsWith("Range")), "anew");
    }
  }

  @Test
  void aTimeIsAProof() throws IOException {
    String time = "Last-Modified: Sat, 14 Mar 2026 08:26:53 GMT";
    try (RawServer server =
        new RawServer((_, number, to) -> {
          if (number == 0) {
            to.head("200 OK", LENGTH, time).send(first());
          } else {
            to.head("206 Partial", "Content-Length: " + rest().length, range(HALF)).send(rest());
          }
        })) {
      finds(server);
      List<String> second = server.asked().getLast();
      assertTrue(second.contains("If-" + time.replace("Last-Modified", "Range")), second::toString);
    }
  }

  @Test
  void encodedDownloadsAreResumedToo() throws IOException {
    byte[] packed = SymbolStoreServer.gzip(BYTES);
    int half = packed.length / 2;
    String range =
        "Content-Range: bytes %d-%d/%d".formatted(half, packed.length - 1, packed.length);
    String gzip = "Content-Encoding: gzip";
    try (RawServer server =
        new RawServer((_, number, to) -> {
          if (number == 0) {
            to.head("200 OK", "Content-Length: " + packed.length, TAG, gzip)
                .send(Arrays.copyOf(packed, half));
          } else {
            to.head("206 Partial", "Content-Length: " + (packed.length - half), range, gzip)
                .send(Arrays.copyOfRange(packed, half, packed.length));
          }
        })) {
      finds(server);
      assertEquals(2, server.asked().size());
    }
  }

  @Test
  void aFileThatBreaksOffForGoodIsKeptForTheNextTime() throws IOException {
    try (RawServer server =
            new RawServer((_, number, to) -> {
              if (number == 0) {
                to.head("200 OK", LENGTH, TAG).send(first());
              }
            });
        Fetching fetching = new Fetching(folder, CRASH, Fetching.PATIENT)) {
      String why = fetching.misses(server.root());
      assertTrue(why.contains("closed the connection"), why);
      String part = CRASH.place() + ".part";
      assertEquals(List.of(part, part + ".lock"), fetching.left());
      assertEquals(HALF, Files.size(folder.resolve("s/" + part)));
    }
  }

  /** Returns a server that sends a half and waits, then all that is asked for. */
  private SymbolStoreServer stallingOnce(CountDownLatch half) throws IOException {
    SymbolStoreServer good = new SymbolStoreServer();
    good.on(
        PLACE,
        SymbolStoreServer.inTurn(
            exchange -> {
              exchange.head(200, BYTES.length, "ETag", "\"one\"").send(first());
              Path part = folder.resolve("s" + PLACE + ".part");
              while (!Files.exists(part) || Files.size(part) < HALF) {
                Thread.onSpinWait();
              }
              half.countDown();
              exchange.untilClosed();
            },
            SymbolStoreServer.inParts(BYTES, "\"one\"")));
    return good;
  }

  @Test
  void aStoppedThreadLeavesAPartialFileToResume() throws Exception {
    CountDownLatch half = new CountDownLatch(1);
    try (SymbolStoreServer good = stallingOnce(half);
        Fetching fetching = new Fetching(folder, CRASH, Fetching.PATIENT)) {
      String[] why = {""};
      Thread searcher = Thread.ofPlatform().start(() -> why[0] = fetching.misses(good.root()));
      half.await();
      searcher.interrupt();
      searcher.join();
      assertTrue(why[0].contains("timed out"), why[0]);
      assertEquals(List.of(CRASH.place() + ".part", CRASH.place() + ".part.lock"), fetching.left());
      try (Fetching next = new Fetching(folder, CRASH, Fetching.PATIENT)) {
        next.finds(good.root());
      }
      assertEquals("bytes=" + HALF + "-", good.asked().getLast().header("range"));
    }
  }

  @Test
  void aStoppedClientLeavesAPartialFileAsksNoMoreAndLeavesItsThreadAlone() throws Exception {
    CountDownLatch half = new CountDownLatch(1);
    try (SymbolStoreServer good = stallingOnce(half);
        Fetching fetching = new Fetching(folder, CRASH, Fetching.PATIENT)) {
      List<String> why = new ArrayList<>();
      boolean[] isInterrupted = {true};
      Thread searcher =
          Thread.ofPlatform()
              .start(() -> {
                why.add(fetching.misses(good.root()));
                why.add(fetching.misses(good.root()));
                isInterrupted[0] = Thread.currentThread().isInterrupted();
              });
      half.await();
      fetching.stop();
      searcher.join();
      assertTrue(why.getFirst().endsWith(" stopped"), why.toString());
      assertTrue(why.getLast().endsWith(" not asked: stopped"), why.toString());
      assertEquals(1, good.asked().size());
      assertFalse(isInterrupted[0]);
      try (Fetching next = new Fetching(folder, CRASH, Fetching.PATIENT)) {
        next.finds(good.root());
      }
      assertEquals("bytes=" + HALF + "-", good.asked().getLast().header("range"));
    }
  }

  @Test
  void aDamagedBeginningIsFoundOutAndThrownAway() throws IOException {
    Path part = folder.resolve("s" + PLACE + ".part");
    Files.createDirectories(part.getParent());
    try (SymbolStoreServer server =
            new SymbolStoreServer().on(PLACE, SymbolStoreServer.inParts(BYTES, "\"one\""));
        Fetching fetching = new Fetching(folder, CRASH, Fetching.PATIENT)) {
      Files.write(part, new byte[HALF]);
      Files.writeString(
          part.resolveSibling("crash.pdb.part.lock"),
          server.root() + PLACE + "\n\"one\"\nidentity\n",
          StandardCharsets.US_ASCII);
      String why = fetching.misses(server.root());
      assertTrue(why.contains("something that is not a symbol file"), why);
      assertEquals(List.of(), fetching.left());
      fetching.finds(server.root());
    }
  }
}

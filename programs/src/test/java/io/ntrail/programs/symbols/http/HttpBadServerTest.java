package io.ntrail.programs.symbols.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.programs.symbols.StoreFixture;
import io.ntrail.testkit.web.RawServer;
import io.ntrail.testkit.web.SymbolStoreServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are slow, lie, or never end: they cost little, and the next one is asked. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class HttpBadServerTest {
  private static final StoreFixture CRASH = StoreFixture.crash();
  private static final String PLACE = "/" + CRASH.place();
  private static final byte[] BYTES = CRASH.bytes();

  @TempDir private Path folder;

  /** Returns the reason why there is no file, after checking that nothing unexpected is left. */
  private String misses(FetchLimits limits, RawServer.Script script, List<String> left)
      throws IOException {
    try (RawServer server = new RawServer(script);
        Fetching fetching = new Fetching(folder, CRASH, limits)) {
      String why = fetching.misses(server.root());
      assertEquals(left, fetching.left());
      return why;
    }
  }

  private static void says(String expected, String why) {
    assertTrue(why.contains(expected), why);
  }

  @Test
  void aServerThatNeverAnswersIsSkipped() throws IOException {
    try (RawServer server = new RawServer((_, _, to) -> to.untilClosed());
        SymbolStoreServer other = new SymbolStoreServer().has(PLACE, BYTES);
        Fetching fetching = new Fetching(folder, CRASH, Fetching.HASTY)) {
      says("did not answer within", fetching.misses(server.root()));
      // The server may still be reading what it was asked.
      while (server.asked().size() < 2) {
        Thread.onSpinWait();
      }
      says("skipped: it did not answer", fetching.misses(server.root()));
      assertEquals(2, server.asked().size());
      try (Fetching patient = new Fetching(folder, CRASH, Fetching.PATIENT)) {
        patient.finds(other.root());
      }
    }
  }

  @Test
  void aServerThatStopsInTheMiddleIsNotWaitedFor() throws IOException {
    String length = "Content-Length: " + BYTES.length;
    String why =
        misses(
            Fetching.UNTIL_STALLED,
            (_, _, to) -> to.head("200 OK", length).send(Arrays.copyOf(BYTES, 5000)).untilClosed(),
            List.of());
    // The second, if the machine had no time for the client when the bytes came.
    assertTrue(
        why.contains("sent nothing more within") || why.contains("sent less than 4096 bytes in"),
        why);
  }

  @Test
  void aServerThatDripsIsNotWaitedFor() throws IOException {
    String why =
        misses(
            Fetching.UNTIL_STALLED,
            (_, _, to) -> {
              to.head("200 OK", "Content-Length: " + BYTES.length);
              for (byte one : BYTES) {
                to.send(new byte[] {one});
                LockSupport.parkNanos(5_000_000);
              }
            },
            List.of());
    says("sent less than 4096 bytes in", why);
  }

  @Test
  void aServerThatStopsInItsHeadersIsNotWaitedFor() throws IOException {
    String why =
        misses(
            Fetching.HASTY,
            (_, _, to) -> {
              to.send("HTTP/1.1 200 OK\r\nContent-".getBytes(StandardCharsets.US_ASCII));
              to.untilClosed();
            },
            List.of());
    says("did not answer within", why);
  }

  @Test
  void aBodyThatIsShorterThanItsLengthIsNotAFile() throws IOException {
    String why =
        misses(
            Fetching.PATIENT,
            (_, _, to) ->
                to.head("200 OK", "Content-Length: " + BYTES.length)
                    .send(Arrays.copyOf(BYTES, BYTES.length - 1)),
            List.of());
    says("closed the connection", why);
  }

  @Test
  void aTruncatedBodyWithoutALengthIsNotAFile() throws IOException {
    String why =
        misses(
            Fetching.PATIENT,
            (_, number, to) -> {
              if (number == 0) {
                to.head("200 OK", "Connection: close").send(Arrays.copyOf(BYTES, 5000));
              } else {
                to.head("404 None", "Content-Length: 0");
              }
            },
            List.of());
    says("the file from http://127.0.0.1:", why);
  }

  @Test
  void aBodyThatIsLongerThanItsLengthIsTruncated() throws IOException {
    try (RawServer server =
            new RawServer((_, _, to) ->
                to.head("200 OK", "Content-Length: " + BYTES.length)
                    .send(BYTES)
                    .send(new byte[100_000]));
        Fetching fetching = new Fetching(folder, CRASH, Fetching.PATIENT)) {
      fetching.finds(server.root());
    }
  }

  @Test
  void aBodyWithoutEndEnds() throws IOException {
    byte[] chunk = new byte[1 << 16];
    System.arraycopy(BYTES, 0, chunk, 0, 4096);
    String why =
        misses(
            Fetching.PATIENT,
            (_, _, to) -> {
              to.head("200 OK", "Connection: close");
              while (true) {
                to.send(chunk);
              }
            },
            List.of());
    says("is larger than any file of its kind", why);
  }

  @Test
  void aPageWithoutEndIsLeftAtItsBeginning() throws IOException {
    byte[] page = "<html>".repeat(2000).getBytes(StandardCharsets.US_ASCII);
    for (String status : List.of("200 OK", "404 None", "302 Found")) {
      misses(
          Fetching.PATIENT,
          (_, _, to) -> {
            to.head(status, "Connection: close", "Content-Type: text/html");
            while (true) {
              to.send(page);
            }
          },
          List.of());
    }
  }

  @Test
  void otherProtocolsAreReported() throws IOException {
    String why =
        misses(
            Fetching.PATIENT,
            (_, _, to) -> to.send("SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII)),
            List.of());
    says("closed the connection", why);
  }

  @Test
  void invalidLengthsDoNoHarm() throws IOException {
    for (String length : List.of("-5", "99999999999999999999", "x", "0x10")) {
      misses(
          Fetching.HASTY,
          (_, _, to) -> to.head("200 OK", "Content-Length: " + length).send(BYTES),
          List.of());
    }
  }
}

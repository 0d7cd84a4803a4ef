package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;
import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Pieces of manifests, in and out of order. */
class ManifestChunksTest {
  private static final Guid ONE = new Guid(1, 1);
  private static final Guid TWO = new Guid(2, 2);

  private final ManifestChunks chunks = new ManifestChunks();

  private void add(Guid provider, int thread, int total, int number, String text) {
    add(provider, thread, total, number, text.getBytes(StandardCharsets.UTF_8));
  }

  private void add(Guid provider, int thread, int total, int number, byte[] text) {
    byte[] payload =
        new LittleEndian()
            .u8(1)
            .u8(1)
            .u8(0)
            .u8(0x5B)
            .u16(total)
            .u16(number)
            .bytes(text)
            .toByteArray();
    chunks.add(provider, 4, thread, Bytes.copyOf(payload, "test"), 0, payload.length);
  }

  private String text(Guid provider) {
    return Objects.requireNonNull(chunks.finished(provider)).xml();
  }

  @Test
  void piecesOfSeveralThreadsAreNotMixed() {
    add(ONE, 1, 2, 0, "a");
    add(TWO, 1, 2, 0, "c");
    add(ONE, 2, 2, 0, "x");
    add(TWO, 1, 2, 1, "d");
    add(ONE, 1, 2, 1, "b");

    assertEquals("ab", text(ONE));
    assertEquals("cd", text(TWO));
    assertEquals(2, chunks.finished().size());
    assertEquals(
        List.of("provider " + ONE + ": only 1 of the 2 chunks of its manifest"), chunks.problems());
  }

  @Test
  void charactersMayBeCutBetweenPieces() {
    byte[] text = "ä".getBytes(StandardCharsets.UTF_8);
    add(ONE, 1, 2, 0, new byte[] {text[0]});
    add(ONE, 1, 2, 1, new byte[] {text[1]});

    assertEquals("ä", text(ONE));
  }

  @Test
  void laterManifestReplacesTheEarlier() {
    add(ONE, 1, 1, 0, "old");
    add(ONE, 2, 1, 0, "new");

    assertEquals("new", text(ONE));
    assertEquals(List.of(), chunks.problems());
  }

  @Test
  void missingChunksAreReportedAndTheNextManifestIsJoined() {
    add(ONE, 1, 3, 0, "a");
    add(ONE, 1, 3, 2, "c");
    add(ONE, 1, 3, 0, "A");
    add(ONE, 1, 3, 1, "B");
    add(ONE, 1, 3, 2, "C");

    assertEquals("ABC", text(ONE));
    assertEquals(
        List.of("provider " + ONE + ": only 2 of the 3 chunks of its manifest"), chunks.problems());
  }

  @Test
  void invalidChunksAreReported() {
    byte[] noise = new byte[12];
    chunks.add(ONE, 1, 1, Bytes.copyOf(noise, "test"), 0, noise.length);
    chunks.add(ONE, 1, 1, Bytes.copyOf(noise, "test"), 0, 3);
    add(ONE, 1, 1, 1, "");
    add(ONE, 1, 0, 0, "");

    assertNull(chunks.finished(ONE));
    assertEquals(4, chunks.problems().size());
  }

  @Test
  void sendersAndProblemsAreBounded() {
    for (int i = 0; i < 5000; i++) {
      add(new Guid(i, 0), 1, 0xFFFF, 0, "a");
    }
    assertTrue(chunks.problems().size() <= 200);
  }

  @Test
  void bytesThatAreKeptAreBounded() {
    byte[] large = new byte[60_000];
    for (int i = 0; i < 3000; i++) {
      add(ONE, 1, 0xFFFF, i, large);
    }
    assertTrue(chunks.problems().getFirst().contains("too many incomplete manifests"));
  }
}

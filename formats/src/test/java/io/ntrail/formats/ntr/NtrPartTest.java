package io.ntrail.formats.ntr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Definitions of a file that is a part of another one (docs/ntr.md section 12). */
class NtrPartTest {
  private static final NtrHeader HEADER =
      new NtrHeader(NtrHeader.NEVER_FINALISED, 1_000, 0, 0, 0, 8, 0, "test");

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  private static void check(byte[] file) {
    Gaps gaps = new Gaps();
    try (NtrFile read = NtrFile.open(InputFile.of(file, "part.ntr"), gaps)) {
      assertEquals(List.of(new Omission("ab", 300)), read.omissions());
      assertEquals(Map.of(5L, new TracedThread.Whole(5, 80, true)), read.wholeThreads());
      assertEquals(9, read.lostElsewhere());
      assertEquals(
          List.of(new Gap("w", 0x90, -1, "x", "y"), new Gap("w", 0x91, 2, "x", "")), gaps.list());
    }
  }

  @Test
  void theyAreReadAsTheyAreDocumented() {
    byte[] definitions =
        bytes(
            13, 6, 1, 0xAC, 2, 2, 'a', 'b', //
            14, 10, 2, 0x90, 1, 1, 1, 'w', 1, 'x', 1, 'y', //
            14, 9, 3, 0x91, 1, 4, 1, 'w', 1, 'x', 0, //
            15, 3, 5, 80, 1, //
            16, 3, 9, 77, 78, //
            17, 1, 0);
    check(
        RawChunks.join(
            List.of(
                RawChunks.chunk(1, 1, 0, RawChunks.recording(1, 0)),
                RawChunks.chunk(NtrLayout.DEFINITIONS, 1, 1, definitions))));
  }

  @Test
  void theyAreWrittenAsTheyAreRead() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, HEADER, 1)) {
      writer.omission(new Omission("ab", 300));
      writer.gap(new Gap("w", 0x90, -1, "x", "y"));
      writer.gap(new Gap("w", 0x91, 2, "x", ""));
      writer.wholeThread(new TracedThread.Whole(5, 80, true));
      writer.lostElsewhere(9);
    }
    check(out.toByteArray());
    // A reader that does not know them.
    ReferenceNtrReader reader = ReferenceNtrReader.read(out.toByteArray());
    assertEquals(List.of(), reader.holes());
    assertEquals(Map.of(), reader.definitions());
  }

  @Test
  void countersOfLaterVersionsAreKept() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, HEADER, 1)) {
      writer.counters(new TreeMap<>(Map.of(13L, 4L, 900L, 5L)));
    }
    assertEquals(
        Map.of(13L, 4L, 900L, 5L), ReferenceNtrReader.read(out.toByteArray()).statistics());
  }

  @Test
  void missingEventsAreMissingBeforeTheNextOne() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, HEADER, 1)) {
      ThreadEventWriter events = writer.events(1);
      events.entry(10, 1, 0, 0, 100, 7);
      events.missing(6);
      events.exit(20, 1, 0, 0, 100, 0);
    }
    try (NtrFile file = NtrFile.open(InputFile.of(out.toByteArray(), "part.ntr"), new Gaps());
        ThreadEventCursor cursor = file.cursor(1, new Gaps())) {
      assertEquals(true, cursor.next());
      assertEquals(0, cursor.missingBefore());
      assertEquals(true, cursor.next());
      assertEquals(6, cursor.missingBefore());
      assertEquals(EventKind.EXIT, cursor.kind());
      assertEquals(100, cursor.key());
    }
  }
}

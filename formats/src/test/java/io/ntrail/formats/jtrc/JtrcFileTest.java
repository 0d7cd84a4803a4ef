package io.ntrail.formats.jtrc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.calls.JtrcWriter;
import io.ntrail.testkit.calls.ReferenceJtrcReader;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Contents of NTrace's files, and the errors of damaged ones. */
class JtrcFileTest {
  private static final int SEGMENT = 256 << 10;
  private static final PdbId PDB = new PdbId(Guid.parse("df8cd233-5532-4e71-824d-94ed509b922b"), 2);

  private final Gaps gaps = new Gaps();

  private JtrcFile open(byte[] bytes) {
    return JtrcFile.open(InputFile.of(bytes, "t.jtrc"), gaps);
  }

  private static byte[] real(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return Files.readAllBytes(TestData.file("ntrace/" + name));
  }

  private List<ReferenceJtrcReader.Entry> records(JtrcFile file, JtrcClient client) {
    List<ReferenceJtrcReader.Entry> list = new ArrayList<>();
    JtrcCursor cursor = file.cursor(client, gaps);
    while (cursor.next()) {
      list.add(
          new ReferenceJtrcReader.Entry(
              cursor.kind(), cursor.ticks(), cursor.procedure(), cursor.value()));
    }
    return list;
  }

  private void sameAsListing(byte[] bytes) {
    Map<ReferenceJtrcReader.Thread, List<ReferenceJtrcReader.Entry>> expected =
        ReferenceJtrcReader.read(bytes);
    try (JtrcFile file = open(bytes)) {
      assertEquals(
          List.copyOf(expected.keySet()),
          file.clients().stream()
              .map(c -> new ReferenceJtrcReader.Thread(c.pid(), c.tid()))
              .toList());
      int i = 0;
      for (List<ReferenceJtrcReader.Entry> entries : expected.values()) {
        JtrcClient client = file.clients().get(i++);
        assertEquals(entries, records(file, client));
        assertEquals(entries.size(), client.records());
      }
    }
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void chunksOfAClientAreSortedByTheirFirstTime() {
    byte[] bytes =
        new JtrcWriter()
            .trace(1, 2, SmallJtrc.entry(50, 0x2000, 0))
            .trace(1, 2, SmallJtrc.entry(20, 0x1000, 0), SmallJtrc.exit(30, 0x1000, 0))
            .toByteArray();
    try (JtrcFile file = open(bytes)) {
      JtrcClient client = file.clients().getFirst();
      assertEquals(
          List.of(20L, 30L, 50L),
          records(file, client).stream().map(ReferenceJtrcReader.Entry::time).toList());
      assertEquals(2, client.chunks());
      assertTrue(client.offset(0) > client.offset(1));
    }
  }

  @Test
  void bothFormsOfImagesAreRead() {
    try (JtrcFile file = open(SmallJtrc.writer().toByteArray())) {
      JtrcImage ntfs = file.images().getFirst();
      assertEquals("Ntfs.sys", ntfs.path());
      assertEquals(0xF9A6C000L, ntfs.base());
      assertEquals(0x95000, ntfs.size());
      assertEquals(PDB, ntfs.pdb());
      assertEquals("ntfs.pdb", ntfs.pdbName());
      assertFalse(ntfs.oldForm());
      JtrcImage tcpip = file.images().get(1);
      assertEquals("\\SystemRoot\\system32\\DRIVERS\\tcpip.sys", tcpip.path());
      assertEquals("tcpip.sys", tcpip.name());
      assertNull(tcpip.pdb());
      assertTrue(tcpip.oldForm());
      assertEquals(tcpip, file.imageAt(0xBAC54010L).orElseThrow());
      assertTrue(file.imageAt(0xBACE4000L).isEmpty());
    }
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void theRecordingOfNtfsIsReadAsAnotherReaderReadsIt() throws IOException {
    byte[] bytes = real("ntfs.jtrc");
    sameAsListing(bytes);
    try (JtrcFile file = open(bytes)) {
      assertEquals(29, file.traceChunks());
      assertEquals(18, file.clients().size());
      assertEquals(63_117, file.clients().stream().mapToLong(JtrcClient::records).sum());
      assertEquals(5, file.header().characteristics());
      JtrcImage image = file.images().getFirst();
      assertEquals(1, file.images().size());
      assertEquals(PDB, image.pdb());
      assertEquals("ntfs.pdb", image.pdbName());
      assertEquals(0x95000, image.size());
    }
  }

  @Test
  void aFileWithoutRecordsHasItsImages() throws IOException {
    try (JtrcFile file = open(real("simple.jtrc"))) {
      JtrcImage image = file.images().getFirst();
      assertEquals("\\SystemRoot\\system32\\DRIVERS\\tcpip.sys", image.path());
      assertEquals(0xBAC54000L, image.base());
      assertEquals(0x90000, image.size());
      assertEquals(2, image.directories());
      assertNull(image.pdb());
      assertEquals(List.of(), file.clients());
    }
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void aHeaderThatNtraceRefusedIsRefusedByThatName() throws IOException {
    refused(
        real("truncated.jtrc"),
        "INVALID_VERSION (another version of the format): it has version 0x1020, only 0x1000 can"
            + " be read");
    byte[] good = SmallJtrc.writer().toByteArray();
    refused(new byte[0], "FILE_EMPTY");
    refused(changed(good, 0, 'X'), "INVALID_SIGNATURE");
    refused(changed(good, 5, 0x11), "INVALID_VERSION");
    refused(changed(good, 6, 7), "INVALID_CHARACTERISTICS");
    refused(changed(good, 6, 4), "INVALID_CHARACTERISTICS");
    refused(changed(good, 6, 9), "BITNESS_NOT_SUPPORTED");
    refused(changed(good, 9, 1), "RESERVED_FIELDS_USED");
    refused(Arrays.copyOf(good, 5), "EOF");
    refused(Arrays.copyOf(good, 15), "EOF");
  }

  private static byte[] changed(byte[] bytes, int at, int value) {
    byte[] copy = bytes.clone();
    copy[at] = (byte) value;
    return copy;
  }

  private void refused(byte[] bytes, String name) {
    DamagedInput e = assertThrows(DamagedInput.class, () -> open(bytes));
    assertTrue(e.what().startsWith(name), e.what());
  }

  @Test
  void aDamagedChunkIsAGapUpToTheNextSegmentAndIsNamed() {
    for (Object[] row :
        new Object[][] {
          {0, 3, "UNRECOGNIZED_CHUNK_TYPE"},
          {2, 1, "RESERVED_FIELDS_USED"},
          {4, 7, "TRUNCATED_CHUNK"},
          {6, 5, "CHUNK_STRADDLES_SEGMENT"}
        }) {
      JtrcWriter writer = new JtrcWriter().trace(1, 1, SmallJtrc.entry(1, 0x1000, 0));
      int bad = writer.size();
      long[][] many = new long[16_000][];
      Arrays.fill(many, SmallJtrc.entry(2, 0x2000, 0));
      writer.trace(1, 1, many).trace(1, 1, many);
      byte[] bytes = changed(writer.toByteArray(), bad + (int) row[0], (int) row[1]);
      if ((int) row[0] == 4) {
        Arrays.fill(bytes, bad + 5, bad + 8, (byte) 0);
      }
      Gaps found = new Gaps();
      try (JtrcFile file = JtrcFile.open(InputFile.of(bytes, "t.jtrc"), found)) {
        // The first one is before the damage, the last one after the border.
        assertEquals(1 + 16_000, file.clients().getFirst().records());
      }
      Gap gap = found.list().getFirst();
      assertEquals(1, found.list().size());
      assertEquals(bad, gap.offset());
      assertEquals(SEGMENT - bad, gap.bytes());
      assertTrue(gap.why().startsWith((String) row[2]), gap.why());
    }
  }

  /** Returns the times of the records that are read of one chunk. */
  private List<Long> times(long[]... records) {
    try (JtrcFile file = open(new JtrcWriter().trace(1, 1, records).toByteArray())) {
      return records(file, file.clients().getFirst()).stream()
          .map(ReferenceJtrcReader.Entry::time)
          .toList();
    }
  }

  private List<String> reasons() {
    return gaps.list().stream().map(Gap::why).toList();
  }

  @Test
  void aRecordOutsideTheTimesOfItsChunkIsAGap() {
    long[][] records = new long[5][];
    for (int wrong = 0; wrong < records.length; wrong++) {
      for (long time : new long[] {0, 1L << 50}) {
        for (int i = 0; i < records.length; i++) {
          records[i] = SmallJtrc.entry(i == wrong ? time : 10 + i, 0x1000, 0);
        }
        List<Long> expected = new ArrayList<>(List.of(10L, 11L, 12L, 13L, 14L));
        expected.remove(wrong);
        List<Long> read = new ArrayList<>(times(records));
        // At an end that it does not contradict, nothing says that it is wrong.
        boolean isEnd = wrong == 0 && time == 0 || wrong == 4 && time > 0;
        if (isEnd) {
          read.remove(time);
        }
        assertEquals(expected, read, wrong + " " + time);
      }
    }
    assertEquals(
        List.of("its time is outside those of its chunk"), reasons().stream().distinct().toList());
  }

  @Test
  void aRecordOfARoutineAtAddress0IsAGap() {
    List<Long> read =
        times(
            SmallJtrc.entry(1, 0x1000, 0), SmallJtrc.entry(2, 0, 0), SmallJtrc.exit(3, 0x1000, 0));
    assertEquals(List.of(1L, 3L), read);
    assertEquals(List.of("its routine is at address 0"), reasons());
  }

  @Test
  void aCutFileHasItsChunksUpToTheLastWholeOne() {
    byte[] bytes = SmallJtrc.writer().toByteArray();
    for (int length = 16; length < bytes.length; length++) {
      Gaps found = new Gaps();
      try (JtrcFile file =
          JtrcFile.open(InputFile.of(Arrays.copyOf(bytes, length), "t.jtrc"), found)) {
        long covered = found.list().stream().mapToLong(Gap::bytes).sum();
        long records = file.clients().stream().mapToLong(JtrcClient::records).sum();
        long whole = 0;
        for (int at = 16; at + 8 <= length; ) {
          int size = bytes[at + 4] & 0xFF | (bytes[at + 5] & 0xFF) << 8;
          if (at + size > length) {
            break;
          }
          whole += bytes[at] == 2 ? (size - 16) / 16 : 0;
          at += size;
          if (at == length) {
            assertEquals(0, covered, "cut between chunks at " + length);
          }
        }
        assertEquals(whole, records, "cut at " + length);
        if (covered > 0) {
          assertEquals(length, found.list().getLast().offset() + found.list().getLast().bytes());
          assertTrue(found.list().getLast().why().startsWith("EOF"), found.list().toString());
        }
      }
    }
  }

  @Test
  void everyFlippedBitIsReadAroundOrRefused() {
    byte[] good = SmallJtrc.writer().toByteArray();
    for (int bit = 0; bit < 8 * good.length; bit++) {
      byte[] bytes = good.clone();
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      everythingOf(bytes);
    }
  }

  /** Reads all of it; what cannot be read is a gap, or the file is refused. */
  static void everythingOf(byte[] bytes) {
    Gaps found = new Gaps();
    try (JtrcFile file = JtrcFile.open(InputFile.of(bytes, "t.jtrc"), found)) {
      for (JtrcClient client : file.clients()) {
        JtrcCursor cursor = file.cursor(client, found);
        long count = 0;
        while (cursor.next()) {
          count++;
          file.imageAt(cursor.procedure());
        }
        assertTrue(count <= client.records());
        cursor.seek(client.records() / 2);
        cursor.next();
      }
      found
          .list()
          .forEach(gap -> {
            assertTrue(gap.offset() >= 0 && gap.offset() + gap.bytes() <= bytes.length, gap + "");
          });
    } catch (DamagedInput e) {
      assertTrue(e.offset() <= 16, e.what());
    }
  }

  @Test
  void whatIsWrittenIsReadAndAnyRecordIsFoundByItsNumber() {
    Property.check(gen -> {
      JtrcWriter writer = new JtrcWriter(gen.oneOf(5, 6));
      long time = 0;
      for (int chunk = gen.below(6); chunk >= 0; chunk--) {
        long[][] records = new long[1 + gen.below(gen.oneOf(3, 300, 16_000))][];
        for (int i = 0; i < records.length; i++) {
          records[i] = new long[] {i % 3, ++time, 0x1000L + i % 7, i};
        }
        writer.trace(1, gen.below(3), records);
      }
      byte[] bytes = writer.toByteArray();
      sameAsListing(bytes);
      List<List<ReferenceJtrcReader.Entry>> all =
          List.copyOf(ReferenceJtrcReader.read(bytes).values());
      try (JtrcFile file = open(bytes)) {
        int which = gen.below(all.size());
        JtrcClient client = file.clients().get(which);
        JtrcCursor cursor = file.cursor(client, gaps);
        int number = gen.below((int) client.records());
        cursor.seek(number);
        assertEquals(number, cursor.nextRecord());
        assertTrue(cursor.next());
        assertEquals(all.get(which).get(number).time(), cursor.ticks());
        assertEquals(number + 1, cursor.nextRecord());
        cursor.seek(client.records());
        assertFalse(cursor.next());
      }
    });
  }
}

package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.EventCounts;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.BufferCompression;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlShapes;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Spoiled recordings: see {@link DamageRun} for what must hold. A sample of the places in the
 * ordinary run; all of them with {@code -Dntrail.long=true}.
 */
class DamageTest {
  private static final long SEED = 20_260_314;
  private static final boolean LONG = DamageRun.LONG;

  private static byte[] plain() {
    return EtlShapes.outOfOrder(1, 600).toByteArray();
  }

  private static byte[] packed(BufferCompression compression) {
    return EtlShapes.merged(2, 300, compression).toByteArray();
  }

  static List<SharedTable.Row> small() {
    return chosen().filter(r -> r.bytes() <= 1 << 20).toList();
  }

  static List<SharedTable.Row> large() {
    return chosen().filter(r -> r.bytes() > 1 << 20).toList();
  }

  /** Returns all recordings, or those whose names match {@code -Dntrail.files=regex}. */
  private static Stream<SharedTable.Row> chosen() {
    String files = System.getProperty("ntrail.files", ".*");
    return SharedTable.rows().stream().filter(r -> r.name().matches(files));
  }

  private static byte[] inflate(SharedTable.Row row) {
    try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(row.path()))) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void cuts(DamageRun run, List<Integer> places) {
    for (int at : places) {
      run.check(Damage.cutAt(run.sound(), at), "cut at " + at);
    }
  }

  private static void flips(DamageRun run, List<Integer> places) {
    for (int at : places) {
      int to = Math.min(run.sound().length, at + 8);
      run.check(Damage.flipBits(run.sound(), SEED + at, 1, at, to), "bit flipped near " + at);
    }
  }

  private static void ranges(DamageRun run, List<Integer> places) {
    for (int at : places) {
      int length = Math.min(run.sound().length - at, 1 + at % 7919);
      run.check(Damage.garbage(run.sound(), at, length, SEED + at), "garbage " + at + "+" + length);
      run.check(Damage.zero(run.sound(), at, length), "zeros " + at + "+" + length);
      run.check(Damage.remove(run.sound(), at, length), "removed " + at + "+" + length);
    }
  }

  private static void all(DamageRun run, int edges, int others) {
    cuts(run, run.places(SEED, edges, others));
    flips(run, run.places(SEED + 1, edges, others));
    ranges(run, run.places(SEED + 2, edges / 2, others / 2));
    System.out.println(run.told() + ", seed " + SEED);
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("small")
  @EnabledIf("io.ntrail.analysis.etw.recording.SharedTable#present")
  void smallSharedFiles(SharedTable.Row row) {
    DamageRun run = new DamageRun(row.name(), inflate(row));
    all(run, LONG ? 1_000_000 : 3, LONG ? 200 : 6);
    if (LONG) {
      for (int at = 0; at < run.sound().length; at += 4096) {
        run.check(Damage.cutAt(run.sound(), at), "cut at " + at);
        int to = Math.min(run.sound().length, at + 4096);
        run.check(Damage.flipBits(run.sound(), SEED + at, 1, at, to), "bit flipped from " + at);
      }
    }
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("large")
  @EnabledIf("io.ntrail.analysis.etw.recording.SharedTable#present")
  void largeSharedFiles(SharedTable.Row row) {
    boolean huge = row.bytes() > 10 << 20;
    if (!LONG && (huge || row.records() > 12_000)) {
      return;
    }
    int edges = huge ? 10 : 60;
    all(new DamageRun(row.name(), inflate(row)), LONG ? edges : 2, LONG ? 200 : 2);
  }

  @Test
  void writtenFileSpoiledAnywhere() {
    DamageRun run = new DamageRun("plain", plain());
    all(run, LONG ? 1_000_000 : 6, LONG ? 5_000 : 30);
    int step = LONG ? 1 : 211;
    for (int at = 0; at < run.sound().length; at += LONG ? 13 : 2_213) {
      run.check(Damage.cutAt(run.sound(), at), "cut at " + at);
    }
    // Every bit of a buffer's and a record's header.
    for (int bit = 0; bit < (72 + 80) * 8; bit += step) {
      byte[] spoiled = run.sound().clone();
      int at = run.buffers().get(3) + bit / 8;
      spoiled[at] = (byte) (spoiled[at] ^ (1 << bit % 8));
      run.check(spoiled, "bit " + bit + " of buffer 3");
    }
    System.out.println(run.told());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void compressedFileSpoiledAnywhere(BufferCompression compression) {
    DamageRun run = new DamageRun(compression.name(), packed(compression));
    all(run, LONG ? 1_000_000 : 4, LONG ? 2_000 : 15);
    int step = LONG ? 1 : 47;
    for (int bit = 0; bit < 100 * 8; bit += step) {
      byte[] spoiled = run.sound().clone();
      int at = run.buffers().get(3) + bit / 8;
      spoiled[at] = (byte) (spoiled[at] ^ (1 << bit % 8));
      run.check(spoiled, "bit " + bit + " of buffer 3");
    }
    System.out.println(run.told());
  }

  private static final long[] ABSURD = {
    0, 1, 8, 71, 72, 73, 79, 4095, 4096, 4097, 65_536, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL
  };

  @Test
  void absurdSizesInBufferHeaders() {
    DamageRun run = new DamageRun("plain", plain());
    int last = run.buffers().size() - 1;
    for (int buffer : new int[] {1, 2, last}) {
      for (long value : ABSURD) {
        String what = " of buffer " + buffer + " is " + value;
        int given = run.check(Damage.bufferSize(run.sound(), buffer, value), "BufferSize" + what);
        if (buffer < last) {
          // Only its size is wrong: no record is lost.
          assertEquals(run.records(), given, "BufferSize" + what);
        }
        run.check(Damage.savedOffset(run.sound(), buffer, value), "SavedOffset" + what);
        run.check(Damage.offset(run.sound(), buffer, value), "Offset" + what);
      }
      run.check(Damage.garbageBuffer(run.sound(), buffer, SEED), "garbage buffer " + buffer);
      run.check(Damage.zeroBuffer(run.sound(), buffer), "zero buffer " + buffer);
    }
    for (long value : ABSURD) {
      run.check(Damage.offset(run.sound(), 0, value), "Offset of the header buffer is " + value);
      run.check(Damage.savedOffset(run.sound(), 0, value), "SavedOffset of the header buffer");
      run.check(Damage.bufferSize(run.sound(), 0, value), "BufferSize of the header buffer");
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void absurdSizesInCompressedBuffers(BufferCompression compression) {
    DamageRun run = new DamageRun(compression.name(), packed(compression));
    for (int buffer : new int[] {1, run.buffers().size() - 1}) {
      for (long value : ABSURD) {
        String what = " of buffer " + buffer + " is " + value;
        run.check(Damage.bufferSize(run.sound(), buffer, value), "BufferSize" + what);
        run.check(Damage.savedOffset(run.sound(), buffer, value), "SavedOffset" + what);
        run.check(Damage.offset(run.sound(), buffer, value), "Offset" + what);
      }
      run.check(Damage.garbageBuffer(run.sound(), buffer, SEED), "garbage buffer " + buffer);
    }
  }

  @Test
  void absurdRecordSizesAndMarkers() {
    DamageRun run = new DamageRun("plain", plain());
    int last = Damage.recordOffsets(run.sound(), 2).size() - 1;
    for (int record : new int[] {0, 1, last}) {
      for (int value : new int[] {0, 1, 7, 15, 16, 31, 79, 4096, 0x7FFF, 0xFFFF}) {
        run.check(
            Damage.recordSize(run.sound(), 2, record, value), "record " + record + " of " + value);
      }
      for (long value : new long[] {0, 1, 0xC000_0000L, 0xC0FF_0000L, 0x1234_5678L, 0xFFFF_FFFFL}) {
        run.check(
            Damage.marker(run.sound(), 2, record, value), "marker of " + record + " " + value);
      }
    }
    for (int value : new int[] {0, 1, 31, 32, 100, 0xFFFF}) {
      run.check(Damage.recordSize(run.sound(), 0, 0, value), "header record of " + value);
    }
  }

  @Test
  void absurdExtendedItemsAreGaps() {
    EtlSettings settings = EtlSettings.windows11().bufferSize(4096);
    EtlWriter writer = new EtlWriter(settings);
    for (int i = 0; i < 60; i++) {
      writer.log(
          0,
          EtlRecords.event(8, EtlShapes.PROVIDER, 1)
              .time(settings.startTicks() + i)
              .item(1, new byte[16])
              .item(6, new byte[24])
              .payload(new LittleEndian().u64(i))
              .build());
    }
    DamageRun run = new DamageRun("items", writer.toByteArray());
    for (int record : new int[] {0, 1, 20}) {
      for (int item = 0; item < 2; item++) {
        for (int value : new int[] {0, 1, 7, 8, 9, 24, 200, 0x7FFF, 0xFFF8, 0xFFFF}) {
          String what = " of item " + item + " of record " + record + " is " + value;
          byte[] size = Damage.itemSize(run.sound(), 1, record, item, value);
          assertEquals(run.records(), run.check(size, "size" + what));
          byte[] data = Damage.itemDataSize(run.sound(), 1, record, item, value);
          assertEquals(run.records(), run.check(data, "data size" + what));
          byte[] linkage = Damage.itemLinkage(run.sound(), 1, record, item, value);
          assertEquals(run.records(), run.check(linkage, "linkage" + what));
        }
      }
    }
    try (EtwRecording recording =
        EtwRecording.of(
            List.of(
                io.ntrail.formats.bytes.InputFile.of(
                    Damage.itemSize(run.sound(), 1, 20, 1, 0xFFF8), "items")))) {
      EventCounts.of(recording, 1, Sources.SHARED);
      assertTrue(recording.gaps().size() <= 1);
    }
  }

  @Test
  void destroyedHeaderLeavesTheOtherBuffersReadable() {
    DamageRun run = new DamageRun("plain", plain());
    int header = 2;
    byte[] spoiled = Damage.garbageBuffer(run.sound(), 0, SEED);
    assertEquals(run.records() - header + 1, run.check(spoiled, "header buffer destroyed"));
    assertEquals(
        run.records() - header + 1, run.check(Damage.zeroBuffer(run.sound(), 0), "zeroed"));
  }

  @Test
  void fileWithoutAnythingIsRefused(@TempDir Path folder) throws IOException {
    for (int length : new int[] {0, 1, 4, 72, 103}) {
      Path file = folder.resolve("cut" + length + ".etl");
      Files.write(file, Damage.cutAt(plain(), length));
      CannotGoOn refusal =
          assertThrows(CannotGoOn.class, () -> RecordingInput.openEtw(List.of(file)));
      assertTrue(refusal.message().contains("cut" + length + ".etl"), refusal.message());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {50, 75, 99})
  void cutGzipGivesWhatCanBeInflated(int percent, @TempDir Path folder) throws IOException {
    byte[] sound = EtlShapes.outOfOrder(1, 6000).toByteArray();
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(sound);
    }
    byte[] all = packed.toByteArray();
    Path file = folder.resolve("cut.etl.gz");
    Files.write(file, Damage.cutAt(all, all.length * percent / 100));
    long whole = new DamageRun("gzip", sound).records();
    try (EtwRecording recording = RecordingInput.openEtw(List.of(file))) {
      long given = EtwSummary.of(recording, 1).total().records();
      assertTrue(given > whole * (percent - 25) / 100 && given < whole, given + " of " + whole);
      assertFalse(recording.gaps().isEmpty());
      for (Gap gap : recording.gaps()) {
        assertTrue(gap.offset() >= 0 && gap.offset() <= recording.size(), gap.toString());
      }
    }
  }

  @Test
  void cutOrSpoiledArchivesNeverFailOtherwise(@TempDir Path folder) throws IOException {
    byte[] sound = plain();
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(zipped)) {
      out.putNextEntry(new ZipEntry("readme.txt"));
      out.write(new byte[] {'x'});
      out.putNextEntry(new ZipEntry("a/first.etl"));
      out.write(sound);
      out.putNextEntry(new ZipEntry("second.ETL"));
      out.write(sound);
    }
    ByteArrayOutputStream gzipped = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(gzipped)) {
      out.write(sound);
    }
    Path file = folder.resolve("spoiled");
    int opened = 0;
    for (byte[] archive : List.of(zipped.toByteArray(), gzipped.toByteArray())) {
      Files.write(file, archive);
      try (EtwRecording recording = RecordingInput.openEtw(List.of(file))) {
        assertEquals(archive.length == zipped.size() ? 2 : 1, recording.files().size());
        assertEquals(List.of(), recording.gaps());
      }
      int step = LONG ? 37 : archive.length / 60;
      for (int at = 0; at < archive.length; at += step) {
        opened += open(file, Damage.cutAt(archive, at), "cut at " + at);
        int to = Math.min(archive.length, at + 30);
        opened += open(file, Damage.flipBits(archive, SEED + at, 1, at, to), "flip at " + at);
        int length = Math.min(archive.length - at, 500);
        opened += open(file, Damage.garbage(archive, at, length, at), "garbage at " + at);
      }
    }
    assertNotEquals(0, opened);
  }

  private static int open(Path file, byte[] bytes, String what) throws IOException {
    Files.write(file, bytes);
    try (EtwRecording recording = RecordingInput.openEtw(List.of(file))) {
      long records = EtwSummary.of(recording, 1).total().records();
      assertEquals(records, EventCounts.of(recording, 1, Sources.SHARED).records(), what);
      assertEquals(records, RecordWalk.inOrder(recording).count(), what);
      return 1;
    } catch (CannotGoOn e) {
      assertFalse(e.message().isEmpty());
      return 0;
    } catch (RuntimeException e) {
      throw new AssertionError(what + ": " + e, e);
    }
  }

  @Test
  void manyBadPlacesAreOneListOfBoundedLength() throws IOException {
    EtlSettings settings = EtlSettings.windows11().bufferSize(1024);
    EtlWriter writer = new EtlWriter(settings);
    for (int i = 0; i < 12_000; i++) {
      writer.buffer(
          EtlBuffer.of(0, 1, i + 1L)
              .add(EtlRecords.perfInfo(8, 0x0F2E).time(settings.startTicks() + i).build())
              .add(EtlRecords.garbage(new byte[] {1, 2, 3, 4, 5, 6, 7, 8})));
    }
    byte[] bytes = new ByteArrayInputStream(writer.toByteArray()).readAllBytes();
    try (EtwRecording recording =
        EtwRecording.of(List.of(io.ntrail.formats.bytes.InputFile.of(bytes, "bad")))) {
      assertEquals(12_001, EventCounts.of(recording, 1, Sources.SHARED).records());
      assertEquals(10_001, recording.gaps().size());
    }
  }
}

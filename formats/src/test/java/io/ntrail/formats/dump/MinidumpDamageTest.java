package io.ntrail.formats.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.streams.DynamicFunctionTable;
import io.ntrail.formats.dump.streams.HandleInfo;
import io.ntrail.formats.dump.streams.ThreadNames;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ProcessorTime;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged and hostile dumps are read as far as they go, in bounded memory and time. */
class MinidumpDamageTest {
  @TempDir Path folder;

  @Test
  void aDumpThatIsCutAnywhereIsReadAsFarAsItGoesOrRefused() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (Path file : Slice.of(SharedDumps.minidumps(), 3)) {
      byte[] whole = TestData.unpacked(file);
      int step = Math.max(1, Math.min(whole.length, 60_000) / Slice.count(2_000, 60));
      for (int length = 0; length < Math.min(whole.length, 60_000); length += step) {
        AllStreams.read(Arrays.copyOf(whole, length));
      }
    }
  }

  @Test
  void aDumpWithAnyBitFlippedIsReadOrRefused() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    SplittableRandom random = new SplittableRandom(33);
    for (Path file : Slice.of(SharedDumps.minidumps(), 3)) {
      byte[] whole = TestData.unpacked(file);
      int head = Math.min(whole.length, 16_000);
      for (int i = 0; i < Slice.count(2_000, 60); i++) {
        byte[] damaged = whole.clone();
        for (int flip = 0; flip <= i % 8; flip++) {
          damaged[random.nextInt(head)] ^= (byte) (1 << random.nextInt(8));
        }
        AllStreams.read(damaged);
      }
    }
  }

  /** Content before the damage equals that of the whole file. */
  @Test
  void whatIsBeforeTheCutIsRight() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] whole = SharedDumps.read("sentry/windows.dmp");
    Gaps gaps = new Gaps();
    try (Minidump all = Minidump.open(InputFile.of(whole, "a.dmp"), new Gaps());
        Minidump cut = Minidump.open(InputFile.of(Arrays.copyOf(whole, 20_000), "a.dmp"), gaps)) {
      assertEquals(all.threads(), cut.threads());
      assertEquals(all.modules(), cut.modules());
      assertEquals(all.exception(), cut.exception());
      assertTrue(cut.memory().bytes() < all.memory().bytes());
      for (int range = 0; range < cut.memory().count(); range++) {
        long start = cut.memory().start(range);
        int length = (int) cut.memory().length(range);
        assertEquals(
            hash(all.memory().readUpTo(start, length).array(0, length)),
            hash(cut.memory().readUpTo(start, length).array(0, length)));
      }
      assertEquals(List.of("memory"), gaps.list().stream().map(Gap::what).toList());
    }
  }

  private static int hash(byte[] bytes) {
    return Arrays.hashCode(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"rust-minidump/invalid-range.dmp", "rust-minidump/invalid-record-count.dmp"})
  void dumpsOfOthersWithInvalidPlacesHaveGapsAndNothingElse(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Gaps gaps = new Gaps();
    byte[] content = SharedDumps.read(name);
    try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), gaps)) {
      AllStreams.read(dump);
      assertEquals(List.of(), dump.threads());
      assertEquals(0, dump.memory().count());
      assertFalse(gaps.isEmpty());
    }
  }

  @Test
  void otherDumpsAreRefusedByTheirKind() throws IOException {
    refuse("MDMP\u0093\u00A7", "is a minidump that ends inside its header");
    refuse("PAGEDU64", "is a truncated kernel dump of 64-bit Windows");
    refuse("PAGEDUMP", "is a truncated kernel dump of 32-bit Windows");
    refuse("USERDU64", "is a dump of a process in the format of Windows NT and 2000");
    refuse("hibr", "is a hibernation file");
    refuse("\u007FELF", "is a Linux program");
    refuse("", "is empty");
    byte[] version = new LittleEndian().u32(0x504D444D).u32(0x1234).zeros(24).toByteArray();
    refuse(version, "is a minidump of version 0x1234; 0xa793 is read");
    byte[] directory =
        new LittleEndian().u32(0x504D444D).u32(0xA793).u32(3).u32(500).zeros(16).toByteArray();
    refuse(directory, "is a minidump whose directory is missing: it is at offset 500 of 32 bytes");
    byte[] bitmap = new LittleEndian().zeros(0xF98).u32(5).toByteArray();
    System.arraycopy("PAGEDU64".getBytes(StandardCharsets.ISO_8859_1), 0, bitmap, 0, 8);
    refuse(bitmap, "is a full kernel dump (bitmap) of 64-bit Windows");
  }

  @Test
  void aKernelDumpOfOthersIsRefusedByItsKind() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    refuse(
        SharedDumps.read("kernel/triage_x64.dmp"),
        "is a small kernel dump (triage) of 64-bit Windows");
  }

  private static void refuse(String latin1, String why) {
    refuse(latin1.getBytes(StandardCharsets.ISO_8859_1), why);
  }

  private static void refuse(byte[] content, String why) {
    CannotGoOn refusal =
        assertThrows(
            CannotGoOn.class,
            () -> Minidump.open(InputFile.of(content, "a.dmp"), new Gaps()).close());
    assertTrue(refusal.message().startsWith("a.dmp " + why), refusal.message());
  }

  /** Writes a file of any size that takes no room on the disk. */
  private Path sparse(String name, byte[] head, long size, byte[] tail) throws IOException {
    Path file = folder.resolve(name);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(head));
      channel.write(ByteBuffer.wrap(tail), size - tail.length);
    }
    return file;
  }

  @Test
  void tenMillionModulesAndThreadsAreBounded() throws IOException {
    MinidumpBuilder writer = new MinidumpBuilder();
    for (int type : new int[] {3, 4, 5, 12, 14, 16, 17, 24}) {
      writer.entry(type, 1_080_000_004L, 4096);
    }
    byte[] head = Arrays.copyOf(writer.toByteArray(), 4096 + 16);
    // The count, or the size of a header and of a row, whatever the stream takes it for.
    byte[] count = new LittleEndian().u32(10_000_000).u32(24).u32(10_000_000).toByteArray();
    System.arraycopy(count, 0, head, 4096, count.length);
    Path file = sparse("many.dmp", head, 1_080_004_100L, new byte[1]);
    Gaps gaps = new Gaps();
    ProcessorTime.within(
        Duration.ofSeconds(20),
        () -> {
          try (Minidump dump = Minidump.open(InputFile.map(file, "many.dmp"), gaps)) {
            AllStreams.read(dump);
            assertEquals(CoreStreams.MOST_MODULES, dump.modules().size());
            assertEquals(CoreStreams.MOST_THREADS, dump.threads().size());
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return 0;
        });
    assertTrue(
        gaps.list().stream().anyMatch(gap -> gap.why().startsWith("it claims 10000000 entries")));
  }

  @Test
  void memoryBehindTheFirstFourGigabytesIsRead() throws IOException {
    long base = 5L << 30;
    MinidumpBuilder writer =
        new MinidumpBuilder()
            .stream(
                9,
                new LittleEndian()
                    .u64(2)
                    .u64(4096)
                    .u64(0x7FF0_0000_0000L)
                    .u64(base - 4096)
                    .u64(0x7FF8_0000_0000L)
                    .u64(8)
                    .toByteArray());
    byte[] tail = {1, 2, 3, 4, 5, 6, 7, 8};
    Path file = sparse("large.dmp", writer.toByteArray(), base + 8, tail);
    try (Minidump dump = Minidump.open(InputFile.map(file, "large.dmp"), new Gaps())) {
      MemoryRanges memory = dump.memory();
      assertEquals(base - 4096 + 8, memory.bytes());
      assertEquals(0x0807_0605_0403_0201L, memory.readUpTo(0x7FF8_0000_0000L, 100).i64(0));
      long before = 0x7FF0_0000_0000L + (3L << 30);
      assertEquals(
          Integer.MAX_VALUE - 15, memory.readUpTo(before - (1L << 30), Integer.MAX_VALUE).length());
      assertEquals(16, memory.readUpTo(before, 16).length());
    }
  }

  @Test
  void aMillionNamesOfTheSameTextAreReadOnce() {
    MinidumpBuilder writer = new MinidumpBuilder();
    int name = writer.string("x".repeat(30_000));
    LittleEndian list = new LittleEndian().u32(100_000);
    for (int i = 0; i < 100_000; i++) {
      list.u32(i).u64(name);
    }
    byte[] content = writer.stream(24, list.toByteArray()).toByteArray();
    try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), new Gaps())) {
      assertEquals(100_000, ThreadNames.of(dump).size());
      assertEquals(1, ThreadNames.of(dump).values().stream().distinct().count());
    }
  }

  /** Texts that overlap could be as long together as their number times the longest one. */
  @Test
  void textsTogetherAreNotLongerThanTheFile() {
    MinidumpBuilder writer = new MinidumpBuilder();
    int names = writer.put(new LittleEndian().fill(400_000, 0x60).toByteArray());
    LittleEndian list = new LittleEndian().u32(90_000);
    byte[] content;
    for (int i = 0; i < 90_000; i++) {
      list.u32(i).u64(names + 4L * i);
    }
    content = writer.stream(24, list.toByteArray()).toByteArray();
    for (int i = 0; i < 90_000; i++) {
      LittleEndian.putU32(content, names + 4 * i, 0xFFFE);
    }
    Gaps gaps = new Gaps();
    try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), gaps)) {
      long bytes = ThreadNames.of(dump).values().stream().mapToLong(s -> 2L * s.length()).sum();
      assertTrue(bytes <= content.length, bytes + " bytes");
      assertTrue(
          gaps.list().stream()
              .anyMatch(gap -> gap.why().equals("all texts together are longer than the file")));
    }
  }

  @Test
  void informationAboutAHandleThatPointsToItselfEnds() {
    MinidumpBuilder writer = new MinidumpBuilder();
    int info = writer.put(new LittleEndian().zeros(12).toByteArray());
    LittleEndian list = new LittleEndian().u32(16).u32(40).u32(2).u32(0);
    for (int i = 0; i < 2; i++) {
      list.u64(4 + i).zeros(24).u32(info).u32(0);
    }
    byte[] content = writer.stream(12, list.toByteArray()).toByteArray();
    LittleEndian.putU32(content, info, info);
    try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), new Gaps())) {
      List<HandleInfo> handles = HandleInfo.of(dump);
      assertEquals(2, handles.size());
      assertTrue(handles.getFirst().infos().size() <= 16);
    }
  }

  @Test
  void functionTablesThatClaimEverythingEndWithTheStream() {
    for (long claim : new long[] {0xFFFF_FFFFL, 0x7FFF_FFFFL, 1000}) {
      LittleEndian stream =
          new LittleEndian().u32(24).u32(32).u32(claim).u32(12).u32(claim).u32(claim);
      stream.u64(0x1000).u64(0x2000).u64(0x1000).u32(claim).u32(claim).zeros(200);
      byte[] content = new MinidumpBuilder().stream(13, stream.toByteArray()).toByteArray();
      Gaps gaps = new Gaps();
      try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), gaps)) {
        assertEquals(List.of(), DynamicFunctionTable.of(dump));
        assertEquals(1, gaps.list().size());
      }
    }
  }

  private static List<String> gaps(byte[] content) {
    Gaps gaps = new Gaps();
    Minidump.open(InputFile.of(content, "a.dmp"), gaps).close();
    return gaps.list().stream().map(gap -> gap.what() + ": " + gap.why()).toList();
  }

  /** A dump of threads that has all that it should. */
  private static MinidumpBuilder sound(long... threads) {
    return new MinidumpBuilder().system(9, 10, 0, 22000).stream(3, threads(48, threads));
  }

  private static byte[] threads(int rowBytes, long... ids) {
    LittleEndian list = new LittleEndian().u32(ids.length);
    for (long id : ids) {
      list.u32(id).zeros(rowBytes - 4);
    }
    return list.toByteArray();
  }

  @Test
  void aSecondStreamOfAKindIsAGap() {
    MinidumpBuilder writer = sound(1, 2).stream(3, threads(48, 3));
    writer.stream(0x1234, new byte[8]).stream(0x1234, new byte[8]);
    assertEquals(
        List.of("ThreadListStream: a second ThreadListStream of 52 bytes is not read"),
        gaps(writer.toByteArray()));
  }

  @Test
  void aStreamThatIsListedTwiceIsReadOnceAndNoGap() {
    MinidumpBuilder writer = new MinidumpBuilder().system(9, 10, 0, 22000);
    int at = writer.put(threads(48, 1));
    assertEquals(List.of(), gaps(writer.entry(3, 52, at).entry(3, 52, at).toByteArray()));
  }

  @Test
  void threadsOfTheLongListAloneAreAGap() {
    MinidumpBuilder both = sound(1);
    assertEquals(
        List.of(
            "ThreadExListStream: 2 of its 3 threads are not in ThreadListStream, and are not read"),
        gaps(both.stream(8, threads(64, 1, 2, 3)).toByteArray()));
    MinidumpBuilder same = sound(1);
    assertEquals(List.of(), gaps(same.stream(8, threads(64, 1)).toByteArray()));
  }

  @Test
  void streamsThatTheDirectoryDoesNotCountAreAGap() {
    MinidumpBuilder writer = sound(1);
    writer.stream(10, new byte[] {'a', 0}).stream(11, new byte[] {'a', 0, 0, 0});
    byte[] content = writer.toByteArray();
    assertEquals(List.of(), gaps(content));
    content[8] = 2;
    assertEquals(
        List.of("directory: it claims 2 streams, and entries of 2 more follow"), gaps(content));
  }

  /** Returns the index of the last entry that has a stream: some writers leave others unused. */
  private static int lastInUse(byte[] content) {
    ByteBuffer dump = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    int entry = dump.getInt(8) - 1;
    while (dump.getInt(dump.getInt(12) + 12 * entry) == 0) {
      entry--;
    }
    return entry;
  }

  @Test
  void everyDirectoryOfOthersTellsAStreamThatIsNotCounted() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    int told = 0;
    for (Path file : SharedDumps.minidumps()) {
      byte[] content = TestData.unpacked(file);
      if (file.toString().contains("invalid")) {
        continue;
      }
      assertTrue(
          gaps(content).stream().noneMatch(gap -> gap.startsWith("directory")), file.toString());
      content[8] = (byte) lastInUse(content);
      String expected =
          "directory: it claims %d streams, and entries of 1 more follow".formatted(content[8]);
      told += gaps(content).contains(expected) ? 1 : 0;
    }
    assertTrue(told >= 20, "only " + told);
  }

  @Test
  void whatFollowsTheLastRangeOfAFullDumpIsAGap() {
    byte[] whole = new MinidumpBuilder().memory64(0x1000, new byte[] {1, 2, 3, 4}).toByteArray();
    assertEquals(List.of(), gaps(whole));
    byte[] longer = Arrays.copyOf(whole, whole.length + 0x1000);
    assertEquals(List.of(), gaps(longer), "zeros");
    longer[longer.length - 1] = 1;
    assertEquals(
        List.of(
            "Memory64ListStream: its ranges end here, and 4096 bytes follow, which are not empty"),
        gaps(longer));
  }

  @Test
  void aStreamBehindTheRangesOfAFullDumpIsNoGap() {
    LittleEndian list = new LittleEndian().u64(1);
    MinidumpBuilder writer = new MinidumpBuilder();
    int memory = writer.put(new byte[] {1, 2, 3, 4});
    list.u64(memory).u64(0x1000).u64(4);
    assertEquals(
        List.of(), gaps(writer.stream(9, list.toByteArray()).stream(10, threads(4)).toByteArray()));
  }

  @Test
  void aFullDumpWhoseRangesBeginInsideAStreamHasAGap() {
    MinidumpBuilder writer = new MinidumpBuilder();
    int comment = writer.put(new byte[] {'a', 'b', 'c', 'd', 'e', 'f', 'g', 0});
    LittleEndian list = new LittleEndian().u64(1).u64(comment + 2).u64(0x1000).u64(4);
    assertEquals(
        List.of("Memory64ListStream: its ranges begin inside CommentStreamA"),
        gaps(writer.entry(10, 8, comment).stream(9, list.toByteArray()).toByteArray()));
  }

  @Test
  void moreParametersThanAnExceptionHasAreAGap() {
    MinidumpBuilder writer =
        new MinidumpBuilder().exception(7, 0xC000_0005L, 0x1000, new byte[0], 1, 2);
    byte[] content = writer.toByteArray();
    assertEquals(List.of(), gaps(content));
    int stream = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).getInt(32 + 8);
    LittleEndian.putU32(content, stream + 32, 40);
    assertEquals(
        List.of("ExceptionStream: it claims 40 parameters; an exception has at most 15"),
        gaps(content));
  }

  @Test
  void registersOfAnotherProcessorThanTheDumpNamesAreAGap() {
    MinidumpBuilder writer = new MinidumpBuilder().system(9, 10, 0, 22000);
    byte[] x86 = MinidumpBuilder.x86(0x1000, 0x2000, 0x2010);
    assertEquals(
        List.of("registers of thread 7: they are those of x86; the dump is one of x64"),
        gaps(writer.thread(7, 0, 0, new byte[0], x86).toByteArray()));
  }

  @ParameterizedTest
  @CsvSource({
    "RSDS, 24, ''",
    "RSDS, 20, 'it has 20 bytes; a record of its kind has at least 24'",
    "NB10, 12, 'it has 12 bytes; a record of its kind has at least 16'",
    "NB09, 8, ''",
    "LEpB, 20, ''",
    "QQQQ, 40, 'its signature 0x51515151 is not known'",
    "RSDS, 3, 'it has 3 bytes, too few for a signature'"
  })
  void aRecordThatNamesNoSymbolsSaysWhy(String signature, int bytes, String why) {
    byte[] record = Arrays.copyOf(signature.getBytes(StandardCharsets.US_ASCII), bytes);
    assertEquals(why, CodeViewRecord.damage(Bytes.copyOf(record, "a.dmp")));
  }

  @Test
  void aModuleWhoseSymbolsAreDamagedHasAGap() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] content = SharedDumps.read("sentry/windows.dmp");
    try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), new Gaps())) {
      int modules = (int) dump.stream(StreamType.MODULE_LIST).orElseThrow().offset();
      LittleEndian.putU32(content, modules + 4 + 76, 20);
    }
    assertEquals(
        List.of("CodeView record: it has 20 bytes; a record of its kind has at least 24"),
        gaps(content));
  }
}

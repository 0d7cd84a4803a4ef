package io.ntrail.formats.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A list of a dump whose count leaves out entries that are there has a gap. */
class ListCountTest {
  /** Lists, with where they have their count, the bytes of their header and those of a row. */
  enum Layout {
    THREADS(StreamType.THREAD_LIST, 0, 4, 48),
    LONG_THREADS(StreamType.THREAD_EX_LIST, 0, 4, 64),
    MODULES(StreamType.MODULE_LIST, 0, 4, 108),
    UNLOADED_MODULES(StreamType.UNLOADED_MODULE_LIST, 8, 12, 24),
    MEMORY(StreamType.MEMORY_LIST, 0, 4, 16),
    MEMORY_64(StreamType.MEMORY64_LIST, 0, 16, 16),
    MEMORY_INFO(StreamType.MEMORY_INFO_LIST, 8, 16, 48),
    HANDLES(StreamType.HANDLE_DATA, 8, 16, 32),
    HANDLE_OPERATIONS(StreamType.HANDLE_OPERATION_LIST, 8, 16, 40),
    THREAD_INFO(StreamType.THREAD_INFO_LIST, 8, 12, 64),
    THREAD_NAMES(StreamType.THREAD_NAMES, 0, 4, 12),
    TOKENS(StreamType.TOKEN, 4, 16, 16),
    FUNCTION_TABLES(StreamType.FUNCTION_TABLE, 16, 24, 32);

    final StreamType type;
    final int countAt;
    final int header;
    final int row;

    Layout(StreamType type, int countAt, int header, int row) {
      this.type = type;
      this.countAt = countAt;
      this.header = header;
      this.row = row;
    }

    /** Returns a header; most give its size and that of a row. */
    LittleEndian header(int count) {
      return switch (this) {
        case TOKENS -> new LittleEndian().u32(0).u32(count).u32(header).u32(0);
        case FUNCTION_TABLES ->
            new LittleEndian().u32(header).u32(row).u32(0).u32(12).u32(count).u32(0);
        default ->
            countAt == 0
                ? new LittleEndian().u32(count).zeros(header - 4)
                : new LittleEndian().u32(header).u32(row).u32(count).zeros(header - 12);
      };
    }

    /** Returns a row that has no texts; a token begins with its size. */
    byte[] row() {
      return new LittleEndian().u32(16).zeros(row - 4).toByteArray();
    }
  }

  private long streamAt;

  private List<Gap> gaps(Layout list, int count, byte[]... rows) {
    LittleEndian content = list.header(count);
    for (byte[] row : rows) {
      content.bytes(row);
    }
    byte[] file =
        new MinidumpBuilder().stream(list.type.number(), content.toByteArray()).toByteArray();
    Gaps gaps = new Gaps();
    try (Minidump dump = Minidump.open(InputFile.of(file, "a.dmp"), gaps)) {
      AllStreams.read(dump);
      streamAt = dump.stream(list.type).orElseThrow().offset();
    }
    return gaps.list().stream().filter(gap -> gap.what().equals(list.type.title())).toList();
  }

  @ParameterizedTest
  @EnumSource
  void entriesBehindTheCountedOnesAreAGap(Layout list) {
    List<Gap> gaps = gaps(list, 1, list.row(), list.row(), list.row());
    Gap expected =
        new Gap(
            "a.dmp",
            streamAt + list.header + list.row,
            2L * list.row,
            list.type.title(),
            "it claims 1 entries, and has room behind them for 2 more, which is not empty");
    assertEquals(List.of(expected), gaps);
  }

  @ParameterizedTest
  @EnumSource
  void aListThatClaimsNothingAndHasEntriesHasAGap(Layout list) {
    assertEquals(
        List.of("it claims 0 entries, and has room behind them for 1 more, which is not empty"),
        gaps(list, 0, list.row()).stream().map(Gap::why).toList());
  }

  @ParameterizedTest
  @EnumSource
  void aListThatEndsWithItsLastEntryHasNoGap(Layout list) {
    assertEquals(List.of(), gaps(list, 2, list.row(), list.row()));
  }

  @ParameterizedTest
  @EnumSource
  void zerosBehindTheLastEntryAreNoGap(Layout list) {
    assertEquals(List.of(), gaps(list, 1, list.row(), new byte[3 * list.row]));
  }

  @ParameterizedTest
  @EnumSource
  void lessThanAnEntryBehindTheLastOneIsNoGap(Layout list) {
    byte[] less = new byte[list.row - 1];
    less[1] = 1;
    assertEquals(List.of(), gaps(list, 1, list.row(), less));
  }

  @ParameterizedTest
  @EnumSource(names = {"THREADS", "LONG_THREADS", "MODULES"})
  void aListThatIsShorterThanItsCountHasAGap(Layout list) {
    byte[] file = new MinidumpBuilder().stream(list.type.number(), new byte[] {1, 0}).toByteArray();
    assertEquals(
        List.of("it has 2 bytes, too few for a count"),
        AllStreams.read(file).stream().map(Gap::why).toList());
  }

  @ParameterizedTest
  @EnumSource(
      names = {"UNLOADED_MODULES", "MEMORY_INFO", "HANDLES", "HANDLE_OPERATIONS", "THREAD_INFO"})
  void entriesThatClaimFewerBytesThanTheyHaveAreAGap(Layout list) {
    byte[] content = list.header(1).bytes(list.row()).toByteArray();
    content[4] = (byte) (content[4] - 8);
    byte[] file = new MinidumpBuilder().stream(list.type.number(), content).toByteArray();
    assertEquals(
        List.of(
            "it claims entries of %d bytes; they are read as %d, the least that they have"
                .formatted(list.row - 8, list.row)),
        AllStreams.read(file).stream().map(Gap::why).toList());
  }

  private static List<Gap> countGaps(byte[] file) {
    return AllStreams.read(file).stream()
        .filter(gap -> gap.why().endsWith("which is not empty"))
        .toList();
  }

  @Test
  void noWriterLeavesAnythingBehindTheLastEntry() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (Path file : SharedDumps.minidumps()) {
      assertEquals(List.of(), countGaps(TestData.unpacked(file)), file.toString());
    }
  }

  @Test
  void everyListOfADumpOfOthersTellsAnEntryThatIsNotCounted() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    int lists = 0;
    for (Path file : SharedDumps.minidumps()) {
      byte[] whole = TestData.unpacked(file);
      for (Layout list : Layout.values()) {
        byte[] changed = withOneLess(whole, list);
        if (changed.length > 0) {
          lists++;
          List<String> whats = countGaps(changed).stream().map(Gap::what).toList();
          assertEquals(List.of(list.type.title()), whats, file.toString());
        }
      }
    }
    assertTrue(lists >= 60, "only " + lists + " lists");
  }

  /** Returns the file with one entry less in a list; empty if it has no such list. */
  private static byte[] withOneLess(byte[] whole, Layout list) {
    try (Minidump dump = Minidump.open(InputFile.of(whole, "a.dmp"), new Gaps())) {
      return dump.stream(list.type)
          .filter(stream -> dump.reader().bytes(stream).length() > list.header)
          .map(stream -> {
            int at = (int) stream.offset() + list.countAt;
            byte[] changed = whole.clone();
            changed[at]--;
            return changed;
          })
          .orElse(new byte[0]);
    }
  }
}

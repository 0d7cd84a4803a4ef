package io.ntrail.formats.etl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.NativeBuffer;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.etl.BufferCompression;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.RandomRecordings;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Buffers that are read into memory, beside the same ones in the mapping of the file. */
class ReadBuffersTest {
  /** More passes than a file is read in. */
  private static final int PASSES = 6;

  @TempDir private Path folder;

  /** Records of all buffers with their bytes, in the order of the file, and what was no record. */
  private record Content(List<String> records, List<Gap> gaps) {}

  private static Content content(InputFile input, boolean isRead) {
    Gaps gaps = new Gaps();
    List<String> records = new ArrayList<>();
    try (EtlFile file = EtlFile.open(input, gaps)) {
      for (int pass = 0; pass < PASSES; pass++) {
        List<String> found = new ArrayList<>();
        try (RecordCursor cursor = isRead ? file.readingCursor(gaps) : file.cursor(gaps)) {
          for (int i = 0; i < file.buffers().count(); i++) {
            cursor.open(i);
            while (cursor.next()) {
              byte[] bytes = cursor.bytes().array(cursor.offset(), cursor.size());
              long at = cursor.bytes().base() + cursor.offset();
              found.add(at + " " + cursor.ticks() + " " + Arrays.toString(bytes));
            }
          }
        }
        assertTrue(pass == 0 || found.equals(records), "pass " + pass);
        records = found;
      }
    }
    return new Content(records, gaps.list());
  }

  private static byte[] file(Gen g) {
    RandomRecordings.Content content = RandomRecordings.content(g);
    EtlWriter writer =
        g.below(4) == 0 ? content.compressed(BufferCompression.XPRESS) : content.writer();
    byte[] file = writer.toByteArray();
    return switch (g.below(3)) {
      case 0 -> file;
      case 1 -> Damage.flipBits(file, g.below(1 << 30), 1 + g.below(200));
      default -> Damage.cutAt(file, 1 + g.below(file.length));
    };
  }

  @Test
  void haveTheSameRecordsAndTheSameGaps() {
    Property.check(
        60,
        g -> {
          byte[] bytes = file(g);
          if (!EtlFile.looksLikeRecording(InputFile.of(bytes, "file"))) {
            return;
          }
          Path path = Files.write(folder.resolve("file"), bytes);
          Content mapped = content(InputFile.of(bytes, "file"), false);
          assertEquals(mapped, content(InputFile.map(path, "file"), true));
        });
  }

  @Test
  void areLookedAtInTheMappingAfterSomePasses() {
    Property.check(
        3,
        g -> {
          byte[] bytes = RandomRecordings.content(g).writer().toByteArray();
          Path path = Files.write(folder.resolve("file"), bytes);
          try (EtlFile file = EtlFile.open(InputFile.map(path, "file"), new Gaps());
              RecordCursor cursor = file.readingCursor(new Gaps())) {
            assertTrue(file.isReadingCheaper());
            int count = file.buffers().count();
            for (int i = 0; i < PASSES * count; i++) {
              cursor.open(i % count);
            }
            assertFalse(file.isReadingCheaper());
          }
        });
  }

  @Test
  void areNotReadWhereTheFileHasBecomeShorter() throws IOException {
    Path path = Files.write(folder.resolve("file"), new byte[10_000]);
    try (InputFile input = InputFile.map(path, "file");
        NativeBuffer memory = new NativeBuffer(9_000)) {
      assertEquals(9_000, read(input, 9_000, memory));
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
        file.setLength(5_000);
      }
      assertEquals(-1, read(input, 9_000, memory));
      assertEquals(4_000, read(input, 4_000, memory));
    }
  }

  /** Returns how long what was read is; -1 if it could not be read. */
  private static int read(InputFile input, int length, NativeBuffer memory) {
    Bytes bytes = input.read(1_000, length, memory);
    return bytes == null ? -1 : bytes.length();
  }
}

package io.ntrail.formats.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages that are made present while a file is opened. */
class PagesAheadTest {
  private static final long LARGE = 300L << 20;

  @TempDir Path folder = Path.of("");

  private Path file(long size) throws IOException {
    Path file = folder.resolve("file");
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.setLength(size);
      out.seek(InputFile.FAULT_AROUND);
      out.write(5);
      out.seek(size - 1);
      out.write(7);
    }
    return file;
  }

  private static boolean isAtWork() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(PagesAhead.THREAD));
  }

  @Test
  void theInputIsReadMeanwhileAndClosedAfterwards() throws IOException {
    try (InputFile input = InputFile.map(file(LARGE), "file")) {
      try (PagesAhead _ = input.pagesAhead()) {
        assertEquals(7, input.window(LARGE - 1, 1).u8(0));
      }
      assertFalse(isAtWork());
      assertEquals(0, input.window(0, 1).u8(0));
    }
  }

  @Test
  void itEndsByItselfWhenAllPagesAreThere() throws IOException {
    Assumptions.assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one core");
    try (InputFile input = InputFile.map(file(LARGE), "file");
        PagesAhead pages = input.pagesAhead()) {
      long limit = System.nanoTime() + 60_000_000_000L;
      while (isAtWork() && System.nanoTime() < limit) {
        Thread.onSpinWait();
      }
      assertFalse(isAtWork());
      assertEquals(5, pages.sum());
    }
  }

  @Test
  void anInterruptIsKept() throws IOException {
    try (InputFile input = InputFile.map(file(LARGE), "file")) {
      try (PagesAhead _ = input.pagesAhead()) {
        Thread.currentThread().interrupt();
      }
      assertTrue(Thread.interrupted());
      assertFalse(isAtWork());
    }
  }

  @Test
  void aFileThatBecomesShorterIsLeftToWhoReadsIt() throws IOException {
    Path path = file(LARGE);
    try (InputFile input = InputFile.map(path, "file")) {
      try (RandomAccessFile out = new RandomAccessFile(path.toFile(), "rw")) {
        out.setLength(1 << 20);
      }
      try (PagesAhead _ = input.pagesAhead()) {
        long limit = System.nanoTime() + 60_000_000_000L;
        while (isAtWork() && System.nanoTime() < limit) {
          Thread.onSpinWait();
        }
      }
      assertFalse(isAtWork());
    }
  }
}

package io.ntrail.formats.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {
  @TempDir private Path folder;

  private static void write(OutputFile file, String text) throws IOException {
    file.open().write(text.getBytes(StandardCharsets.UTF_8));
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void theOldFileIsThereUntilTheNewOneIsComplete() throws IOException {
    Path place = Files.writeString(folder.resolve("a"), "old");
    try (OutputFile file = OutputFile.reserve(place, "-o")) {
      write(file, "new");
      assertEquals("old", Files.readString(place));
      file.complete();
      assertEquals("new", Files.readString(place));
    }
    assertEquals(List.of("a"), names());
  }

  @Test
  void ofWhatIsNotCompletedNothingStays() throws IOException {
    Path place = Files.writeString(folder.resolve("a"), "old");
    try (OutputFile file = OutputFile.reserve(place, "-o")) {
      write(file, "new");
      assertEquals(2, names().size());
    }
    assertEquals("old", Files.readString(place));
    assertEquals(List.of("a"), names());
  }

  @Test
  void aFileThatIsReadAfterItWasReservedIsNotReplaced() throws IOException {
    Path place = Files.writeString(folder.resolve("a"), "old");
    Path other = Files.createLink(folder.resolve("b"), place);
    try (OutputFile file = OutputFile.reserve(place, "-o")) {
      write(file, "new");
      InputFile.map(other, "b").close();
      CannotGoOn refused = assertThrows(CannotGoOn.class, file::complete);
      assertEquals(
          "cannot write " + place + ": the same command reads it, as " + other, refused.message());
      assertEquals("-o another.file", refused.nextStep());
    }
    assertEquals("old", Files.readString(place));
    assertEquals(List.of("a", "b"), names());
    try (OutputFile file = OutputFile.reserve(place, "-o")) {
      write(file, "new");
      file.complete();
    }
    assertEquals("new", Files.readString(place), "another command may");
  }

  @Test
  void aSettledFileIsWrittenToInItsPlace() throws IOException {
    Path place = folder.resolve("a");
    try (OutputFile file = OutputFile.reserve(place, "-o")) {
      var out = file.open();
      out.write('1');
      file.settle();
      out.write('2');
      out.flush();
      assertEquals("12", Files.readString(place));
    }
    assertEquals("12", Files.readString(place));
  }

  @Test
  void theLongestNameHasRoomForThePartBesideIt() throws IOException {
    Path place = folder.resolve("\u00FC".repeat(127));
    OutputFile.write(place, new byte[] {1});
    assertTrue(Files.exists(place));
    Path pairs = folder.resolve("a" + "\uD83D\uDE00".repeat(60));
    OutputFile.write(pairs, new byte[] {1});
    assertTrue(Files.exists(pairs));
  }
}

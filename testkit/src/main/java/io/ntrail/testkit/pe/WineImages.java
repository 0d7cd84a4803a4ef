package io.ntrail.testkit.pe;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The PE files of a Wine installation: some hundred images that were not made for tests. The tool
 * word of {@code NTRAIL_REQUIRE} is {@code wine}.
 */
public final class WineImages {
  /** Reason to skip a test where {@link #available} is false. */
  public static final String MISSING = "no Wine installation: no /usr/lib/*/wine/*-windows";

  private static final Path LIBRARIES = Path.of("/usr/lib");

  private WineImages() {}

  /**
   * Returns true if there is an installation; the condition of an assumption.
   *
   * @throws IllegalStateException if there is none and {@code NTRAIL_REQUIRE} demands it
   */
  public static boolean available() {
    if (!all().isEmpty()) {
      return true;
    }
    if (TestData.required("wine")) {
      throw new IllegalStateException("NTRAIL_REQUIRE demands wine: " + MISSING);
    }
    return false;
  }

  /** Every file that begins like a PE image, in the order of their paths. */
  public static List<Path> all() {
    return list(LIBRARIES)
        .map(folder -> folder.resolve("wine"))
        .flatMap(WineImages::list)
        .filter(folder -> folder.getFileName().toString().endsWith("-windows"))
        .flatMap(WineImages::list)
        .filter(WineImages::isImage)
        .sorted()
        .toList();
  }

  private static Stream<Path> list(Path folder) {
    if (!Files.isDirectory(folder)) {
      return Stream.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isImage(Path file) {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] start = in.readNBytes(0x40);
      if (start.length < 0x40 || start[0] != 'M' || start[1] != 'Z') {
        return false;
      }
      int header = (start[0x3C] & 0xFF) | (start[0x3D] & 0xFF) << 8;
      in.skipNBytes(Math.max(0, header - 0x40));
      byte[] signature = in.readNBytes(4);
      // 16-bit programs lie beside the others and have a header of another kind.
      return signature.length == 4 && signature[0] == 'P' && signature[1] == 'E';
    } catch (java.io.EOFException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.ntrail.testkit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * The folder of real recordings, images and dumps that tests are checked against.
 *
 * <p>It is the folder named by {@code NTRAIL_TESTDATA}, else {@code ../shared/data} beside the
 * checkout. Absent: tests that need it are skipped with one visible line. Present and without the
 * requested file: a failure, because a wrong folder must not look like success.
 */
public final class TestData {
  /** Reason to skip a test where {@link #available} is false. */
  public static final String MISSING =
      "test data not found: set NTRAIL_TESTDATA to its folder, or put it at ../shared/data";

  private TestData() {}

  /** The folder, or empty when there is none on this machine. */
  public static Optional<Path> folder() {
    String named = System.getenv("NTRAIL_TESTDATA");
    if (named != null && !named.isEmpty()) {
      Path folder = Path.of(named);
      if (!Files.isDirectory(folder)) {
        throw new IllegalStateException("NTRAIL_TESTDATA names no folder: " + named);
      }
      return Optional.of(folder);
    }
    Path beside = projectRoot().resolveSibling("shared").resolve("data");
    return Files.isDirectory(beside) ? Optional.of(beside) : Optional.empty();
  }

  /**
   * Returns true if tests that need the folder can run; the condition of an assumption:
   *
   * {@snippet :
   * assumeTrue(TestData.available(), TestData.MISSING);
   * }
   *
   * @throws IllegalStateException if there is none and {@code NTRAIL_REQUIRE} demands {@code
   *     testdata}
   */
  public static boolean available() {
    if (folder().isPresent()) {
      return true;
    }
    if (required("testdata")) {
      throw new IllegalStateException("NTRAIL_REQUIRE demands testdata: " + MISSING);
    }
    return false;
  }

  /** The root of the checkout, found from the build's property or by walking up. */
  public static Path projectRoot() {
    String root = System.getProperty("ntrail.root");
    if (root != null) {
      return Path.of(root).toAbsolutePath().normalize();
    }
    Path at = Path.of("").toAbsolutePath();
    while (at != null && !Files.exists(at.resolve("decisions"))) {
      at = at.getParent();
    }
    if (at == null) {
      throw new IllegalStateException("not inside a checkout of ntrail");
    }
    return at;
  }

  /**
   * One file of the folder.
   *
   * @param relative for example {@code etl/tx-Process.etl.gz}
   * @throws IllegalStateException if the folder is there and the file is not
   */
  public static Path file(String relative) {
    Path folder =
        folder().orElseThrow(() -> new IllegalStateException("no test data on this machine"));
    Path file = folder.resolve(relative);
    if (!Files.exists(file)) {
      throw new IllegalStateException("test data folder " + folder + " has no " + relative);
    }
    return file;
  }

  /** The bytes of a file, unpacked if it is a gzip file. */
  public static byte[] unpacked(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    boolean compressed = bytes.length > 2 && bytes[0] == 0x1F && bytes[1] == (byte) 0x8B;
    if (!compressed) {
      return bytes;
    }
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return in.readAllBytes();
    }
  }

  /** The content of one gzip file of the folder, inflated. */
  public static byte[] gunzip(String relative) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file(relative)), 1 << 16)) {
      return in.readAllBytes();
    }
  }

  /**
   * Returns true if CI demands that what needs {@code tool} must run: a skip is then a failure.
   *
   * @param tool a word of {@code NTRAIL_REQUIRE}, a list separated by commas
   */
  public static boolean required(String tool) {
    String list = System.getenv("NTRAIL_REQUIRE");
    return list != null && java.util.Arrays.asList(list.split(",")).contains(tool);
  }
}

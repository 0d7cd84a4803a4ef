package io.ntrail.testkit.wine;

import io.ntrail.testkit.TestData;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Programs of others that {@code build/fetch-programs} got. Where it has not been run, tests that
 * need them are skipped visibly, unless {@code NTRAIL_REQUIRE} demands {@code programs}.
 */
public final class FetchedPrograms {
  /** Reason to skip a test where {@link #available} is false. */
  public static final String MISSING = "not fetched: programs of others (build/fetch-programs)";

  private FetchedPrograms() {}

  private static Path folder() {
    return TestData.projectRoot().resolve("target").resolve("programs");
  }

  /**
   * Returns true if they are there; the condition of an assumption.
   *
   * @throws IllegalStateException if not and {@code NTRAIL_REQUIRE} demands {@code programs}
   */
  public static boolean available() {
    // The last file that is written.
    if (Files.exists(folder().resolve("complete"))) {
      return true;
    }
    if (TestData.required("programs")) {
      throw new IllegalStateException("NTRAIL_REQUIRE demands programs: " + MISSING);
    }
    return false;
  }

  /**
   * Returns a file or folder of a package.
   *
   * @param name the package and the place in it, as in {@code rollup/dist/rollup.js}
   * @throws IllegalStateException if it is not there
   */
  public static Path file(String name) {
    Path file = folder().resolve("node_modules").resolve(name);
    if (!Files.exists(file)) {
      throw new IllegalStateException(file + " is not there: run build/fetch-programs again");
    }
    return file;
  }
}

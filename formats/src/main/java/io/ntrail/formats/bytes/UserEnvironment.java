package io.ntrail.formats.bytes;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The environment as the user has set it. Names of files are in the encoding of the JVM's locale,
 * so the launcher gives it one with UTF-8 in place of the locale C; terminals and other programs
 * get that of the user.
 */
public final class UserEnvironment {
  private static final String LOCALE = "LC_ALL";

  /** The user's LC_ALL, if the JVM was given another one; empty if the user had none. */
  private static final String KEPT = "NTRAIL_LC_ALL";

  private UserEnvironment() {}

  /** Returns the user's {@code LC_ALL}; null if it is not set. */
  public static @Nullable String locale() {
    String kept = System.getenv(KEPT);
    return kept == null ? System.getenv(LOCALE) : kept;
  }

  /** Makes the environment of another program that of the user. */
  public static void restore(Map<String, String> environment) {
    String kept = environment.remove(KEPT);
    if (kept == null) {
      return;
    }
    if (kept.isEmpty()) {
      environment.remove(LOCALE);
    } else {
      environment.put(LOCALE, kept);
    }
  }
}

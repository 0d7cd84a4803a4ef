package io.ntrail.cli.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The written help: one page a command or subject, at most 24 lines. */
public final class HelpTexts {
  private static final String FOLDER = "/io/ntrail/cli/help/";

  private HelpTexts() {}

  /** Returns whether there is a page of that name. */
  public static boolean has(String name) {
    return name.matches("[a-z]+") && HelpTexts.class.getResource(FOLDER + name + ".txt") != null;
  }

  /**
   * The page of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static String page(String name) {
    try (InputStream in = HelpTexts.class.getResourceAsStream(FOLDER + name + ".txt")) {
      if (in == null) {
        throw new IllegalArgumentException("no help page " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

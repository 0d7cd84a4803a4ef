package io.ntrail.cli.text;

import io.ntrail.formats.bytes.UserEnvironment;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The size of the terminal in characters, and whether there is one. */
record TerminalSize(int rows, int columns) {
  /** Size of a terminal whose size is unknown. */
  static final TerminalSize DEFAULT = new TerminalSize(24, 100);

  /**
   * Returns the size in the environment, else that of the controlling terminal. Asking the terminal
   * starts a program: only for answers that a person looks at.
   */
  static TerminalSize ask() {
    TerminalSize told = of(System.getenv("LINES"), System.getenv("COLUMNS"));
    return told != null ? told : terminal();
  }

  private static TerminalSize terminal() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File("/dev/tty"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      String[] numbers = answer.strip().split(" ", -1);
      TerminalSize told = numbers.length == 2 ? of(numbers[0], numbers[1]) : null;
      return told != null ? told : DEFAULT;
    } catch (IOException e) {
      // Not on this system.
      return DEFAULT;
    }
  }

  static @Nullable TerminalSize of(@Nullable String rows, @Nullable String columns) {
    int high = number(rows);
    int wide = number(columns);
    if (wide <= 0) {
      return null;
    }
    return new TerminalSize(high <= 0 ? DEFAULT.rows : high, Math.clamp(wide, 40, 1000));
  }

  private static int number(@Nullable String text) {
    try {
      return text == null ? 0 : Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Returns whether the process's terminal shows UTF-8, according to the system. */
  static boolean isUtf8() {
    return isUtf8(
        firstOf(UserEnvironment.locale(), System.getenv("LC_CTYPE"), System.getenv("LANG")),
        System.getProperty("stdout.encoding"));
  }

  /**
   * Returns whether a terminal shows UTF-8.
   *
   * @param locale as POSIX systems define it; null if the environment says nothing
   * @param encoding of the console, as the JVM found it; null if it found none
   */
  static boolean isUtf8(@Nullable String locale, @Nullable String encoding) {
    String told = locale != null ? locale : encoding;
    return told != null && told.toLowerCase(Locale.ROOT).replace("-", "").contains("utf8");
  }

  private static @Nullable String firstOf(@Nullable String... texts) {
    for (String text : texts) {
      if (text != null && !text.isEmpty()) {
        return text;
      }
    }
    return null;
  }

  /**
   * Returns whether a stream of the process goes to a terminal.
   *
   * @param told {@code NTRAIL_TTY}: the descriptors that do; null if the launcher did not set it
   */
  static boolean isTerminal(@Nullable String told, int descriptor) {
    if (told != null) {
      return told.indexOf('0' + descriptor) >= 0;
    }
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException e) {
      // Not Linux: only the launcher knows.
      return false;
    }
  }
}

package io.ntrail.cli.shell;

import io.ntrail.cli.text.HelpTexts;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.Version;
import io.ntrail.formats.bytes.OutputFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Answers that are the same at every start: the version and the short help. The launcher prints
 * them without a JVM from files that the build has {@link #write written}: as they are, to a
 * terminal of at least 100 columns and to what is no terminal, and as they are broken for a
 * terminal of 80 columns.
 */
public final class WrittenAnswers {
  /** Columns of a terminal from which on lines are not broken. */
  private static final int WIDE = 100;

  /** Columns of the terminal that is used most. */
  private static final int USUAL = 80;

  private static final int ROWS = 24;

  private WrittenAnswers() {}

  /** Returns the answer to the words of a command line; null if a command has to run. */
  private static @Nullable String to(String... words) {
    String first = words.length == 0 ? "-h" : words[0];
    return switch (first) {
      case "--version", "-V" -> "ntrail " + Version.NUMBER + System.lineSeparator();
      case "-h", "--help" -> {
        boolean isOfCommand = words.length > 1 && Commands.isListed(words[1]);
        if (!isOfCommand) {
          yield HelpTexts.page("ntrail").replace("{version}", Version.NUMBER);
        }
        yield first.equals("-h") ? HelpTexts.page(words[1]) : null;
      }
      default -> {
        boolean isPage = words.length == 2 && words[1].equals("-h") && Commands.isListed(first);
        yield isPage ? HelpTexts.page(first) : null;
      }
    };
  }

  /**
   * Prints the answer to the words of a command line.
   *
   * @return whether there is one; if not, a command has to run
   */
  public static boolean print(Terminal terminal, String... words) {
    String answer = to(words);
    if (answer == null) {
      return false;
    }
    terminal.wrapAnswer();
    terminal.out().print(answer);
    return true;
  }

  /**
   * Writes the answers, each into a file of its own, and below {@code 80} those broken for so many
   * columns. An answer that depends on more than the columns is not written.
   *
   * @param folder is made if there is none
   */
  static void write(Path folder) throws IOException {
    write(folder, WIDE);
    write(folder.resolve(String.valueOf(USUAL)), USUAL);
  }

  private static void write(Path folder, int columns) throws IOException {
    Files.createDirectories(folder);
    write(folder.resolve("version.txt"), columns, "--version");
    write(folder.resolve("ntrail.txt"), columns, "-h");
    for (Commands.Entry command : Commands.listed()) {
      write(folder.resolve("ntrail-" + command.name() + ".txt"), columns, command.name(), "-h");
    }
  }

  private static void write(Path file, int columns, String... words) throws IOException {
    String unbroken = String.valueOf(to(words));
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try (Terminal terminal = Terminal.of(answer, new ByteArrayOutputStream(), ROWS, columns)) {
      print(terminal, words);
    }
    String text = answer.toString(StandardCharsets.UTF_8);
    boolean isAscii = StandardCharsets.US_ASCII.newEncoder().canEncode(text);
    if (isAscii && (columns < WIDE || text.equals(unbroken))) {
      OutputFile.write(file, answer.toByteArray());
    }
  }
}

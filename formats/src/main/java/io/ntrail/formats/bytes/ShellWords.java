package io.ntrail.formats.bytes;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Words of a command that can be pasted into a POSIX shell. Every command that a message proposes
 * is made of them.
 */
public final class ShellWords {
  /** Words that no shell changes, also at its prompt. */
  private static final Pattern PLAIN = Pattern.compile("[\\w./:@%+,-][\\w./:@%+=,-]*");

  private ShellWords() {}

  /** Returns a word as it is typed: as it is, or in quotes. */
  public static String of(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /** Returns the name of a file as it is typed: one that begins like an option gets a folder. */
  public static String file(String name) {
    return of(name.startsWith("-") && name.length() > 1 ? "./" + name : name);
  }

  /** Returns the name of a file as it is typed. */
  public static String file(Path file) {
    return file(file.toString());
  }

  /** Returns words with blanks between them. */
  public static String of(List<String> words) {
    return String.join(" ", words.stream().map(ShellWords::of).toList());
  }
}

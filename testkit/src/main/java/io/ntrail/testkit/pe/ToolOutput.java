package io.ntrail.testkit.pe;

import io.ntrail.testkit.TestData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * Output of one tool about one image: a block of an {@code expected/*.txt.gz} file.
 *
 * @param name the image's file name
 * @param status the tool's exit code; negative: a signal ended it and the text is cut off
 * @param lines its standard output
 */
public record ToolOutput(String name, int status, List<String> lines) {
  /** A tool that was killed leaves its last line unfinished; the next heading follows on it. */
  private static final Pattern HEADING = Pattern.compile("(.*?)=== (.+) rc=(-?\\d+)");

  /** Keeps what it is given. */
  public ToolOutput {
    lines = List.copyOf(lines);
  }

  /**
   * Hands over the blocks of a file of the shared {@code pe/expected} folder one after the other:
   * the largest of these files are too big to be held at once.
   *
   * @param file for example {@code readobj-windows.txt.gz}
   */
  public static void forEach(String file, Consumer<ToolOutput> each) throws IOException {
    read(file, name -> true, each);
  }

  /**
   * The block of one image.
   *
   * @throws IllegalArgumentException if the file has none
   */
  public static ToolOutput of(String file, String image) throws IOException {
    List<ToolOutput> found = new ArrayList<>();
    read(file, image::equals, found::add);
    if (found.size() != 1) {
      throw new IllegalArgumentException(file + " has " + found.size() + " blocks for " + image);
    }
    return found.getFirst();
  }

  private static void read(String file, Predicate<String> wanted, Consumer<ToolOutput> each)
      throws IOException {
    // Names inside images are bytes of no known encoding: one character a byte keeps them.
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(
                    Files.newInputStream(TestData.file("pe/expected/" + file)), 1 << 16),
                StandardCharsets.ISO_8859_1))) {
      String name = "";
      int status = 0;
      List<String> lines = new ArrayList<>();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Matcher heading = HEADING.matcher(line);
        if (!line.contains("=== ") || !heading.matches()) {
          if (wanted.test(name)) {
            lines.add(line);
          }
          continue;
        }
        if (wanted.test(name) && !name.isEmpty()) {
          if (!heading.group(1).isEmpty()) {
            lines.add(heading.group(1));
          }
          each.accept(new ToolOutput(name, status, lines));
        }
        lines = new ArrayList<>();
        name = heading.group(2);
        status = Integer.parseInt(heading.group(3));
      }
      if (wanted.test(name) && !name.isEmpty()) {
        each.accept(new ToolOutput(name, status, lines));
      }
    }
  }
}

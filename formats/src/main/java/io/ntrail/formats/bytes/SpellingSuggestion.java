package io.ntrail.formats.bytes;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/** Finds what was probably meant: the nearest name by edit distance. */
public final class SpellingSuggestion {
  private static final int MAX_NAMES = 2_000;

  private SpellingSuggestion() {}

  /**
   * The nearest of {@code names} to {@code wrong}.
   *
   * @return empty if none differs by at most a third of its letters
   */
  public static String of(String wrong, Collection<String> names) {
    String best = "";
    int bestDistance = Math.max(1, wrong.length() / 3) + 1;
    for (String name : names) {
      int distance = distance(wrong, name, bestDistance);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = name;
      }
    }
    return best;
  }

  /** The file beside {@code missing} with the nearest name, or an empty text. */
  public static String file(Path missing) {
    Path folder = missing.toAbsolutePath().getParent();
    Path last = missing.getFileName();
    if (folder == null || last == null || !Files.isDirectory(folder)) {
      return "";
    }
    java.util.List<String> names = new java.util.ArrayList<>();
    try (DirectoryStream<Path> beside = Files.newDirectoryStream(folder)) {
      for (Path file : beside) {
        names.add(String.valueOf(file.getFileName()));
        if (names.size() >= MAX_NAMES) {
          break;
        }
      }
    } catch (IOException e) {
      return "";
    }
    String name = of(last.toString(), names);
    return name.isEmpty() ? "" : missing.resolveSibling(name).toString();
  }

  private static int distance(String a, String b, int limit) {
    if (Math.abs(a.length() - b.length()) >= limit) {
      return limit;
    }
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int cost = a.charAt(i - 1) == b.charAt(j - 1) ? diagonal : diagonal + 1;
        diagonal = row[j];
        row[j] = Math.min(cost, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}

package io.ntrail.cli.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Statements that hold for every answer about any file: no internal error, no raw control character
 * on any stream, strict JSON, gaps and damage told by the exit code, the same exit code in every
 * format, bounded memory, nothing left among the temporary files.
 */
final class CommandOracle {
  /** More than the heap of a test is native memory that nobody bounds. */
  private static final long MOST_KIB = 1_200_000;

  /** Time after which a temporary file counts as left. */
  private static final long STAYS_NANOS = 10_000_000_000L;

  private static final long POLL_NANOS = 10_000_000;

  /** Temporary files of programs that are traced by tests at the same time. */
  private static final Pattern OF_TRACES = Pattern.compile("^ntrail-(agent|streams|session)");

  private static final JsonFactory STRICT =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private CommandOracle() {}

  /**
   * Runs a command in several formats.
   *
   * @param words the command and its options, without a format
   * @param option the option that selects the format
   * @param formats its values
   */
  static void check(List<Object> words, String option, List<String> formats) {
    Set<String> before = temporary();
    long memory = memoryBefore();
    List<Integer> exits = new ArrayList<>();
    for (String format : formats) {
      List<Object> all = new ArrayList<>(words);
      all.addAll(List.of(option, format));
      Cli.Result result = Cli.run(all.toArray());
      // Not every command has every format.
      if (result.exit() != 2) {
        exits.add(result.exit());
      }
      String what = all + " gave " + result.exit() + "\n" + result.err();
      assertFalse(result.err().contains("internal error"), what);
      assertTrue(List.of(0, 1, 2, 3, 4).contains(result.exit()), what);
      assertTrue(result.exit() == 0 || !result.err().isEmpty(), what);
      assertEquals(-1, control(result.err(), false), what);
      // Documents, and the bytes that programs print, are as they are in files and pipes; a
      // terminal never gets them raw.
      boolean isDocument =
          option.equals("--to") || words.getFirst().equals("probe") && format.equals("text");
      boolean isCsv = format.equals("csv");
      assertEquals(-1, isDocument ? -1 : control(result.out(), isCsv), () -> what + result.out());
      boolean damaged = result.err().contains("damaged") || result.err().contains("gap");
      assertTrue(!damaged || result.exit() != 0, what);
      switch (format) {
        case "json" -> json(result, what);
        case "jsonl" -> result.out().lines().forEach(line -> strict(line, what));
        default -> {}
      }
    }
    assertTrue(exits.stream().distinct().count() <= 1, words + " " + formats + exits);
    assertEquals(Set.of(), left(before), "temporary files");
    assertTrue(peak() - memory < MOST_KIB, () -> memory + " KiB before, then " + peak());
  }

  private static void json(Cli.Result result, String what) {
    if (result.out().isEmpty()) {
      assertTrue(result.exit() != 0 && result.exit() != 3, what);
      return;
    }
    strict(result.out(), what);
    JsonReader json = JsonReader.parse(result.out());
    if (json.has("gaps")) {
      boolean unreadable = json.has("unreadable") && !json.get("unreadable").array().isEmpty();
      boolean anyGap = unreadable || !json.get("gaps").array().isEmpty();
      assertEquals(anyGap, result.exit() == 3, () -> what + json.get("gaps"));
    }
  }

  private static void strict(String text, String what) {
    try (JsonParser parser = STRICT.createParser(text)) {
      while (parser.nextToken() != null) {
        // Only whether it can be read.
      }
    } catch (IOException e) {
      throw new AssertionError(what + e.getMessage(), e);
    }
  }

  /** Returns the first place of a character that a terminal would obey; -1 if there is none. */
  private static int control(String text, boolean isCsv) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean harmless = c == '\n' || isCsv && (c == '\r' || c == '\t');
      boolean mark =
          c == '\u061C'
              || c == '\u200E'
              || c == '\u200F'
              || c >= '\u2028' && c <= '\u202E'
              || c >= '\u2066' && c <= '\u2069';
      if (!harmless && (Character.isISOControl(c) || mark)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns temporary files that were not there before and stay. Those of tests in another process
   * have a name for a moment.
   */
  private static Set<String> left(Set<String> before) {
    Set<String> left = temporary();
    left.removeAll(before);
    long end = System.nanoTime() + STAYS_NANOS;
    while (!left.isEmpty() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(POLL_NANOS);
      left.retainAll(temporary());
    }
    return left;
  }

  private static Set<String> temporary() {
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(folder)) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("ntrail") && !OF_TRACES.matcher(name).find())
          .forEach(names::add);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return names;
  }

  /** Returns the memory of this process, whose peak is what it needs from now on. */
  private static long memoryBefore() {
    try {
      // The tests that ran in this process before count for nothing.
      Files.writeString(Path.of("/proc/self/clear_refs"), "5");
    } catch (IOException e) {
      return 0;
    }
    return status("VmRSS:");
  }

  /** Returns the most memory that this process had since then, in KiB; 0 if unknown. */
  private static long peak() {
    return status("VmHWM:");
  }

  /** Returns a value of the system's table of this process, in KiB; 0 where it has none. */
  private static long status(String name) {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith(name))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}

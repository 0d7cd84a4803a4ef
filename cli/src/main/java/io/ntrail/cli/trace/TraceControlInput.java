package io.ntrail.cli.trace;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.trace.FunctionSelection.Rule;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Commands to a running trace: lines of standard input that read as the options do, {@code -f
 * PATTERN} for more functions and {@code --exclude PATTERN} for fewer, and {@code stop}.
 */
final class TraceControlInput {
  /** Forms of a line, for messages. */
  static final String FORMS = "-f PATTERN, --exclude PATTERN, stop";

  private final Queue<String> lines = new ConcurrentLinkedQueue<>();

  /** A command. */
  sealed interface Said {
    /** Changes the selection of functions. */
    record Change(Rule rule) implements Said {}

    /** The trace is to end. */
    record Stop() implements Said {}

    /** Unknown command. */
    record Nonsense(String line) implements Said {}
  }

  /** Listens; the end of the input changes nothing. */
  static TraceControlInput of(InputStream in) {
    TraceControlInput lines = new TraceControlInput();
    // A pending read must not keep the process alive.
    Thread.ofPlatform().daemon().name("lines").start(() -> lines.read(in));
    return lines;
  }

  private void read(InputStream in) {
    BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                in, Charset.forName(System.getProperty("stdin.encoding", "UTF-8"))));
    try {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.isBlank()) {
          lines.add(line.strip());
        }
      }
    } catch (IOException e) {
      // As if it had ended.
    }
  }

  /** Returns the next command; empty if there is none yet. */
  Optional<Said> next() {
    return Optional.ofNullable(lines.poll()).map(TraceControlInput::said);
  }

  static Said said(String line) {
    if (line.equals("stop")) {
      return new Said.Stop();
    }
    String[] words = line.split("[ =]+", 2);
    boolean add = words[0].equals("-f") || words[0].equals("--function");
    if (words.length < 2 || !add && !words[0].equals("--exclude")) {
      return new Said.Nonsense(line);
    }
    try {
      return new Said.Change(new Rule(add, NamePattern.of(unquoted(words[1]))));
    } catch (IllegalArgumentException e) {
      return new Said.Nonsense(line);
    }
  }

  /** Here no shell takes the quotes away. */
  private static String unquoted(String word) {
    boolean quoted =
        word.length() >= 2
            && (word.startsWith("'") && word.endsWith("'")
                || word.startsWith("\"") && word.endsWith("\""));
    return quoted ? word.substring(1, word.length() - 1) : word;
  }
}

package io.ntrail.cli.harness;

import io.ntrail.cli.Main;
import io.ntrail.cli.text.Terminal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs the program in this process, without a terminal. */
public final class Cli {
  /**
   * Result of a run.
   *
   * @param exit the exit code
   * @param out the answer
   * @param err everything else
   */
  public record Result(int exit, String out, String err) {
    /** The answer's lines. */
    public List<String> lines() {
      return out.lines().toList();
    }

    /** The messages' lines. */
    public List<String> messages() {
      return err.lines().toList();
    }

    /** The answer as JSON. */
    public JsonReader json() {
      return JsonReader.parse(out);
    }
  }

  private static final List<String> UNTRAINED =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          // None runs for long: compiling more would take longer than it saves.
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-cp",
          System.getProperty("java.class.path"),
          "io.ntrail.cli.Main");

  private Cli() {}

  /** The command line of a process of its own. */
  public static List<String> command(String... words) {
    List<String> command = start(words[0]);
    command.addAll(List.of(words));
    return command;
  }

  /**
   * The command line of a process of its own that writes the agent into its temporary folder, for
   * tests of what stays there.
   */
  public static List<String> commandWithOwnAgent(String... words) {
    List<String> command = command(words);
    command.removeIf(word -> word.startsWith("-Dntrail.aot="));
    return command;
  }

  /**
   * The command line of a process that begins with a class of the tests.
   *
   * @param words begin with the command, by which the cache for the start is chosen
   */
  public static List<String> command(Class<?> main, List<String> arguments, String... words) {
    List<String> command = start(words[0]);
    int path = command.indexOf("-cp") + 1;
    command.set(path, String.join(":", command.get(path), System.getProperty("java.class.path")));
    command.set(path + 1, main.getName());
    command.addAll(arguments);
    command.addAll(List.of(words));
    return command;
  }

  /** The command line of a process of its own, without words. */
  public static List<String> itself() {
    return start("trace");
  }

  private static List<String> start(String kind) {
    List<String> start = new ArrayList<>();
    start.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    start.addAll(LaidOutProgram.ofCheck().map(one -> one.start(kind)).orElse(UNTRAINED));
    return start;
  }

  /** Runs one command; words may be texts or paths. */
  public static Result run(Object... words) {
    String[] args = Arrays.stream(words).map(Cli::word).toArray(String[]::new);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit = Main.run(args, Terminal.of(out, err));
    return new Result(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  private static String word(Object word) {
    return word instanceof Path path ? path.toString() : (String) word;
  }
}

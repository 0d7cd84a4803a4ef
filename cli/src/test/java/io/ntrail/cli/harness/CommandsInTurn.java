package io.ntrail.cli.harness;

import io.ntrail.cli.Main;
import io.ntrail.cli.text.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs many commands in one process, on the streams that it has: on a real terminal, a process for
 * each would take a minute.
 */
public final class CommandsInTurn {
  /** Begins the line behind each answer, which ends with the exit code. */
  public static final String END = "@@@ exit ";

  private CommandsInTurn() {}

  /** Runs the commands of a file: one a line, with tabs between the words. */
  public static void main(String[] args) throws IOException {
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      int exit = Main.run(line.split("\t", -1), Terminal.system());
      System.out.println(END + exit);
    }
  }
}

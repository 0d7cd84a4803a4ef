package io.ntrail.cli.common;

import io.ntrail.cli.text.Terminal;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** One command. Made only when it is requested. */
public interface Command {
  /** Its options and parameters: parsing, completion and manual page come from them. */
  CommandSpec spec();

  /**
   * Begins what every run with these words needs and takes long, while they are parsed.
   *
   * @param words as they were typed; they may be wrong
   * @return ends what the run has not taken
   */
  default Ahead begin(List<String> words) {
    return () -> {};
  }

  /** Begun work of a command. */
  @FunctionalInterface
  interface Ahead extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Does it.
   *
   * @return an {@link ExitCode}
   * @throws IOException if the answer cannot be written
   */
  int run(ParseResult parsed, Terminal terminal) throws IOException;
}

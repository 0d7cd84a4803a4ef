package io.ntrail.cli.common;

import io.ntrail.cli.text.Terminal;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** One command. Made only when it is requested. */
public interface Command {
  /** Its options and parameters: parsing, completion and manual page come from them. */
  CommandSpec spec();

  /**
   * Does it.
   *
   * @return an {@link ExitCode}
   * @throws IOException if the answer cannot be written
   */
  int run(ParseResult parsed, Terminal terminal) throws IOException;
}

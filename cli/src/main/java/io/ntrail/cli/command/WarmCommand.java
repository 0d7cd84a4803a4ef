package io.ntrail.cli.command;

import io.ntrail.cli.text.HelpTexts;
import io.ntrail.cli.text.Terminal;
import java.io.ByteArrayOutputStream;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code ntrail warm [FILE]}: runs what people run most, so that the start cache learns the
 * classes. Its answers go nowhere.
 */
final class WarmCommand implements Command {
  WarmCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = Options.command("warm", "Runs a little of everything.");
    spec.addPositional(Options.words("FILE", "a small recording", List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) {
    HelpTexts.page("ntrail");
    for (String file : Options.positionals(parsed)) {
      for (List<String> words :
          List.of(
              List.of("info", file),
              List.of("info", file, "--format", "json"),
              List.of("events", file, "--count"),
              List.of("events", file, "--count", "--format", "json"),
              List.of("events", file),
              List.of("events", file, "--format", "jsonl", "-n", "100"),
              List.of("profile", file),
              List.of("profile", file, "--tree"),
              List.of("profile", file, "--format", "json"))) {
        Terminal nowhere = Terminal.of(new ByteArrayOutputStream(), new ByteArrayOutputStream());
        Runner.run(words.toArray(String[]::new), nowhere);
      }
    }
    return ExitCode.DONE;
  }
}

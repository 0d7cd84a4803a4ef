package io.ntrail.cli.shell;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.HelpTexts;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.Version;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail help WHAT}: the page of a command or a subject. */
final class HelpCommand implements Command {
  private static final List<String> SUBJECTS = List.of("formats");

  HelpCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("help", "Help for a command or topic.");
    spec.addPositional(CommonOptions.words("WHAT", "a command or topic", subjects()));
    return spec;
  }

  private static List<String> subjects() {
    List<String> names = new ArrayList<>(SUBJECTS);
    Commands.listed().forEach(entry -> names.add(entry.name()));
    return names;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) {
    List<String> words = CommonOptions.positionals(parsed);
    String name =
        words.isEmpty() ? "ntrail" : Commands.withOwnName(words.toArray(String[]::new))[0];
    if (!HelpTexts.has(name)) {
      String nearest = SpellingSuggestion.of(name, subjects());
      throw new UsageError(
          "no help for " + name, nearest.isEmpty() ? "ntrail -h" : "ntrail help " + nearest);
    }
    terminal.wrapAnswer();
    terminal.out().print(HelpTexts.page(name).replace("{version}", Version.NUMBER));
    return ExitCode.DONE;
  }
}

package io.ntrail.cli.shell;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail man FOLDER}: writes the manual pages, for packages. */
final class ManCommand implements Command {
  ManCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("man", "Writes the manual pages into a folder.");
    spec.addPositional(CommonOptions.words("FOLDER", "output folder", List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) throws IOException {
    List<String> words = CommonOptions.positionals(parsed);
    if (words.size() != 1) {
      throw new UsageError("man needs a folder", "ntrail man share/man/man1");
    }
    Path folder = Files.createDirectories(Path.of(words.getFirst()));
    write(folder.resolve("ntrail.1"), Manual.troff());
    for (Commands.Entry entry : Commands.listed()) {
      write(
          folder.resolve("ntrail-" + entry.name() + ".1"),
          Manual.troff(entry.name(), entry.purpose(), entry.make().get().spec()));
    }
    terminal.out().println("wrote " + (Commands.listed().size() + 1) + " pages to " + folder);
    return ExitCode.DONE;
  }

  private static void write(Path file, String text) {
    OutputFile.write(file, text.getBytes(StandardCharsets.UTF_8));
  }
}

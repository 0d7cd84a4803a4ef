package io.ntrail.cli.record;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail record boot --reg FILE}: a file for the registry that has a boot recorded. */
public final class RecordCommand implements Command {
  /** A command line that works. */
  static final String EXAMPLE =
      "ntrail record boot --kernel cpu+disk --stacks Profile --reg boot.reg";

  private static final String REG = "--reg";
  private static final String UNDO = ".undo.reg";
  private static final String BOOT = "boot";

  /** Words that there will be; nothing of them is done yet. */
  private static final List<String> NOT_BUILT =
      List.of("start", "status", "stop", "mark", "list", "watch");

  public RecordCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command("record", "A file for the registry that has a boot recorded.");
    BootRequest.options(spec);
    OutputOptions.add(spec, "the file for the registry; its undo is FILE" + UNDO, REG);
    spec.addOption(CommonOptions.value("text|json", "how the report is written", "--format"));
    spec.addPositional(CommonOptions.words("WHAT", "boot", List.of(BOOT)));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) {
    mustBeBoot(CommonOptions.positionals(parsed));
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON);
    BootRequest request = BootRequest.of(parsed);
    OutputFile file =
        terminal
            .outputs()
            .of(REG)
            .orElseThrow(() -> new UsageError("record boot needs a file: --reg FILE.reg", EXAMPLE));
    byte[] registry = request.session().registry().toBytes();
    byte[] undo = request.session().undo().toBytes();
    try (OutputFile undoFile = OutputFile.reserve(CommonOptions.path(file.place() + UNDO), REG)) {
      write(undoFile, undo);
      // Only now: no file that sets up a session is without the one that removes it.
      write(file, registry);
      new BootReport(
              request, file.place(), registry.length, undoFile.place(), undo.length, terminal)
          .print(format);
    }
    return ExitCode.DONE;
  }

  private static void write(OutputFile file, byte[] content) {
    try {
      file.open().write(content);
    } catch (IOException e) {
      throw file.failed(e);
    }
    file.complete();
  }

  private static void mustBeBoot(List<String> words) {
    String word = words.isEmpty() ? "" : words.getFirst();
    if (word.isEmpty()) {
      throw new UsageError("record needs what to record: boot", EXAMPLE);
    }
    if (NOT_BUILT.contains(word)) {
      throw new UsageError(
          "record %s is not built yet: there is only record boot --reg, which writes a file"
              .formatted(word),
          EXAMPLE);
    }
    if (!word.equals(BOOT)) {
      List<String> known = new ArrayList<>(NOT_BUILT);
      known.add(BOOT);
      known.add("merge");
      String meant = SpellingSuggestion.of(word, known);
      throw new UsageError(
          "record has no " + word + (meant.isEmpty() ? "" : "; " + meant + " is meant?"), EXAMPLE);
    }
    if (words.size() > 1) {
      throw new UsageError("record boot takes no " + words.get(1), EXAMPLE);
    }
  }
}

package io.ntrail.cli.export;

import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Target of an export: standard output, or the file of {@code -o}.
 *
 * @param file null for standard output
 */
record ExportFile(@Nullable OutputFile file) {
  /** Returns the target of {@code -o}. */
  static ExportFile of(Terminal terminal) {
    return new ExportFile(terminal.outputs().of("-o").orElse(null));
  }

  /**
   * Writes the export; for a file the answer is a line with its contents.
   *
   * @param told of what it holds, such as {@code 1,752 samples in 31 stacks}
   */
  void write(Terminal terminal, String told, Consumer<PrintStream> content) {
    OutputFile target = file;
    if (target == null) {
      content.accept(terminal.document());
      return;
    }
    try (Terminal into = terminal.withOutput(target)) {
      content.accept(into.document());
    }
    target.complete();
    try {
      String size = target.isDirect() ? "" : ", " + Numbers.bytes(Files.size(target.place()));
      terminal.out().println("wrote " + target.place() + size + ": " + told);
    } catch (IOException e) {
      throw target.failed(e);
    }
  }
}

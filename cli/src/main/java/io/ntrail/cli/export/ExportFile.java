package io.ntrail.cli.export;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * Target of an export: standard output, or a file that gets its name only once it is complete, so
 * that no incomplete file is left if ntrail is killed.
 *
 * @param file null for standard output
 */
record ExportFile(@Nullable Path file) {
  /**
   * Returns the target of {@code -o}.
   *
   * @throws UsageError if it would overwrite an input file
   */
  static ExportFile of(ParseResult parsed) {
    String name = CommonOptions.text(parsed, "-o", "-");
    if (name.equals("-")) {
      return new ExportFile(null);
    }
    Path file = CommonOptions.path(name);
    CommonOptions.notRead(parsed, name, file);
    return new ExportFile(file);
  }

  /**
   * Writes the export; for a file the answer is a line with its contents.
   *
   * @param told of what it holds, such as {@code 1,752 samples in 31 stacks}
   */
  void write(Terminal terminal, String told, Consumer<PrintStream> content) {
    Path target = file;
    if (target == null) {
      content.accept(terminal.out());
      return;
    }
    boolean inPlace = Files.exists(target) && !Files.isRegularFile(target);
    try {
      Path written = inPlace ? target : beside(target);
      if (!inPlace) {
        // Also of one that is interrupted nothing stays.
        written.toFile().deleteOnExit();
      }
      try (Terminal into = terminal.withOutput(written)) {
        content.accept(into.out());
      } catch (RuntimeException | Error e) {
        if (!inPlace) {
          Files.deleteIfExists(written);
        }
        throw e;
      }
      if (!inPlace) {
        Files.move(written, target, StandardCopyOption.REPLACE_EXISTING);
      }
      String size = inPlace ? "" : ", " + Numbers.bytes(Files.size(target));
      terminal.out().println("wrote " + target + size + ": " + told);
    } catch (NoSuchFileException e) {
      throw new CannotGoOn("cannot write " + target + ": no such folder", "");
    } catch (IOException e) {
      throw new CannotGoOn("cannot write " + target + ": " + e.getMessage(), "");
    }
  }

  private static Path beside(Path target) {
    return target.resolveSibling(
        target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
  }
}

package io.ntrail.cli.shell;

import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The manual pages in a folder: one of the program, and one of each command. */
final class ManualPages {
  private ManualPages() {}

  /** Writes the pages into a folder, which is created if there is none. */
  static void write(Path place, Terminal terminal) throws IOException {
    Path folder = Files.createDirectories(place);
    write(folder.resolve("ntrail.1"), Manual.troff());
    for (Commands.Entry entry : Commands.listed()) {
      write(
          folder.resolve("ntrail-" + entry.name() + ".1"),
          Manual.troff(entry.name(), entry.purpose(), entry.make().get().spec()));
    }
    terminal.out().println("wrote " + (Commands.listed().size() + 1) + " pages to " + folder);
  }

  private static void write(Path file, String text) {
    OutputFile.write(file, text.getBytes(StandardCharsets.UTF_8));
  }
}

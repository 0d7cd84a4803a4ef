package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.OptionSpec;

/** The manual pages are written, say what they must, and are clean troff. */
class ManTest {
  @TempDir private Path folder;

  @BeforeEach
  void write() {
    assertEquals(0, Cli.run("completion", "--man", folder).exit());
  }

  private List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  @Test
  void aPageForTheProgramAndEveryCommand() throws IOException {
    List<String> expected =
        Stream.concat(
                Stream.of("ntrail.1"),
                Commands.listed().stream().map(entry -> "ntrail-" + entry.name() + ".1"))
            .sorted()
            .toList();
    assertEquals(expected, pages().stream().map(p -> p.getFileName().toString()).sorted().toList());
  }

  @Test
  void groffHasNoComplaint() throws IOException {
    Tools.assume("groff");
    for (Path page : pages()) {
      Tools.Result result = Tools.run("groff", "-man", "-ww", "-z", "-Tutf8", page.toString());
      assertEquals(new Tools.Result(0, "", ""), result, page.toString());
    }
  }

  @Test
  void theManualHasEveryOption() throws IOException {
    Tools.assume("groff");
    for (Commands.Entry entry : Commands.listed()) {
      Path page = folder.resolve("ntrail-" + entry.name() + ".1");
      Tools.Result result = Tools.run("groff", "-man", "-Tascii", "-P-cbou", page.toString());
      assertEquals("", result.err());
      for (OptionSpec option : entry.make().get().spec().options()) {
        for (String name : option.names()) {
          assertTrue(result.out().contains(name), entry.name() + " lacks " + name);
        }
      }
      assertTrue(result.out().contains("EXIT STATUS"), result.out());
      String words =
          Map.of("info", " FILE ...", "completion", " SHELL").getOrDefault(entry.name(), "");
      assertTrue(result.out().contains("ntrail " + entry.name() + words), result.out());
      assertTrue(result.out().contains("ntrail " + entry.name()), result.out());
    }
  }
}

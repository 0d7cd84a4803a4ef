package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.cli.harness.Tools;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines that begin with {@code try:} can be pasted into a shell, whatever the names are. */
class ProposedCommandsTest {
  private static final Path SAMPLES = TestData.projectRoot().resolve("samples");

  /** Each means something to a shell. */
  private static final List<String> NAMES =
      List.of(
          "my shop",
          "it's",
          "say \"x\"",
          "$HOME",
          "`id`",
          "!!x",
          "all*",
          "one?",
          "[ab]",
          "~",
          "a;b",
          "a&b",
          "a|b",
          "a>b",
          "a(b)",
          "a#b",
          "#b",
          "{a,b}",
          "back\\slash",
          "=ls",
          "M\u00FCll");

  @TempDir private Path folder;

  /** The words that the last proposal of a command has for a shell. */
  private static List<String> proposed(Object... words) throws IOException {
    Cli.Result result = Cli.run(words);
    List<String> lines =
        result.messages().stream().filter(line -> line.startsWith("try: ntrail ")).toList();
    assertEquals(1, lines.size(), Arrays.toString(words) + ": " + result);
    Tools.Result typed =
        Tools.run(
            "sh",
            "-c",
            "ntrail() { for word; do printf '%s\\0' \"$word\"; done; }; "
                + lines.getFirst().substring("try: ".length()));
    assertEquals("", typed.err(), lines.toString());
    return List.of(typed.out().split("\0"));
  }

  @Test
  void theNamesOfFilesComeOutAsTheyAre() throws IOException {
    for (String name : NAMES) {
      Path place = Files.createDirectories(folder.resolve(name));
      Path etl = Files.copy(SAMPLES.resolve("shop.etl"), place.resolve(name + ".etl"));
      Path calls = Files.copy(SAMPLES.resolve("shop.ntr"), place.resolve(name + ".ntr"));
      Path dll = Files.write(place.resolve(name + ".dll"), SampleImage.make());
      Path pdb = Files.copy(SAMPLES.resolve("shopd.pdb"), place.resolve(name + ".pdb"));
      assertEquals(List.of("info", etl.toString()), proposed("info", place.resolve(name + ".ctl")));
      assertEquals(List.of("calls", calls.toString()), proposed("events", calls));
      assertEquals(List.of("image", dll.toString()), proposed("events", dll));
      assertEquals(List.of("symbols", pdb.toString()), proposed("events", pdb));
      assertEquals(List.of("profile", etl.toString(), "--tree"), proposed("calls", etl));
      assertEquals(
          List.of("events", etl.toString(), "--count"),
          proposed("events", etl, "--count", "--stacks"));
      assertEquals(
          List.of("image", dll.toString(), "--functions"),
          proposed("image", dll, "--unwind", "Nothing/Like/This"));
      assertEquals(
          List.of("image", place.toString(), "--format", "csv"),
          proposed("image", place, "--exports"));
      assertEquals(List.of("info", etl.toString(), "-e", name), proposed("infos", etl, "-e", name));
      assertTrue(
          proposed("symbols", etl).containsAll(List.of("symbols", etl.toString(), "--fetch")));
    }
  }

  @Test
  void patternsOfAFolderStayPatterns() throws IOException {
    Path place = Files.createDirectories(folder.resolve("my $HOME"));
    Path etl = Files.copy(SAMPLES.resolve("shop.etl"), place.resolve("a.etl"));
    assertEquals(List.of("info", etl.toString()), proposed("info", place));
  }

  @Test
  void aNameThatBeginsLikeAnOptionGetsAFolder() {
    assertEquals(
        List.of("ntrail: no such file: -shpo.etl"),
        Cli.run("info", "--", "-shpo.etl").messages().subList(0, 1));
    assertEquals("./-shop.etl", io.ntrail.formats.bytes.ShellWords.file("-shop.etl"));
    assertEquals("'./-my shop.etl'", io.ntrail.formats.bytes.ShellWords.file("-my shop.etl"));
  }
}

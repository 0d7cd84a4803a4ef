package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.OptionSpec;

/** Completion scripts have every option, and the shells that are there accept and run them. */
class CompletionTest {
  @TempDir private Path folder;

  private Path script(String shell) throws IOException {
    Cli.Result result = Cli.run("completion", shell);
    assertEquals(0, result.exit(), result.err());
    return Files.writeString(folder.resolve("ntrail." + shell), result.out());
  }

  @Test
  void everyOptionInEveryShell() {
    for (String shell : List.of("bash", "zsh", "fish", "powershell")) {
      String script = Cli.run("completion", shell).out();
      for (Commands.Entry entry : Commands.listed()) {
        assertTrue(script.contains(entry.name()), shell + " lacks " + entry.name());
        for (OptionSpec option : entry.make().get().spec().options()) {
          for (String name : option.names()) {
            String bare = name.replaceAll("^-+", "");
            String expected =
                !shell.equals("fish") ? name : (name.startsWith("--") ? "-l " : "-s ") + bare;
            assertTrue(script.contains(expected), shell + " lacks " + name);
          }
        }
      }
      for (Commands.Entry entry : Commands.all()) {
        assertEquals(
            entry.listed(),
            script.matches("(?s).*\\b" + entry.name() + "\\b.*"),
            shell + " and " + entry.name());
      }
    }
  }

  private static List<String> completions(Path script, String... words) throws IOException {
    StringBuilder array = new StringBuilder();
    for (String word : words) {
      array.append(" '").append(word).append('\'');
    }
    String run =
        "source '%s'; COMP_WORDS=(%s); COMP_CWORD=%d; _ntrail; printf '%%s\\n' \"${COMPREPLY[@]}\""
            .formatted(script, array, words.length - 1);
    Tools.Result result = Tools.run("bash", "-c", run);
    assertEquals("", result.err());
    return result.out().lines().filter(line -> !line.isEmpty()).toList();
  }

  @Test
  void bashCompletes() throws IOException {
    Tools.assume("bash");
    Path script = script("bash");
    Tools.Result check = Tools.run("bash", "-n", script.toString());
    assertEquals(new Tools.Result(0, "", ""), check);
    assertEquals(List.of("--count"), completions(script, "ntrail", "events", "--cou"));
    assertTrue(completions(script, "ntrail", "events", "--c").contains("--count"));
    assertFalse(completions(script, "ntrail", "info", "--c").contains("--count"));
    assertEquals(List.of("events"), completions(script, "ntrail", "ev"));
    assertTrue(completions(script, "ntrail", "info", "x.etl", "--f").contains("--format"));
    assertTrue(completions(script, "ntrail", "--v").contains("--version"));
    Path recording = Files.createFile(folder.resolve("my shop.etl"));
    assertEquals(
        List.of(recording.toString()),
        completions(script, "ntrail", "info", folder.resolve("my").toString()));
    assertEquals(List.of("zsh"), completions(script, "ntrail", "completion", "z"));
    assertTrue(completions(script, "ntrail", "help", "fo").contains("formats"));
    assertEquals(List.of("json", "jsonl"), completions(script, "ntrail", "info", "--format", "js"));
    assertEquals(List.of("never"), completions(script, "ntrail", "info", "--color", "n"));
    assertEquals(List.of("module"), completions(script, "ntrail", "profile", "--by", "mo"));
    assertEquals(List.of("provider"), completions(script, "ntrail", "events", "--by", "prov"));
    assertEquals(List.of("self"), completions(script, "ntrail", "profile", "-s", "s"));
    assertEquals(List.of("symbols.path"), completions(script, "ntrail", "config", "symbols.p"));
  }

  @Test
  void otherShellsAccept() throws IOException {
    for (String shell : List.of("zsh", "fish")) {
      Path script = script(shell);
      if (Tools.has(shell)) {
        Tools.Result check = Tools.run(shell, "-n", script.toString());
        assertEquals(new Tools.Result(0, "", ""), check, shell);
      }
    }
  }
}

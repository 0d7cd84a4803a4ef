package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Recordings that earlier builds of {@code ntrail trace} wrote, with what those said of them: all
 * of it stays true (but that arguments are objects by now). Each kind of recording that there was
 * when its writer changed is here, made with {@code cmd.exe} of Wine 8; they are never written
 * anew.
 */
class WrittenRecordingsTest {
  @TempDir private Path folder;

  private static String resource(String name) throws IOException {
    return new String(bytes(name), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String name) throws IOException {
    try (InputStream in = WrittenRecordingsTest.class.getResourceAsStream("written/" + name)) {
      assertNotNull(in, name);
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "ring", "summary", "throttle", "children"})
  void answersAboutThemStayTrue(String name) throws IOException {
    Path file = Files.write(folder.resolve(name + ".ntr"), bytes(name + ".ntr"));
    List<String> now =
        new ArrayList<>(Cli.run("calls", file, "--flat", "--format", "jsonl").lines());
    now.addAll(Cli.run("calls", file, "--format", "jsonl", "-n", "40").lines());
    List<String> then = resource(name + ".expected.txt").lines().toList();
    assertFalse(then.isEmpty());
    assertEquals(then.size(), now.size());
    for (int i = 0; i < then.size(); i++) {
      // Members may be added.
      JsonReader row = JsonReader.parse(now.get(i));
      JsonReader.parse(then.get(i))
          .object()
          .forEach((key, value) -> assertEquals(value, row.get(key), () -> name + ": " + key));
    }
    String first = Cli.run("info", file).out().lines().findFirst().orElse("");
    assertFalse(first.contains("damaged"), first);
  }

  @Test
  void answersWithoutPlaceForSumsSayHowManyCallsAreNotInThem() throws IOException {
    Path file = Files.write(folder.resolve("summary.ntr"), bytes("summary.ntr"));
    String added =
        Cli.run("calls", file, "--flat", "--format", "json").json().get("addedUp").number()
            + " calls added up where they happened";
    List<Cli.Result> answers =
        List.of(
            Cli.run("profile", file),
            Cli.run("profile", file, "--format", "json"),
            Cli.run("export", file, "--to", "collapsed"),
            Cli.run("diff", file, file),
            Cli.run("calls", file, "--format", "jsonl"),
            Cli.run("calls", file, "--format", "csv"),
            Cli.run("probe", "fbt:::entry { @ = count(); }", file));
    answers.forEach(answer -> assertTrue(answer.err().contains(added), answer.err()));
    assertTrue(answers.get(1).json().get("addedUp").number() > 0);
  }
}

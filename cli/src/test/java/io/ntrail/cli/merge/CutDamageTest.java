package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.Damage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail cut} of damaged recordings: what could be read of the whole is in the cut. */
class CutDamageTest {
  private static final int HEADER_BUFFER = 1 << 16;

  private static final List<List<String>> SELECTIONS =
      List.of(
          List.of("--time", "0.4..0.8"),
          List.of("-p", "shopd.exe"),
          List.of("-e", "FileIo/*", "-e", "Thread/CSwitch"),
          List.of("--cpu", "1-3", "--time", "0.001..1.2"));

  @TempDir private Path folder;

  private byte[] sample() throws IOException {
    Path plain = folder.resolve("plain.etl");
    Path sample = TestData.projectRoot().resolve("samples/shop.etl");
    assertEquals(0, Cli.run("merge", sample, "--compress", "none", "-o", plain).exit());
    return Files.readAllBytes(plain);
  }

  private static String answer(Path file, List<String> selection, String... question) {
    List<Object> words = new ArrayList<>(List.of(question));
    words.add(1, file);
    words.addAll(selection);
    return Cli.run(words.toArray())
        .out()
        .lines()
        .filter(line -> !line.contains("EventTrace/Header") && !line.contains(",ntrail,"))
        .collect(Collectors.joining("\n"));
  }

  private void same(byte[] bytes, int seed) throws IOException {
    Path damaged = Files.write(folder.resolve("damaged.etl"), bytes);
    List<String> selection = SELECTIONS.get(seed % SELECTIONS.size());
    Path cut = folder.resolve("cut.etl");
    List<Object> words = new ArrayList<>(List.of("cut", damaged, "-o", cut));
    words.addAll(selection);
    Result result = Cli.run(words.toArray());
    assertTrue(result.exit() == 0 || result.exit() == 3, result.err());
    assertEquals(
        answer(damaged, selection, "events", "--format", "csv"),
        answer(cut, selection, "events", "--format", "csv"),
        () -> "seed " + seed);
    assertEquals(gaps(damaged), gaps(cut), () -> "seed " + seed);
  }

  /** Returns the gaps, but for wild times: those are found again in the records that are kept. */
  private static List<JsonReader> gaps(Path file) {
    return Cli.run("info", file, "--format", "json").json().get("gaps").array().stream()
        .filter(gap -> !gap.get("what").text().equals("times"))
        .toList();
  }

  @Test
  void bitsThatFlippedLoseNothingMore() throws IOException {
    byte[] sound = sample();
    for (int seed = 0; seed < Slice.count(400, 12); seed++) {
      same(Damage.flipBits(sound, seed, 1 + seed % 40, HEADER_BUFFER, sound.length), seed);
    }
  }

  @Test
  void whatIsLeftOfACutFileIsThere() throws IOException {
    byte[] sound = sample();
    for (int seed = 0; seed < Slice.count(100, 6); seed++) {
      int length =
          HEADER_BUFFER + (int) ((sound.length - HEADER_BUFFER) * (seed * 37L % 101) / 101);
      same(Damage.cutAt(sound, length), seed);
    }
  }
}

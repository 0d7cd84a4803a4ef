package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.Damage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Flags of buffers that say something was lost before them, which the header does not count. */
class BufferFlagsTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/busy.etl");
  private static final int FLAGS = 0x34;
  private static final int EVENTS_LOST = 2;

  @TempDir private Path folder;
  private Path flagged = SAMPLE;

  @BeforeEach
  void flag() throws IOException {
    byte[] bytes = Files.readAllBytes(SAMPLE);
    bytes[Damage.bufferOffsets(bytes).get(20) + FLAGS] |= EVENTS_LOST;
    flagged = Files.write(folder.resolve("flagged.etl"), bytes);
  }

  @ParameterizedTest
  @CsvSource({
    "info, info",
    "profile, profile",
    "events, events",
    "events --count, event-counts",
    "info --list processes, list"
  })
  void anAnswerSaysThatEventsWereLost(String command, String schema) throws IOException {
    Object[] words = (command + " " + flagged + " --format json").split(" ");
    JsonReader json = Cli.run(words).json();
    assertEquals(List.of(), JsonSchema.named(schema).strictFindings(json));
    assertEquals(1, json.get("lost").get("flaggedBuffers").number());
  }

  @Test
  void theFirstLineSaysIt() {
    for (String command : new String[] {"info", "profile"}) {
      Cli.Result result = Cli.run(command, flagged);
      assertEquals(0, result.exit());
      assertTrue(
          result.lines().getFirst().contains("events lost before 1 buffer, 0 events and 0 buffers"),
          result::out);
      assertEquals(3, Cli.run(command, flagged, "--strict").exit());
    }
  }

  @Test
  void rowsComeWithAWarning() {
    assertTrue(
        Cli.run("profile", flagged, "--format", "csv")
            .err()
            .contains("events lost before 1 buffer"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1"})
  void aCutSaysItAlsoWhereNoneOfTheBufferIsKept(String cpu) {
    Path cut = folder.resolve("cut.etl");
    assertEquals(0, Cli.run("cut", flagged, "--cpu", cpu, "-o", cut).exit());
    JsonReader json = Cli.run("info", cut, "--format", "json").json();
    assertEquals(1, json.get("lost").get("flaggedBuffers").number());
  }
}

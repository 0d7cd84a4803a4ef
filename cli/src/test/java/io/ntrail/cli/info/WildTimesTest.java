package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings in which one record's time is not of its session: it is said with what it spoils. */
class WildTimesTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/busy.etl");

  /** Time of the first record of a buffer. */
  private static final int TIME = 5 * (64 << 10) + 72 + 8;

  private static final long DAY = 86_400L * 10_000_000;

  @TempDir private Path folder;

  private Path later(long ticks) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(SAMPLE)).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(TIME, bytes.getLong(TIME) + ticks);
    return Files.write(folder.resolve("wild.etl"), bytes.array());
  }

  @Test
  void everyAnswerSaysThatATimeIsFarFromTheSession() throws IOException {
    for (long days : new long[] {30, -30}) {
      Path file = later(days * DAY);
      for (List<Object> words :
          List.<List<Object>>of(
              List.of("info", file),
              List.of("events", file, "--count", "--format", "csv"),
              List.of("profile", file, "--metric", "wait"))) {
        Cli.Result result = Cli.run(words.toArray());
        assertEquals(3, result.exit(), words + result.err());
        assertTrue(result.err().contains("time is far from the session's"), result.err());
      }
    }
  }

  @Test
  void aTimeThatAClockExplainsThatWasSetIsNotWild() throws IOException {
    assertEquals(0, Cli.run("info", later(DAY)).exit());
  }
}

package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.Damage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records that end before they tell what they are for: what they would tell is a gap. */
class ShortRecordsTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/busy.etl");

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "0x303, 40, the fields that tell about the system",
    "0x503, 36, the fields that tell about the system",
    "0x1403, 40, the fields that tell about the system",
    "0x1825, 24, 'the stack, or before the key of one'",
    "0xF2E, 16, the fields that the event's weight is made of"
  })
  void aRecordThatEndsBeforeWhatItTellsIsAGap(String hook, int size, String before)
      throws IOException {
    byte[] cut = Damage.cutRecord(Files.readAllBytes(SAMPLE), Integer.decode(hook), size);
    Path file = Files.write(folder.resolve("cut.etl"), cut);
    for (String command : new String[] {"info", "profile"}) {
      Cli.Result result = Cli.run(command, file);
      assertEquals(3, result.exit(), () -> command + ": " + result.out());
      assertTrue(result.out().contains("1 place could not be read"), result::out);
      assertTrue(
          result.err().contains("could not be read (payload): it ends before " + before),
          result::err);
    }
  }
}

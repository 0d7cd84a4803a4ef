package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage among the records of calls, of which {@code info} tells without rebuilding the calls. */
class CheckedRecordingsTest {
  /** The second record of the first chunk of shop.jtrc. */
  private static final int RECORD = 144 + 16 + 16;

  @TempDir private Path folder;

  /** Returns a sample of which some bytes have another value. */
  private Path damaged(String name, int at, int bytes, int value) throws IOException {
    byte[] sample = Files.readAllBytes(TestData.projectRoot().resolve("samples").resolve(name));
    Arrays.fill(sample, at, at + bytes, (byte) value);
    return Files.write(folder.resolve(name), sample);
  }

  private static void tellsWhatCallsTell(Path file, String why) {
    Cli.Result info = Cli.run("info", file);
    Cli.Result calls = Cli.run("calls", file, "--flat");
    assertEquals(3, info.exit(), info.err());
    assertTrue(info.lines().getFirst().contains("1 place could not be read"), info.out());
    assertTrue(info.err().contains(why), info.err());
    List<String> same = calls.messages().stream().filter(line -> line.contains(why)).toList();
    assertEquals(same, info.messages());
    assertEquals(
        Cli.run("calls", file, "--flat", "--format", "json").json().get("gaps").toString(),
        Cli.run("info", file, "--format", "json").json().get("gaps").toString());
  }

  @Test
  void aChunkWithAWrongChecksumIsTold() throws IOException {
    tellsWhatCallsTell(damaged("shop.ntr", 789, 64, 0), "its checksum is wrong");
  }

  @Test
  void aRecordOfNoKindIsToldWhereThereAreNoChecksums() throws IOException {
    tellsWhatCallsTell(damaged("shop.jtrc", RECORD, 1, 3), "its type is 3");
  }

  @Test
  void aSoundRecordingIsComplete() {
    for (String name : List.of("shop.ntr", "shop.jtrc")) {
      Cli.Result info = Cli.run("info", TestData.projectRoot().resolve("samples").resolve(name));
      assertEquals(0, info.exit(), info.err());
    }
  }
}

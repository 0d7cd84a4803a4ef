package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.ToolOutput;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every field that llvm-readobj prints about an image is read from it. */
class ReadobjTest {
  /**
   * Differences between readobj 14 and the bytes:
   *
   * <ul>
   *   <li>jobexec.dll has a number of symbols whose table a tool has cut off; readobj counts none.
   *   <li>kernel32.dll: the load configuration ends with the count of EH continuations; readobj
   *       only looks for them in longer ones.
   * </ul>
   */
  private static final List<String> BYTES_WIN =
      List.of(
          "jobexec.dll: file header: SymbolCount: told 0x0, read 0x349",
          "kernel32.dll: guard tables: GuardEHContTable count: told 0x0, read 0x46");

  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  @ParameterizedTest
  @CsvSource({"windows,172000", "eh,54000", "flags,14500", "toolchains,75900"})
  void whatReadobjPrintsIsWhatIsRead(String group, long fields) throws IOException {
    Differences differences = new Differences();
    ToolOutput.forEach(
        "readobj-" + group + ".txt.gz",
        output -> {
          differences.image(output.name());
          PeImage image = SampleImages.open(group, output.name());
          new ReadobjComparison(output, image, differences).all();
        });
    assertEquals(
        group.equals("windows") ? String.join("\n", BYTES_WIN) : "",
        String.join("\n", differences.found()));
    assertTrue(differences.compared() > fields, () -> "compared " + differences.compared());
  }
}

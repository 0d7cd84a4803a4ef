package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.ToolOutput;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every field that llvm-readobj prints about an image is read from it. */
class ReadobjTest {
  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"windows", "eh", "flags", "toolchains"})
  void whatReadobjPrintsIsWhatIsRead(String group) throws IOException {
    Differences differences = new Differences();
    ToolOutput.forEach(
        "readobj-" + group + ".txt.gz",
        output -> {
          differences.image(output.name());
          PeImage image = Samples.open(group, output.name());
          new ReadobjComparison(output, image, differences).all();
        });
    assertEquals("", String.join("\n", differences.found()));
    assertTrue(differences.compared() > 1000, () -> "compared " + differences.compared());
  }
}

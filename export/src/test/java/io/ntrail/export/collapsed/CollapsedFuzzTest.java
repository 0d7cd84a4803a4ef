package io.ntrail.export.collapsed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.analysis.collapsed.CollapsedRecording;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.collapsed.CollapsedReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/** Any bytes are read, and what was read is written so that it is read again as the same. */
class CollapsedFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void whatIsReadIsWrittenAndReadAgain(byte[] data) {
    try (InputFile input = InputFile.of(data, "fuzz")) {
      CollapsedReader.looksLike(input);
    }
    Gaps gaps = new Gaps();
    StackTree first = read(data, gaps);
    String text = CollapsedTest.write(first, false);
    Gaps none = new Gaps();
    StackTree second = read(text.getBytes(StandardCharsets.UTF_8), none);
    assertEquals(text, CollapsedTest.write(second, false));
    assertEquals(total(first), total(second));
    assertEquals(0, none.list().size());
  }

  private static BigDecimal total(StackTree tree) {
    return BigDecimal.valueOf(tree.total(0), tree.decimals(0)).stripTrailingZeros();
  }

  private static StackTree read(byte[] data, Gaps gaps) {
    StackTree tree = new StackTree(1);
    try (CollapsedRecording input = new CollapsedRecording(InputFile.of(data, "fuzz"), gaps)) {
      tree.addAll(input, 0, FrameNameOptions.WHOLE);
    }
    tree.settle();
    return tree;
  }
}

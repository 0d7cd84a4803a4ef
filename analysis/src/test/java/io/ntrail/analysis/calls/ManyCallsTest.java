package io.ntrail.analysis.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.jtrc.JtrcFile;
import io.ntrail.testkit.calls.BigJtrc;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A recording of many calls costs an index that does not grow with them, and any place is found.
 */
class ManyCallsTest {
  private static final long TREES = Boolean.getBoolean("ntrail.long") ? 1_600_000 : 20_000;

  @TempDir private Path folder;

  private CallRecording write() throws IOException {
    Path path = folder.resolve("many.jtrc");
    BigJtrc.write(path, 2, TREES);
    Gaps gaps = new Gaps();
    JtrcFile file = JtrcFile.open(InputFile.map(path, "many.jtrc"), gaps);
    return new CallRecording(new JtrcCalls(file, gaps));
  }

  @Test
  void theIndexKeepsAFewCallsForEachPage() throws IOException {
    try (CallRecording recording = write()) {
      recording.survey(List.of(0, 1), 2);
      long calls = 1 + TREES * BigJtrc.TREE;
      for (int thread = 0; thread < 2; thread++) {
        CallCounts counts = recording.counts(thread);
        assertEquals(calls, counts.calls());
        assertEquals(1 + BigJtrc.LEVELS, counts.deepest());
        assertEquals(0, counts.repaired());
        CallIndex index = recording.index(thread);
        assertTrue(index.pages() <= 2 * calls / 8192 + 1, "pages: " + index.pages());
        assertTrue(index.kept() <= 6 * index.pages(), "kept: " + index.kept());
      }
    }
  }

  @Test
  void theCallAroundAllHasItsEndAndAnySubtreeIsReached() throws IOException {
    try (CallRecording recording = write();
        CallWalk walk = recording.walk(1)) {
      assertTrue(walk.next());
      assertEquals(TREES * BigJtrc.TREE, walk.children());
      assertEquals(2 * TREES * BigJtrc.TREE + 1, walk.duration());
      long tree = TREES * 3 / 4;
      walk.seek(1 + tree * BigJtrc.TREE);
      assertTrue(walk.next());
      assertEquals(BigJtrc.BASE, walk.function());
      assertEquals(1, walk.depth());
      assertEquals(BigJtrc.TREE - 1, walk.children());
      long entry = walk.entry();
      walk.skipChildren();
      assertTrue(walk.next());
      assertEquals(1 + (tree + 1) * BigJtrc.TREE, walk.number());
      assertEquals(entry + 2 * BigJtrc.TREE, walk.entry());
      walk.seekTime(entry + 1);
      assertTrue(walk.next());
      assertEquals(2, walk.depth());
      walk.seek(TREES * BigJtrc.TREE);
      assertTrue(walk.next());
      assertFalse(walk.next());
    }
  }
}

package io.ntrail.analysis.naming;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Patterns of processes and threads, asked again and again about the same ones. */
class PatternSetTest {
  private static PatternSet of(String... patterns) {
    return new PatternSet(List.of(patterns).stream().map(NamePattern::of).toList());
  }

  @Test
  void anIdWithAnotherNameIsAnotherProcess() {
    PatternSet set = of("shop*");
    for (int round = 0; round < 3; round++) {
      assertTrue(set.fitProcess(4312, "shopd.exe"));
      assertFalse(set.fitProcess(4312, "svchost.exe"));
      assertFalse(set.fitProcess(4312, null));
    }
  }

  @Test
  void processesWhoseAnswersShareAPlaceAreToldApart() {
    PatternSet set = of("8", "2056");
    for (int round = 0; round < 3; round++) {
      for (int id = 0; id < 8192; id += 4) {
        assertEquals(id == 8 || id == 2056, set.fitProcess(id, null), "process " + id);
      }
    }
  }

  @Test
  void aThreadIsNotTheProcessOfItsId() {
    PatternSet set = of("shopd");
    assertTrue(set.fitProcess(8, "shopd.exe"));
    assertFalse(set.fitThread(8, "shopd.exe"));
    assertTrue(set.fitProcess(8, "shopd.exe"));
  }

  @Test
  void whatACopyHasSeenCounts() {
    PatternSet set = of("shopd", "4711", "nobody");
    PatternSet copy = set.copy();
    assertTrue(copy.fitProcess(8, "shopd.exe"));
    assertTrue(set.fitProcess(4711, null));
    set.addSeen(copy);
    assertEquals(
        List.of("nobody"),
        set.unmatchedProcesses(Set.of("shopd.exe")).stream().map(UnmatchedTerm::asked).toList());
  }
}

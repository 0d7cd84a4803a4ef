package io.ntrail.analysis.naming;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.PdbId;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Assignment of the PDBs in a merge's records to files. */
class PdbReferenceCollectorTest {
  private static final int PROCESS = 4;
  private static final long BASE = 0x10000;

  private final AddressRangeLifetimes lives = new AddressRangeLifetimes(1 << 20);
  private final PdbReferenceCollector notes = new PdbReferenceCollector();

  private static PdbReference pdb(int number) {
    return new PdbReference(new PdbId(new Guid(number, 0), 1), "a.pdb");
  }

  private void life(long from, long to, int file) {
    lives.note(PROCESS, BASE, 0x1000, from, Lifetimes.START, file);
    lives.note(PROCESS, BASE, 0x1000, to, Lifetimes.END, file);
  }

  private Map<Integer, PdbReference> settled() {
    Lifetimes processes = new Lifetimes();
    processes.settle();
    lives.settle(processes, Integer::compare);
    return notes.settle(lives);
  }

  @Test
  void aPdbIsOfTheFileThatIsThereOrOfTheNearestOne() {
    life(100, 200, 0);
    life(300, 400, 1);
    life(900, 990, 2);
    notes.note(PROCESS, BASE, 150, pdb(10));
    notes.note(PROCESS, BASE, 420, pdb(11));
    notes.note(PROCESS, BASE, 850, pdb(12));
    notes.note(PROCESS, BASE + 0x1000, 150, pdb(13));
    assertEquals(Map.of(0, pdb(10), 1, pdb(11), 2, pdb(12)), settled());
  }

  @Test
  void aFileWithTwoPdbsHasNone() {
    life(100, 200, 0);
    life(300, 400, 0);
    notes.note(PROCESS, BASE, 150, pdb(10));
    notes.note(PROCESS, BASE, 350, pdb(11));
    assertEquals(Map.of(), settled());
  }

  @Test
  void aPlaceMayBeUsedAnyNumberOfTimes() {
    int many = 100_000;
    for (int i = 0; i < many; i++) {
      life(10L * i, 10L * i + 5, i);
      notes.note(PROCESS, BASE, 10L * i + 3, pdb(i));
    }
    Map<Integer, PdbReference> found = settled();
    assertEquals(many, found.size());
    assertEquals(pdb(77_777), found.get(77_777));
  }
}

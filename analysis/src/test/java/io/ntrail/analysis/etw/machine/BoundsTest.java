package io.ntrail.analysis.etw.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.naming.Lifetimes;
import org.junit.jupiter.api.Test;

/** Limits of the state of a recorded machine: what is beyond them is counted. */
class BoundsTest {
  @Test
  void namesOfFiles() {
    FileNames files = new FileNames();
    int names = 1_600_000;
    for (int i = 0; i < names; i++) {
      files.note(i, i, "f");
    }
    assertTrue(files.leftOut() > 0);
    assertEquals(names, files.count() + files.leftOut());
    files.note(1, 1, "x".repeat(1 << 20));
    assertEquals(names + 1, files.count() + files.leftOut(), "no path is that long");
    files.settle();
    assertEquals("f", files.at(7, 7));
    assertNull(files.at(names - 1, names));
  }

  @Test
  void lives() {
    Lifetimes lives = new Lifetimes();
    int more = 1_000;
    for (int i = 0; i < Lifetimes.MOST + more; i++) {
      lives.note(i, i, Lifetimes.START, i);
    }
    assertEquals(more, lives.leftOut());
    Lifetimes all = new Lifetimes();
    all.addAll(lives, 0);
    all.addAll(lives, 0);
    assertEquals(Lifetimes.MOST + 2L * more, all.leftOut());
  }

  @Test
  void volumes() {
    Volumes volumes = new Volumes();
    for (int i = 0; i < 10_000; i++) {
      volumes.note("\\Device\\HarddiskVolume" + i + "\\", "C" + i + ":\\");
    }
    volumes.settle();
    assertEquals("C7:\\shop", volumes.path("\\Device\\HarddiskVolume7\\shop"));
    assertEquals(
        "\\Device\\HarddiskVolume9999\\shop", volumes.path("\\Device\\HarddiskVolume9999\\shop"));
  }
}

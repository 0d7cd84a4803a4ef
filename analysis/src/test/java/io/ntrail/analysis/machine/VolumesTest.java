package io.ntrail.analysis.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

/** Drive letters for paths of the kernel. */
class VolumesTest {
  private final Volumes volumes = new Volumes();

  @Test
  void aMappingWithoutABackslashAtItsEndIsThatOfTheWholeNameOnly() {
    volumes.note("\\Device\\HarddiskVolume1", "C:");
    volumes.note("\\Device\\HarddiskVolume2", "D:");
    volumes.settle();
    assertEquals("C:\\a", volumes.path("\\Device\\HarddiskVolume1\\a"));
    assertEquals("C:", volumes.path("\\Device\\HarddiskVolume1"));
    assertEquals("\\Device\\HarddiskVolume12\\a", volumes.path("\\Device\\HarddiskVolume12\\a"));
  }

  @Test
  void withoutAMappingNoLetterIsInvented() {
    volumes.settle();
    assertFalse(volumes.known());
    assertEquals("\\Device\\HarddiskVolume1\\a", volumes.path("\\Device\\HarddiskVolume1\\a"));
  }

  @Test
  void ofTwoLettersOfOneVolumeTheFirstCountsWhoeverSawIt() {
    Volumes other = new Volumes();
    volumes.note("\\Device\\HarddiskVolume1\\", "D:\\");
    other.note("\\Device\\HarddiskVolume1\\", "C:\\");
    volumes.addAll(other);
    volumes.settle();
    assertEquals("C:\\a", volumes.path("\\Device\\HarddiskVolume1\\a"));
  }
}

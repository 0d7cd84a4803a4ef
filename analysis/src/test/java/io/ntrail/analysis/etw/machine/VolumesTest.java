package io.ntrail.analysis.etw.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

/** Paths of the kernel as people write them. */
class VolumesTest {
  private final Volumes volumes = new Volumes();

  private String path(String kernelPath) {
    volumes.settle();
    return volumes.path(kernelPath);
  }

  @Test
  void withoutMappingsPathsStayAsTheyAre() {
    assertEquals("\\Device\\HarddiskVolume1\\a.txt", path("\\Device\\HarddiskVolume1\\a.txt"));
    assertEquals("\\Windows\\System32\\a.dll", path("\\Windows\\System32\\a.dll"));
  }

  @Test
  void theLongestMappingServesAPathInAnyCase() {
    volumes.note("\\Device\\Mup\\", "\\\\");
    volumes.note("\\Device\\HarddiskVolume1\\", "C:\\");
    volumes.note("\\Device\\HarddiskVolume11\\", "D:\\");

    assertEquals("D:\\a.txt", path("\\device\\harddiskvolume11\\a.txt"));
    assertEquals("C:\\a.txt", path("\\Device\\HarddiskVolume1\\a.txt"));
    assertEquals("\\\\server\\share\\a.txt", path("\\Device\\Mup\\server\\share\\a.txt"));
  }

  @Test
  void aPathWithoutVolumeInTheSystemsFolderIsOnItsDrive() {
    volumes.note("\\SystemRoot\\", "E:\\Windows\\");

    assertEquals("E:\\Windows\\System32\\a.dll", path("\\Windows\\System32\\a.dll"));
    assertEquals("E:\\Windows\\a.sys", path("\\SystemRoot\\a.sys"));
  }

  @Test
  void otherPathsWithoutVolumeGetNoLetter() {
    volumes.note("\\SystemRoot\\", "E:\\Windows\\");

    assertEquals("\\WindowsApps\\a.dll", path("\\WindowsApps\\a.dll"));
    assertEquals("\\Users\\a\\a.dll", path("\\Users\\a\\a.dll"));
  }

  @Test
  void aSystemInTheRootOfADriveSaysNothingAboutOtherPaths() {
    volumes.note("\\SystemRoot\\", "X:\\");

    assertEquals("\\Users\\a.dll", path("\\Users\\a.dll"));
  }

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
  void ofTwoLettersOfOneVolumeTheFirstCounts() {
    Volumes other = new Volumes();
    volumes.note("\\Device\\HarddiskVolume1\\", "D:\\");
    other.note("\\Device\\HarddiskVolume1\\", "C:\\");
    volumes.addAll(other);
    volumes.settle();
    assertEquals("C:\\a", volumes.path("\\Device\\HarddiskVolume1\\a"));
  }
}

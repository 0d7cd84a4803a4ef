package io.ntrail.live.windows;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files on drives whose folders are known from other paths. */
class DriveRootsTest {
  private final DriveRoots roots = new DriveRoots();

  @TempDir Path folder;

  @BeforeEach
  void filesOnTwoDrives() throws IOException {
    for (String name : new String[] {"c/windows/ntdll.dll", "c/windows/other.dll", "z/a/b.dll"}) {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.createFile(file);
    }
    roots.learn("C:\\windows\\ntdll.dll", folder.resolve("c/windows/ntdll.dll"));
  }

  @Test
  void fileOnAKnownDriveIsFound() {
    assertEquals(
        Optional.of(folder.resolve("c/windows/other.dll")), roots.find("c:\\windows\\other.dll"));
  }

  @Test
  void verbatimPathIsTheSameFile() {
    assertEquals(
        Optional.of(folder.resolve("c/windows/other.dll")),
        roots.find("\\\\?\\C:\\windows\\other.dll"));
  }

  @Test
  void driveThatWasNotSeenIsUnknown() {
    assertEquals(Optional.empty(), roots.find("Z:\\a\\b.dll"));
  }

  @Test
  void fileWhoseNameDiffersInCaseIsLeftToTheSystem() {
    assertEquals(Optional.empty(), roots.find("C:\\Windows\\other.dll"));
  }

  @Test
  void driveIsNotLearnedFromAFileInAnotherFolder() {
    roots.learn("Z:\\x\\b.dll", folder.resolve("z/a/b.dll"));
    assertEquals(Optional.empty(), roots.find("Z:\\a\\b.dll"));
  }

  @Test
  void namesThatTheSystemChangesAreLeftToIt() {
    for (String path :
        new String[] {
          "C:\\windows\\..\\windows\\other.dll",
          "C:\\windows\\\\other.dll",
          "C:\\windows/other.dll",
          "C:\\windows\\other.dll.",
          "\\\\?\\unix\\windows\\other.dll",
          "C:",
          ""
        }) {
      assertEquals(Optional.empty(), roots.find(path), path);
    }
  }
}

package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.PeakMemory;
import io.ntrail.testkit.compress.ZipWriter;
import io.ntrail.testkit.etl.EtlShapes;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * However much an archive inflates to, it takes the memory of its budget, and that of a Java
 * program.
 */
class ArchiveMemoryTest {
  private static final long MIB = 1 << 20;

  /** Memory of a run without an archive, with some room: half of it is code. */
  private static final long PROGRAM = 384 * MIB;

  @TempDir Path folder;

  @BeforeEach
  void onlyWhereItCanBeMeasured() {
    assumeTrue(PeakMemory.canBeMeasured(), "Linux alone counts the memory of a process");
  }

  /** A zip of recordings that end with room that was never used. */
  private Path zip(int members, long size) throws Exception {
    byte[] recording = EtlShapes.inversions(1, 2000).toByteArray();
    ZipWriter zip = new ZipWriter();
    for (int i = 0; i < members; i++) {
      zip.padded(i + ".etl", recording, size);
    }
    return Files.write(folder.resolve("padded.zip"), zip.write());
  }

  private PeakMemory.Run info(Path zip, int members) throws Exception {
    PeakMemory.Run run = PeakMemory.run(folder, "info", zip.toString(), "--format", "json");
    assertEquals(0, run.exit(), run.err());
    assertTrue(run.out().contains("!/" + (members - 1) + ".etl"), run.out());
    return run;
  }

  private static void assertWithin(long most, PeakMemory.Run run) {
    assertTrue(
        run.peak() <= most,
        () -> "%,d MiB, and at most %,d MiB".formatted(run.peak() / MIB, most / MIB));
  }

  @Test
  void twentyMembersTakeTheirSize() throws Exception {
    Path zip = zip(20, 11 * MIB);
    assertWithin(20 * 11 * MIB + PROGRAM, info(zip, 20));
  }

  @Test
  void sixtyMembersTakeAGibibyteAtMost() throws Exception {
    Path zip = zip(60, 24 * MIB);
    assertWithin(1024 * MIB + PROGRAM, info(zip, 60));
  }

  @Test
  void largeMembersTakeFilesInsteadOfMemory() throws Exception {
    Path zip = zip(12, 80 * MIB);
    assertWithin(PROGRAM + 12 * 8 * MIB, info(zip, 12));
  }

  @Test
  void whatIsNoRecordingTakesItsBeginning() throws Exception {
    ZipWriter zip = new ZipWriter();
    for (int i = 0; i < 20; i++) {
      zip.padded(i + ".etl", new byte[0], 80 * MIB);
    }
    Path file = Files.write(folder.resolve("zeros.zip"), zip.write());
    PeakMemory.Run run = PeakMemory.run(folder, "info", file.toString());
    assertEquals(1, run.exit(), run.err());
    assertWithin(PROGRAM, run);
  }
}

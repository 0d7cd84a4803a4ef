package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.live.plan.ModuleFile.Problem;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.symbols.PdbSearch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Matching of files to modules. */
final class ModuleFileTest {
  private static Sketch sketch(long timestamp) {
    Sketch sketch =
        new Sketch().function("one", UnwindInfoBuilder.prologue(0), 0x8D, 0x41, 1, 0xC3);
    sketch.builder().timestamp(timestamp);
    return sketch;
  }

  private static Optional<Problem> problem(Optional<Path> path) {
    PeImage image = sketch(1000).stored();
    TargetModule module =
        new TargetModule(0x1_8000_0000L, image.headers().sizeOfImage(), "C:\\a.dll", "a.dll");
    try (ModuleFile file = ModuleFile.open(path, module, image, new PdbSearch(List.of()))) {
      assertEquals(file.missing().isEmpty(), file.code().isPresent());
      assertTrue(file.symbols().names().isEmpty());
      return file.missing().map(ModuleFile.Missing::problem);
    }
  }

  @Test
  void onlyTheBuildThatRunsIsBelieved(@TempDir Path folder) throws IOException {
    Path same = Files.write(folder.resolve("same.dll"), sketch(1000).file());
    Path other = Files.write(folder.resolve("other.dll"), sketch(1001).file());
    Path cut = Files.write(folder.resolve("cut.dll"), new byte[] {'M', 'Z', 0});
    assertEquals(Optional.empty(), problem(Optional.of(same)));
    assertEquals(Optional.of(Problem.OTHER_BUILD), problem(Optional.of(other)));
    assertEquals(Optional.of(Problem.UNREADABLE), problem(Optional.of(cut)));
    assertEquals(Optional.of(Problem.NOT_HERE), problem(Optional.of(folder.resolve("no.dll"))));
    assertEquals(Optional.of(Problem.NOT_HERE), problem(Optional.empty()));
  }

  @Test
  void aBuildWithTheSameTimeIsRecognisedByItsChecksum(@TempDir Path folder) throws IOException {
    byte[] bytes = sketch(1000).file();
    // The field of the optional header.
    bytes[(bytes[0x3C] & 0xFF | (bytes[0x3D] & 0xFF) << 8) + 0x58] ^= 1;
    Path other = Files.write(folder.resolve("other.dll"), bytes);
    assertEquals(Optional.of(Problem.OTHER_BUILD), problem(Optional.of(other)));
  }

  @Test
  void manyModulesAreOneRemark() {
    assertEquals(
        "cannot check a.dll for patches by other tools: the file is not found on this machine",
        TracePlan.notCompared(Problem.NOT_HERE, List.of("a.dll")));
    assertEquals(
        "cannot check a.dll, b.dll, c.dll and 2 more for patches by other tools:"
            + " the file is a different build",
        TracePlan.notCompared(
            Problem.OTHER_BUILD, List.of("a.dll", "b.dll", "c.dll", "d.dll", "e.dll")));
  }
}

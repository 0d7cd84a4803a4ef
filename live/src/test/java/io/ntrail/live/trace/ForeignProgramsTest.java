package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs of others that do nothing but raise exceptions, made by Microsoft's compiler, clang, GCC
 * and Rust: traced, with the system below them, they print what they print alone.
 */
final class ForeignProgramsTest {
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static List<Path> programs() throws IOException {
    try (var files = Files.list(TestData.file("pe/eh"))) {
      return files
          .filter(file -> file.toString().matches(".*(msvc|clang-cl)-x86_64.*\\.exe(\\.gz)?"))
          .sorted()
          .toList();
    }
  }

  private static Path dll(String name) {
    Path plain = TestData.file("pe/eh").resolve(name);
    return Files.exists(plain) ? plain : TestData.file("pe/eh/" + name + ".gz");
  }

  @Test
  void programsThatRaiseExceptionsPrintTheSame(@TempDir Path folder) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    int unwinds = 0;
    int run = 0;
    List<String> wrong = new ArrayList<>();
    try (Programs programs = new Programs(folder)) {
      for (Path file : programs()) {
        String name = file.getFileName().toString().replace(".gz", "");
        // Of each family one, in the ordinary run.
        if (!LONG && !name.matches(".*(fh4-no-gs-o2|gcc|unwind-o2|clang-cl-x86_64-fh3-no-gs).*")) {
          continue;
        }
        Path program = Files.write(folder.resolve(name), TestData.unpacked(file));
        if (name.startsWith("xframe_eh_exe")) {
          String dll = name.replace("xframe_eh_exe", "xframe_eh_dll").replace(".exe", ".dll");
          Files.write(folder.resolve("xframe_eh_dll.dll"), TestData.unpacked(dll(dll)));
        }
        Wine.Outcome expected = programs.wine().run(folder, new byte[0], LIMIT, program.toString());
        for (Set<String> modules : List.of(Set.<String>of(), Tracing.SYSTEM)) {
          String title = name + " with " + modules.size() + " libraries";
          Settings settings = new Settings().own().modules(modules).limit(LIMIT);
          Outcome traced = programs.traced(settings, program);
          if (!expected.text().equals(traced.text())
              || expected.exitCode() != (traced.exitCode() & 0xFF)) {
            wrong.add(title + ": " + traced.exitCode() + "\n" + traced.text());
          }
          Programs.exact(traced);
          assertTrue(traced.statistics().captured().entries() > 0, title);
          unwinds += (int) traced.statistics().captured().unwinds();
          run++;
        }
      }
    }
    System.out.println(run + " runs of programs that raise exceptions, " + unwinds + " unwinds");
    assertEquals(List.of(), wrong);
    assertTrue(run >= 8);
  }
}

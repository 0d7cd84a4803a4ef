package io.ntrail.testkit.wine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs of 32 bits are built and run. */
final class Wine32Test {
  private static final String PROGRAM =
      """
      int printf(const char *, ...);
      int main(int argc, char **argv) {
        printf("%d bits, %d words, %s\\n", (int)sizeof(void *) * 8, argc, argv[1]);
        return 3;
      }
      """;

  @TempDir Path folder;

  @Test
  void programOfEachCompilerPrintsAndEndsAsItSays() throws Exception {
    assumeTrue(Wine.available32(), Wine.missing32());
    for (WindowsCompiler compiler : List.of(WindowsCompiler.MINGW_C_32, WindowsCompiler.CLANG_32)) {
      assumeTrue(compiler.available(), compiler.missing());
      Path source = Files.writeString(folder.resolve("hello.c"), PROGRAM);
      Path program = compiler.build(List.of(source), "-O1");
      Wine.Outcome outcome =
          Wine.shared32()
              .run(folder, new byte[0], Duration.ofMinutes(1), program.toString(), "one");
      assertEquals("32 bits, 2 words, one", outcome.text().strip(), outcome.errors());
      assertEquals(3, outcome.exitCode());
    }
  }

  @Test
  void compilersMakeImagesForThe386() throws Exception {
    for (WindowsCompiler compiler : List.of(WindowsCompiler.MINGW_C_32, WindowsCompiler.CLANG_32)) {
      assumeTrue(compiler.available(), compiler.missing());
      Path source = Files.writeString(folder.resolve("hello.c"), PROGRAM);
      byte[] image = Files.readAllBytes(compiler.build(List.of(source), "-O1"));
      int headers = (image[0x3C] & 0xFF) | (image[0x3D] & 0xFF) << 8;
      assertEquals(0x014C, (image[headers + 4] & 0xFF) | (image[headers + 5] & 0xFF) << 8);
    }
  }
}

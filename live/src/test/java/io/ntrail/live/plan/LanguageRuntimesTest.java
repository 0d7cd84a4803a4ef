package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.live.plan.SkipReason.Kind;
import io.ntrail.live.target.TargetModule;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Detection of language runtimes, which walk frames by rules of their own. */
final class LanguageRuntimesTest {
  private static final String RENAMED = "renamed.dll";

  private static Sketch sketch() {
    return new Sketch().function("plain", UnwindInfoBuilder.prologue(0), 0x8D, 0x41, 1, 0xC3);
  }

  private static Optional<String> runtime(Sketch sketch, String name, Collection<String> symbols) {
    Map<Long, String> names =
        symbols.isEmpty() ? Map.of() : Map.of(sketch.rva("plain"), symbols.iterator().next());
    List<PlannedFunction> plan =
        Sketch.plan(
            name,
            sketch.memory(),
            0x1_8000_0000L,
            new PlanSymbols(names, List.of(), Map.of()),
            Optional.empty());
    PlannedFunction plain = Sketch.named(plan, "plain");
    assertTrue(plain.isTraced());
    assertEquals(plain.hasExits(), plain.reason().isEmpty());
    plain.reason().ifPresent(why -> assertEquals(Kind.RUNTIME, why.kind()));
    return plain.reason().map(SkipReason::detail);
  }

  @ParameterizedTest
  @CsvSource({
    "g_CLREngineMetrics, .NET",
    "DotNetRuntimeInfo, .NET",
    "coreclr_initialize, .NET",
    "DotNetRuntimeDebugHeader, '.NET, compiled ahead of time'",
    "mono_jit_init_version, Mono",
    "JNI_CreateJavaVM, Java",
    "J9_CreateJavaVM, Java",
    "graal_create_isolate, 'Java, compiled ahead of time'",
    "napi_module_register, JavaScript",
    "JsCreateRuntime, JavaScript",
    "caml_start_program, OCaml"
  })
  void aRenamedModuleIsKnownByItsExports(String export, String runtime) {
    Sketch sketch = sketch();
    sketch.builder().exports(export, "plain");
    assertEquals(Optional.of(runtime + ": it has " + export), runtime(sketch, RENAMED, List.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?GetCurrent@Isolate@v8@@SAPEAV12@XZ",
        "??0HandleScope@v8@@QEAA@PEAVIsolate@1@@Z",
        "_ZN2v87Isolate10GetCurrentEv"
      })
  void membersOfV8AreV8s(String export) {
    Sketch sketch = sketch();
    sketch.builder().exports(export, "plain");
    assertEquals(Optional.of("JavaScript: has V8 functions"), runtime(sketch, RENAMED, List.of()));
  }

  @Test
  void theGoLinkersWordsAreGo() {
    Sketch sketch = sketch();
    sketch
        .builder()
        .data()
        .fill(32, 1)
        .u8(0xFF)
        .bytes(" Go buildinf:".getBytes(StandardCharsets.US_ASCII))
        .fill(50, 0);
    assertEquals(
        Optional.of("Go: build info of the Go linker"), runtime(sketch, RENAMED, List.of()));
    Sketch elsewhere = sketch();
    // A program that only looks for them.
    elsewhere
        .builder()
        .data()
        .fill(33, 1)
        .u8(0xFF)
        .bytes(" Go buildinf:".getBytes(StandardCharsets.US_ASCII))
        .fill(50, 0);
    assertEquals(Optional.empty(), runtime(elsewhere, RENAMED, List.of()));
  }

  @Test
  void symbolTablesTellToo() {
    assertEquals(
        Optional.of("Go: it has runtime.goexit"),
        runtime(sketch(), RENAMED, List.of("runtime.goexit")));
    assertEquals(Optional.empty(), runtime(sketch(), RENAMED, List.of("runtime_goexit")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"CoreCLR.dll", "clr.dll", "jvm.dll", "mono-2.0-sgen.dll", "j9vm29.dll"})
  void namesOfProductsAreEnough(String name) {
    assertEquals(Optional.of("its name is " + name), runtime(sketch(), name, List.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"nodepad.exe", "monotone.dll", "clrtools.dll", "jvmstat.exe", "v8engine-cars.exe"})
  void namesThatOnlyBeginLikeThemAreNot(String name) {
    assertEquals(Optional.empty(), runtime(sketch(), name, List.of()));
  }

  @Test
  void whoOnlyUsesARuntimeIsNone() {
    Sketch sketch = sketch();
    // An addon of Node, native methods of Java, a library that hands the export of another on.
    sketch.builder().exports("?Init@@YAXV?$Local@VObject@v8@@@v8@@@Z", "plain");
    sketch.builder().exports("Java_Shop_open", "plain");
    sketch.builder().forwards("JNI_CreateJavaVM", "jvm.JNI_CreateJavaVM");
    assertEquals(Optional.empty(), runtime(sketch, RENAMED, List.of()));
  }

  @ParameterizedTest
  @CsvSource({
    "pe/eh/eh_probe-go1.15.15-windows-amd64-exe-cgo0-stripped-opt.exe.gz, Go",
    "pe/eh/eh_probe-go1.26.5-windows-amd64-exe-cgo0-stripped-opt.exe.gz, Go",
    "pe/toolchains/nativeaot-net70-x64.exe.gz, '.NET, compiled ahead of time'",
    "pe/toolchains/r2r-DotNetCore_win-x64.dll, ''",
    "pe/toolchains/ngen-BinSkim.win-x64.ni.dll, .NET",
    "pe/toolchains/vs2013-MixedMode_x64.dll.gz, ''",
    "pe/toolchains/vcruntime140.dll.gz, ''",
    "pe/toolchains/msvcp140.dll.gz, ''",
    "pe/toolchains/rustc158-Native_x64.exe.gz, ''"
  })
  void realModulesAreKnown(String path, String runtime) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] bytes = TestData.unpacked(TestData.file(path));
    try (InputFile file = InputFile.of(bytes, path)) {
      PeImage image = PeImage.ofFile(file);
      TargetModule module =
          new TargetModule(image.headers().imageBase(), bytes.length, "C:\\x.dll", "x.dll");
      Optional<String> found = LanguageRuntimes.of(module, image, Exports.of(image), List.of());
      assertEquals(runtime, found.map(why -> why.substring(0, why.indexOf(':'))).orElse(""), path);
    }
  }

  @Test
  void programsOf32BitsForCygwinHaveTheirOwnStacks() {
    for (boolean isWide : new boolean[] {false, true}) {
      PeBuilder builder =
          PeBuilder.library(isWide ? MachineType.AMD64 : MachineType.I386)
              .imports("cygwin1.dll", "cygwin_internal");
      builder.code().fill(64, 0xCC).label("one").code(0x8B, 0xFF, 0xC3);
      builder.exports("one", "one");
      PeImage image = PeImage.ofFile(InputFile.of(builder.build().file(), "a.dll"));
      TargetModule module = new TargetModule(0x1000_0000L, 0x3000, "C:\\a.dll", "a.dll");
      Optional<String> reason = LanguageRuntimes.of(module, image, Exports.of(image), List.of());
      assertEquals(
          isWide ? Optional.empty() : Optional.of("Cygwin: it imports cygwin1.dll"), reason);
    }
  }
}

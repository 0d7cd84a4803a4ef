package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.unwind.ArmFunctions;
import io.ntrail.formats.pe.unwind.ArmUnwind;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.EhManifest;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compares the images of group eh with the statements of their makers. */
class EhManifestsTest {
  private static final Map<String, Integer> MACHINES =
      Map.of(
          "x86", MachineType.I386,
          "x86_64", MachineType.AMD64,
          "aarch64", MachineType.ARM64,
          "arm", MachineType.ARMNT);

  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  @Test
  void headersAreWhatTheLinkerWasTold() throws IOException {
    Differences differences = new Differences();
    for (EhManifest manifest : EhManifest.all()) {
      PeImage image = SampleImages.open("eh", manifest.name());
      PeHeaders headers = image.headers();
      differences.image(manifest.name()).part("linker");
      differences.same(
          "machine",
          MACHINES.getOrDefault(manifest.architecture(), 0).longValue(),
          headers.machine());
      List<String> flags = manifest.texts("build", "linker_flags");
      if (flags.isEmpty()) {
        continue;
      }
      differences.same("/DLL", flags.contains("/DLL"), headers.is(PeHeaders.DLL));
      differences.same(
          "/DYNAMICBASE", flags.contains("/DYNAMICBASE"), headers.isDll(PeHeaders.DYNAMIC_BASE));
      differences.same(
          "/NXCOMPAT", flags.contains("/NXCOMPAT"), headers.isDll(PeHeaders.NX_COMPAT));
      // ARM64 images have it without being requested; so does every option of the kind.
      differences.same(
          "/HIGHENTROPYVA",
          flags.contains("/HIGHENTROPYVA"),
          headers.isDll(PeHeaders.HIGH_ENTROPY_VA));
      differences.same(
          "/SUBSYSTEM", flags.contains("/SUBSYSTEM:CONSOLE") ? 3L : 2L, headers.subsystem());
      differences.same(
          "/BREPRO", flags.contains("/BREPRO"), DebugDirectory.of(image).has(DebugDirectory.REPRO));
      if (manifest.text("build", "toolchain").equals("msvc")) {
        differences.same("version", "14.44", headers.linkerMajor() + "." + headers.linkerMinor());
      }
    }
    assertEquals("", String.join("\n", differences.found()));
  }

  @Test
  void whatTheManifestsDemandIsThere() throws IOException {
    Differences differences = new Differences();
    for (EhManifest manifest : EhManifest.all()) {
      PeImage image = SampleImages.open("eh", manifest.name());
      differences.image(manifest.name()).part("evidence");
      Set<String> sections = new HashSet<>();
      image.sections().forEach(section -> sections.add(section.name()));
      for (String section : manifest.requiredSections()) {
        differences.same(section, true, sections.contains(section));
      }
      Set<String> imported = new HashSet<>();
      for (Imports.Module module : Imports.of(image).modules()) {
        for (Imports.Symbol symbol : module.symbols()) {
          if (symbol.name() != null) {
            imported.add(symbol.name());
          }
        }
      }
      for (List<String> group : manifest.requiredImports()) {
        differences.same(
            "imports any of " + group, true, group.stream().anyMatch(imported::contains));
      }
      long cookie =
          LoadConfig.of(image).map(config -> config.value(Field.SECURITY_COOKIE)).orElse(0L);
      if (manifest.flag("evidence", "require_security_cookie")) {
        differences.same("security cookie", true, cookie != 0);
      }
      int functions = FunctionTable.of(image).entries().size();
      if (manifest.flag("evidence", "require_exception_directory")) {
        differences.same(
            "exception directory", true, image.directory(DataDirectory.EXCEPTION).isPresent());
      }
      if (manifest.flag("evidence", "require_unwind_records")
          || manifest.flag("evidence", "require_unwind_tables")) {
        differences.same("unwind records", true, functions + ArmFunctions.of(image).size() > 0);
      }
      if (manifest.text("evidence", "symbol_table").equals("absent")) {
        differences.same("symbols", 0, image.headers().symbolCount());
      }
      if (manifest.suite().equals("go")) {
        boolean tables = manifest.texts("evidence", "native_unwind_sections").contains(".pdata");
        differences.same("function table", tables, functions > 0);
      }
    }
    assertEquals("", String.join("\n", differences.found()));
    assertEquals(298, differences.compared());
  }

  private static boolean hasHandler(ArmUnwind unwind) {
    return unwind instanceof ArmUnwind.Described described && described.handler() != 0;
  }

  @Test
  void asManyFunctionsHaveHandlersAsTheManifestsDemand() throws IOException {
    Differences differences = new Differences();
    for (EhManifest manifest : EhManifest.all()) {
      int least =
          Math.max(
              manifest.minimum("min_exception_functions"), manifest.personalitiesAny().size() / 9);
      PeImage image = SampleImages.open("eh", manifest.name());
      FunctionTable table = FunctionTable.of(image);
      long handled =
          table.entries().stream().filter(entry -> table.chain(entry).last().hasHandler()).count()
              + ArmFunctions.of(image).stream().filter(entry -> hasHandler(entry.unwind())).count();
      differences.image(manifest.name()).part("handlers");
      differences.same("at least " + least + ", found " + handled, true, handled >= least);
      for (RuntimeFunction entry : table.entries()) {
        UnwindInfo info = table.chain(entry).last();
        if (info.hasHandler()) {
          differences.same("executable", true, image.isExecutable(info.handler()));
        }
      }
    }
    assertEquals("", String.join("\n", differences.found()));
  }
}

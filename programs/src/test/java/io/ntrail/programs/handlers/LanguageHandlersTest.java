package io.ntrail.programs.handlers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.handlers.CxxFunction;
import io.ntrail.formats.pe.handlers.FuncInfo3;
import io.ntrail.formats.pe.handlers.FuncInfo4;
import io.ntrail.formats.pe.handlers.GsData;
import io.ntrail.formats.pe.handlers.ScopeTable;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.handlers.LanguageHandler.Found;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.EhManifest;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Language handlers of real images. */
class LanguageHandlersTest {
  @BeforeAll
  static void needsData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  /** An image with its table and handlers. */
  private record Opened(PeImage image, FunctionTable table, LanguageHandlers handlers) {
    static Opened of(PeSample sample) {
      PeImage image = PeImage.ofFile(InputFile.of(sample.bytes(), sample.name()));
      FunctionTable table = FunctionTable.of(image);
      return new Opened(image, table, LanguageHandlers.of(image, table));
    }

    List<HandledFunction> functions() {
      return table.entries().stream().flatMap(entry -> handlers.of(entry).stream()).toList();
    }

    /** Returns the number of functions by handler. */
    Map<String, Integer> counts() {
      Map<String, Integer> counts = new TreeMap<>();
      for (HandledFunction function : functions()) {
        LanguageHandler handler = function.handler();
        counts.merge(handler.name() + " " + handler.found(), 1, Integer::sum);
      }
      return counts;
    }
  }

  @Test
  void everyProgramHasOneOfTheHandlersThatItsMakersName() throws IOException {
    int images = 0;
    for (EhManifest manifest : EhManifest.all()) {
      boolean windows = manifest.suite().equals("windows") || manifest.suite().equals("rust");
      if (!windows || !manifest.architecture().equals("x86_64")) {
        continue;
      }
      Opened opened = Opened.of(PeSamples.of("eh", manifest.name()));
      Set<String> names = new HashSet<>();
      for (LanguageHandler handler : opened.handlers.handlers()) {
        names.add(handler.name());
        assertTrue(handler.isKnown(), manifest.name() + " " + handler);
        assertTrue(
            handler.found() == Found.IMPORT || handler.found() == Found.CALLS,
            manifest.name() + " " + handler);
      }
      List<String> wanted = manifest.personalitiesAny();
      assertTrue(
          wanted.isEmpty() || wanted.stream().anyMatch(names::contains),
          () -> manifest.name() + " has " + names + " and should have one of " + wanted);
      images += wanted.isEmpty() ? 0 : 1;
    }
    // 46 of Microsoft's compiler and clang-cl, 6 of Rust.
    assertEquals(52, images);
  }

  @Test
  void everyProgramHasAsManyBlocksAsItsMakersCount() throws IOException {
    int compared = 0;
    for (EhManifest manifest : EhManifest.all()) {
      if (!manifest.suite().equals("windows") || !manifest.architecture().equals("x86_64")) {
        continue;
      }
      Set<Long> cxx = new HashSet<>();
      int functions = 0;
      int scopes = 0;
      int tries = 0;
      for (HandledFunction function : Opened.of(PeSamples.of("eh", manifest.name())).functions()) {
        functions++;
        switch (function.data()) {
          case HandlerData.Scopes data -> scopes += data.table().scopes().size();
          case HandlerData.Cxx data -> {
            cxx.add(function.function().begin());
            tries += data.function().tries().size();
          }
          default -> {}
        }
      }
      assertTrue(functions >= manifest.minimum("min_exception_functions"), manifest.name());
      assertTrue(cxx.size() >= manifest.minimum("min_cxx_functions"), manifest.name());
      assertTrue(scopes >= manifest.minimum("min_seh_scopes"), manifest.name());
      assertTrue(tries >= manifest.minimum("min_try_blocks"), manifest.name());
      compared++;
    }
    assertEquals(46, compared);
  }

  @Test
  void theHandlersOfWindowsAndOfOldAndNewCompilersAreFound() {
    assertEquals(
        Map.of(
            "__C_specific_handler IMPORT", 134,
            "__GSHandlerCheck DATA", 340,
            "__GSHandlerCheck_SEH CALLS", 23),
        Opened.of(PeSamples.of("windows", "kernel32.dll")).counts());
    assertEquals(
        Map.of(
            "__C_specific_handler IMPORT", 6,
            "__CxxFrameHandler4 IMPORT", 214,
            "__GSHandlerCheck DATA", 72,
            "__GSHandlerCheck_EH4 CALLS", 147),
        Opened.of(PeSamples.of("windows", "YourPhone.Exp.WinRT.dll")).counts());
    assertEquals(
        Map.of(
            "__C_specific_handler IMPORT", 8,
            "__CxxFrameHandler3 IMPORT", 294,
            "__GSHandlerCheck DATA", 31,
            "__GSHandlerCheck_EH CALLS", 179,
            "__GSHandlerCheck_SEH CALLS", 2),
        Opened.of(PeSamples.of("toolchains", "msidcrl-vs2005-x64.dll")).counts());
  }

  @Test
  void withTheRuntimeInsideTheDataTellAndThenWhoCallsIt() {
    assertEquals(
        Map.of(
            "__C_specific_handler DATA", 9,
            "__CxxFrameHandler4 DATA", 34,
            "__GSHandlerCheck DATA", 28,
            "__GSHandlerCheck_EH4 CALLS", 39,
            "__GSHandlerCheck_SEH CALLS", 1),
        Opened.of(PeSamples.of("windows", "pwsh.exe")).counts());
    assertEquals(
        Map.of(
            "__C_specific_handler EXPORT", 15,
            "__CxxFrameHandler4 DATA", 1,
            "__GSHandlerCheck DATA", 11,
            "__GSHandlerCheck_SEH CALLS", 2),
        Opened.of(PeSamples.of("toolchains", "vcruntime140.dll")).counts());
  }

  @Test
  void whatEveryHandlerReadsIsTrueOfItsFunction() {
    int scopes = 0;
    int plain = 0;
    int packed = 0;
    int cookies = 0;
    for (String group : List.of("windows", "eh", "toolchains", "win10")) {
      for (PeSample sample : PeSamples.group(group)) {
        if (sample.name().equals("_setup.dll")) {
          continue;
        }
        Opened opened = Opened.of(sample);
        for (HandledFunction function : opened.functions()) {
          String where = sample + " " + Long.toHexString(function.function().begin());
          switch (function.data()) {
            case HandlerData.Scopes data -> {
              check(opened, function, data.table(), where);
              scopes++;
            }
            case HandlerData.Cxx(FuncInfo3 info, var cookie) -> {
              check(opened, info, where);
              plain++;
            }
            case HandlerData.Cxx(FuncInfo4 info, var cookie) -> {
              check(opened, info, where);
              packed++;
            }
            case HandlerData.Cookie(GsData cookie) -> {
              assertFalse(cookie.forExceptions() || cookie.forUnwinding(), where);
              cookies++;
            }
            case HandlerData.Itanium data -> {}
            case HandlerData.Unknown data -> {}
          }
        }
      }
    }
    assertEquals(List.of(922, 1093, 973, 1652), List.of(scopes, plain, packed, cookies));
  }

  private static void check(
      Opened opened, HandledFunction function, ScopeTable table, String where) {
    assertTrue(table.damage().isEmpty(), where);
    for (ScopeTable.Scope scope : table.scopes()) {
      RuntimeFunction part = opened.table.entry(scope.begin()).orElseThrow();
      assertEquals(function.function().begin(), opened.table.primary(part).begin(), where);
      assertTrue(scope.begin() <= scope.end() && scope.end() <= part.end(), where);
      assertTrue(scope.handler() == 1 || opened.image.isExecutable(scope.handler()), where);
      assertTrue(scope.isFinally() || opened.image.isExecutable(scope.target()), where);
    }
  }

  private static void check(Opened opened, CxxFunction info, String where) {
    assertTrue(info.damage().isEmpty(), () -> where + info.damage());
    int states = info.steps().size();
    for (int state = 0; state < states; state++) {
      CxxFunction.Step step = info.steps().get(state);
      assertTrue(step.toState() >= -1 && step.toState() <= state, where);
      assertTrue(step.handler() == 0 || opened.image.isExecutable(step.handler()), where);
    }
    for (CxxFunction.Try block : info.tries()) {
      assertTrue(block.low() <= block.high() && block.high() < block.catchHigh(), where);
      assertTrue(block.low() >= 0 && block.catchHigh() < states, where);
      for (CxxFunction.Catch handler : block.catches()) {
        assertTrue(opened.image.isExecutable(handler.handler()), where);
        assertTrue(
            handler.takesAll() || handler.typeName().matches("[.][?A-Z_].*|rust_panic"),
            () -> where + handler);
      }
    }
    List<CxxFunction.IpState> rows = new ArrayList<>();
    switch (info) {
      case FuncInfo3 plain -> rows.addAll(plain.ipStates());
      case FuncInfo4 packed -> {
        packed.segments().forEach(segment -> rows.addAll(segment.ipStates()));
        assertTrue(packed.is(FuncInfo4.SEPARATED) || packed.segments().size() <= 1, where);
      }
    }
    long last = 0;
    for (CxxFunction.IpState row : rows) {
      assertTrue(row.ip() >= last, where);
      // A row after the last instruction of a function says that its last state ends.
      assertTrue(
          opened.image.isExecutable(row.ip()) || opened.image.isExecutable(row.ip() - 1), where);
      assertTrue(row.state() >= -1 && row.state() < Math.max(1, states), where);
      last = row.ip();
    }
  }

  @Test
  void damagedImagesHaveHandlersToo() {
    byte[] whole = PeSamples.of("eh", "cxx_eh_probe-msvc-x86_64-fh4-gs-o0.exe").bytes();
    Property.check(gen -> {
      byte[] bytes = whole.clone();
      int changes = 1 + gen.length(200);
      for (int i = 0; i < changes; i++) {
        // Behind the headers, so that it stays an image.
        bytes[0x400 + gen.below(bytes.length - 0x400)] = (byte) gen.bits();
      }
      try (InputFile input = InputFile.of(bytes, "damaged")) {
        PeImage image = PeImage.ofFile(input);
        FunctionTable table = FunctionTable.of(image);
        LanguageHandlers handlers = LanguageHandlers.of(image, table);
        table.entries().forEach(handlers::of);
      }
    });
  }

  @Test
  void handMadeAndMalformedImagesEndInValues() {
    int images = 0;
    for (String group : List.of("hostile", "corkami", "flags")) {
      for (PeSample sample : PeSamples.group(group)) {
        Opened opened;
        try {
          opened = Opened.of(sample);
        } catch (CannotGoOn e) {
          continue;
        }
        opened.functions();
        images++;
      }
    }
    assertTrue(images > 100, "only " + images);
  }

  @Test
  void functionsOfOneSourceCatchTheSameInBothForms() {
    for (String build : List.of("no-gs-o2", "no-gs-o0", "gs-o0")) {
      List<String> plain = catches("cxx_eh_probe-msvc-x86_64-fh3-" + build + ".exe");
      List<String> packed = catches("cxx_eh_probe-msvc-x86_64-fh4-" + build + ".exe");
      assertEquals(6, packed.size());
      assertEquals(packed, plain);
    }
  }

  /** Returns the types that the functions of a program catch. */
  private static List<String> catches(String name) {
    Map<Long, CxxFunction> infos = new TreeMap<>();
    for (HandledFunction function : Opened.of(PeSamples.of("eh", name)).functions()) {
      if (function.data() instanceof HandlerData.Cxx(CxxFunction info, var cookie)) {
        infos.put(info.rva(), info);
      }
    }
    // In the packed form each piece of code has its own blocks, in the plain one they share them.
    return infos.values().stream()
        .flatMap(info -> info.tries().stream())
        .flatMap(block -> block.catches().stream())
        .map(handler -> handler.adjectives() + handler.typeName())
        .sorted()
        .toList();
  }
}

package io.ntrail.programs.unwind.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.FrameData;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbSymbolizer;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FpoTable;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The example of a text about programs without frame pointers ({@code fpo/README.md}), built with
 * and without them, which Unicorn runs up to its breakpoint.
 */
class FramePointerOmissionTest {
  private static final int BREAKPOINT = 0xCC;
  private static final int MOST_INSTRUCTIONS = 1000;

  /** Functions of the text, innermost first. */
  private static final List<String> FUNCTIONS =
      List.of("f3", "f2", "f1", "wmain", "__tmainCRTStartup");

  private static final Path FOLDER =
      TestData.projectRoot()
          .resolve("programs/src/test/resources/io/ntrail/programs/unwind/x86/fpo");

  @TempDir Path folder;

  /** Knowledge of the program while its stack is walked. */
  private enum Known {
    SYMBOLS,
    /** Symbols whose programs leave one word too many on the stack. */
    WRONG_SYMBOLS,
    IMAGE,
    STACK
  }

  /** A walk, and what was true. */
  private record Stop(StackWalk walk, List<ExecutedCode.Call> calls) {}

  private static byte[] fixture(String name) throws IOException {
    byte[] packed = Files.readAllBytes(FOLDER.resolve(name + ".gz"));
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      return in.readAllBytes();
    }
  }

  private static PdbFile pdb(String build) throws IOException {
    return PdbFile.open(InputFile.of(fixture("fpo-" + build + ".pdb"), build + ".pdb"));
  }

  private static PeImage image(String build) throws IOException {
    return PeImage.ofFile(InputFile.of(fixture("fpo-" + build + ".exe"), build + ".exe"));
  }

  /** Walks the stack at every instruction, in the order in which they are executed. */
  private List<Stop> stops(PeImage image, Optional<PdbFile> pdb, Known known) throws IOException {
    Optional<UnicornMachine> machine = UnicornMachine.in(folder, 32);
    assumeTrue(machine.isPresent(), UnicornMachine.MISSING);
    List<Stop> stops = new ArrayList<>();
    try (ExecutedCode code = new ExecutedCode(machine.orElseThrow(), image, "fpo.exe")) {
      LoadedModules modules =
          known == Known.STACK ? address -> code.at(address).map(this::bare) : code;
      code.run(
          image.headers().entryPoint(),
          MOST_INSTRUCTIONS,
          (registers, calls) -> {
            if (isBehindBreakpoint(stops, code)) {
              return;
            }
            X86Walker walker =
                new X86Walker(
                    code,
                    modules,
                    module ->
                        module.equals(code.image())
                            ? table(known, pdb, module)
                            : FrameDataTable.NONE);
            StackWalk walk = walker.walk(registers, ExecutedCode.LIMITS);
            assertEquals(List.of(), walker.problems());
            stops.add(new Stop(walk, List.copyOf(calls)));
          });
    }
    return stops;
  }

  private static FrameDataTable table(Known known, Optional<PdbFile> pdb, LoadedModule module) {
    return switch (known) {
      case SYMBOLS -> new PdbFrameData(pdb, module.image());
      case WRONG_SYMBOLS -> new WrongPrograms(new PdbFrameData(pdb, module.image()));
      case IMAGE, STACK -> FrameDataTable.NONE;
    };
  }

  /** Frame programs that are wrong by one word. */
  private record WrongPrograms(FrameDataTable right) implements FrameDataTable {
    @Override
    public Optional<FrameData.Frame> program(long rva) {
      return right
          .program(rva)
          .map(frame ->
              new FrameData.Frame(
                  frame.begin(),
                  frame.size(),
                  frame.locals(),
                  frame.parameters(),
                  frame.maxStack(),
                  frame.program().replace("$esp $T0 4 + =", "$esp $T0 8 + ="),
                  frame.prolog(),
                  frame.savedRegisters(),
                  frame.hasSeh(),
                  frame.hasCxxEh(),
                  frame.isFunctionStart()));
    }

    @Override
    public Optional<FpoTable.Fpo> fpo(long rva) {
      return right.fpo(rva);
    }
  }

  private static boolean isBehindBreakpoint(List<Stop> stops, ExecutedCode code) {
    return !stops.isEmpty()
        && opcode(code, stops.getLast().walk.frames().getFirst().ip()) == BREAKPOINT;
  }

  private static int opcode(ExecutedCode code, long ip) {
    if (!code.image().contains(ip)) {
      return 0;
    }
    Bytes bytes = code.image().image().orElseThrow().view().bytes(ip - code.image().base(), 1);
    return bytes.u8(0);
  }

  private LoadedModule bare(LoadedModule module) {
    return new LoadedModule(module.name(), module.base(), module.size(), Optional.empty());
  }

  private static List<String> names(PdbFile pdb, long base, StackWalk walk) {
    PdbSymbolizer symbols = new PdbSymbolizer(pdb);
    List<String> names = new ArrayList<>();
    for (StackFrame frame : walk.frames().subList(0, FUNCTIONS.size())) {
      long rva = frame.ip() - base - (names.isEmpty() ? 0 : 1);
      names.add(symbols.find(rva).orElseThrow().name());
    }
    return names;
  }

  private static List<String> trust(StackWalk walk) {
    return walk.frames().stream().map(frame -> frame.trust().word()).toList();
  }

  /** Demands all callers: return address, stack pointer, and the registers that are known. */
  private static void mustBeTrue(Stop stop) {
    for (int i = 0; i < stop.calls.size(); i++) {
      ExecutedCode.Call call = stop.calls.get(i);
      assertTrue(i + 1 < stop.walk.frames().size(), () -> lines(stop));
      StackFrame frame = stop.walk.frames().get(i + 1);
      assertEquals(call.returnAddress(), frame.ip(), () -> lines(stop));
      assertEquals(call.sp(), frame.sp(), () -> lines(stop));
      for (int register : new int[] {3, 5, 6, 7}) {
        FrameRegisters registers = frame.registers();
        if (registers.isKnown(register)) {
          assertEquals(call.registers().get(register), registers.get(register), () -> lines(stop));
        }
      }
    }
  }

  private static String lines(Stop stop) {
    return stop.walk.frames().stream().map(DumpWalks::line).toList() + " not " + stop.calls;
  }

  @ParameterizedTest
  @ValueSource(strings = {"O0-omit", "O0-no-omit", "O1-omit", "O1-no-omit"})
  void withSymbolsAllFunctionsAreThereWithAndWithoutFramePointers(String build) throws IOException {
    PeImage image = image(build);
    List<Stop> stops = stops(image, Optional.of(pdb(build)), Known.SYMBOLS);
    stops.forEach(FramePointerOmissionTest::mustBeTrue);
    Stop last = stops.getLast();
    assertEquals(FUNCTIONS, names(pdb(build), image.headers().imageBase(), last.walk));
    assertEquals(
        List.of("context", "program", "program", "program", "program", "program"),
        trust(last.walk).subList(0, 6));
  }

  /** The proof has to fail when rules are wrong. */
  @ParameterizedTest
  @ValueSource(strings = {"O0-omit", "O1-omit"})
  void wrongProgramsAreNoticed(String build) throws IOException {
    List<Stop> stops = stops(image(build), Optional.of(pdb(build)), Known.WRONG_SYMBOLS);
    assertThrows(AssertionError.class, () -> mustBeTrue(stops.getLast()));
  }

  @ParameterizedTest
  @CsvSource({"O0-no-omit, 6", "O1-no-omit, 6", "O0-omit, 6", "O1-omit, 6"})
  void withoutSymbolsTheImageSaysTheSame(String build, int frames) throws IOException {
    PeImage image = image(build);
    List<Stop> stops = stops(image, Optional.empty(), Known.IMAGE);
    stops.forEach(FramePointerOmissionTest::mustBeTrue);
    Stop last = stops.getLast();
    assertEquals(FUNCTIONS, names(pdb(build), image.headers().imageBase(), last.walk));
    assertTrue(last.walk.frames().size() >= frames, () -> lines(last));
    assertTrue(
        last.walk.frames().subList(0, frames).stream()
            .noneMatch(frame -> frame.trust() == FrameTrust.PROGRAM),
        () -> lines(last));
  }

  @ParameterizedTest
  @ValueSource(strings = {"O0-no-omit", "O1-no-omit"})
  void withTheStackAloneFramePointersAreAList(String build) throws IOException {
    PeImage image = image(build);
    Stop last = stops(image, Optional.empty(), Known.STACK).getLast();
    mustBeTrue(last);
    assertEquals(
        List.of("context", "frame", "frame", "frame", "frame", "frame"),
        trust(last.walk).subList(0, 6));
  }

  @ParameterizedTest
  @ValueSource(strings = {"O0-omit", "O1-omit"})
  void withTheStackAloneAndNoFramePointersEveryFrameIsCalledAGuess(String build)
      throws IOException {
    PeImage image = image(build);
    Stop last = stops(image, Optional.empty(), Known.STACK).getLast();
    List<Long> found = last.walk.frames().stream().map(StackFrame::ip).toList();
    last.calls.forEach(call -> assertTrue(found.contains(call.returnAddress()), () -> lines(last)));
    for (StackFrame frame : last.walk.frames()) {
      boolean isTrue = last.calls.stream().anyMatch(call -> call.returnAddress() == frame.ip());
      assertTrue(
          isTrue || frame.trust() == FrameTrust.SCAN || frame.trust() == FrameTrust.CONTEXT,
          () -> lines(last));
    }
  }
}

package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.AgentStart;
import io.ntrail.live.plan.GnuUnwinder;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.windows.StandardHandles;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs of 32 bits, on a system that runs no others: they print what they print untraced, and
 * each call is accounted for.
 */
final class Trace32Test {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int GCC_EXCEPTION = 0x2047_4343;

  /** PROCESS_MITIGATION_PAYLOAD_RESTRICTION_POLICY, and its EnableRopCallerCheck. */
  private static final int PAYLOAD_RESTRICTION = 12;

  private static final int CALLER_CHECK = 1 << 8;

  @TempDir Path folder;

  private record Traced(
      UnwindSelfTest selfTest, RecorderStatistics statistics, int functions, CallTable calls) {}

  private static Path build(String source) throws IOException {
    WindowsCompiler compiler =
        source.endsWith(".cpp") ? WindowsCompiler.MINGW_CXX_32 : WindowsCompiler.MINGW_C_32;
    assumeTrue(Wine.available32(), Wine.missing32());
    assumeTrue(compiler.available(), compiler.missing());
    Path programs = TestData.projectRoot().resolve("live/src/test/programs");
    return compiler.build(List.of(programs.resolve(source)), "-O2");
  }

  private static AgentHost.Wine host() {
    Wine wine = Wine.shared32();
    return new AgentHost.Wine(wine.loader(), wine.environment());
  }

  private Agent agent() {
    return AgentStart.on(host(), MachineType.I386, LIMIT);
  }

  /** An inheritable handle for a file that is written. */
  private static long output(WindowsApi calls, Path file) {
    Agent agent = calls.agent();
    agent.poke(agent.scratch(), new BytesBuilder(12).u32(12).u32(0).u32(1).toArray());
    long name = agent.scratch() + 0x1000;
    agent.poke(name, new BytesBuilder(256).utf16z(host().name(file)).toArray());
    return calls.must(
        "an output file",
        "kernel32!CreateFileW",
        name,
        0x4000_0000,
        7,
        agent.scratch(),
        2,
        0x80,
        0);
  }

  /** Runs a program with and without tracing; what it prints, and how it ends, is the same. */
  private Traced same(Agent agent, Path program, Set<String> stems, String... more)
      throws IOException {
    List<String> words = Stream.concat(Stream.of(program.toString()), Stream.of(more)).toList();
    Path said = folder.resolve("said");
    Path file = folder.resolve("calls.ntr");
    TraceSettings how =
        new TraceSettings(file, 0, BufferSettings.fixed(256, true), 64, 0, 0, "test");
    UnwindSelfTest selfTest;
    RecorderStatistics statistics;
    int functions;
    OptionalInt exit = OptionalInt.empty();
    try (TraceTarget target =
            TraceTarget.start(
                host(), agent, words, calls -> new StandardHandles(0, output(calls, said), 0));
        TraceRun run = TraceRun.prepare(target, how)) {
      assertEquals("x86", target.architecture());
      selfTest = run.selfTest();
      run.begin(target.plan(new ProgramFunctions(stems)));
      functions = run.plan().patched();
      while (exit.isEmpty()) {
        exit = run.await(20);
      }
      statistics = run.finish(exit);
    }
    Wine.Outcome untraced =
        Wine.shared32().run(folder, new byte[0], LIMIT, words.toArray(String[]::new));
    assertEquals(untraced.text(), Files.readString(said, StandardCharsets.ISO_8859_1));
    assertEquals(untraced.exitCode(), exit.getAsInt() & 0xFF, "exit code");
    return new Traced(selfTest, statistics, functions, CallTable.read(file));
  }

  private Traced exact(Path program, Set<String> stems, String... more) throws IOException {
    Traced traced = same(agent(), program, stems, more);
    assertTrue(traced.selfTest.passed(), traced.selfTest.why());
    CallTable calls = traced.calls;
    String all = traced.statistics + "\n" + calls.byFunction();
    assertEquals(0, traced.statistics.allDropped(), all);
    assertEquals(0, traced.statistics.noTable(), all);
    assertEquals(0, traced.statistics.damaged(), all);
    assertEquals(0, traced.statistics.unknownFunctions(), all);
    assertEquals("[]", calls.gaps());
    assertEquals(0, calls.all().lostEntries(), all);
    for (CallTable.Row row : calls.byFunction().values()) {
      assertEquals(row.entries, row.returned + row.unwound + row.open + row.inferred, all);
      assertEquals(row.exits, row.returned, all);
    }
    return traced;
  }

  private static CallTable.Row row(Traced traced, String function) {
    CallTable.Row row = traced.calls.byFunction().get(function);
    assertNotNull(row, () -> function + ": " + traced.calls.byFunction());
    return row;
  }

  private static void returned(Traced traced, String function, long count) {
    CallTable.Row row = row(traced, function);
    assertEquals(count, row.entries, row::toString);
    assertEquals(count, row.returned, row::toString);
  }

  private static void unwound(Traced traced, String function, long count) {
    CallTable.Row row = row(traced, function);
    assertEquals(count, row.unwound, row::toString);
    assertEquals(row.entries, row.returned + row.unwound, row::toString);
  }

  private static void abandoned(Traced traced, String function, long count, long returned) {
    CallTable.Row row = row(traced, function);
    assertEquals(count, row.inferred, row::toString);
    assertEquals(returned, row.returned, row::toString);
  }

  @Test
  void callsOfTheProgramAndOfTheSystemBelowItAreWhole() throws IOException {
    Traced traced = exact(build("counts.c"), Set.of("msvcrt", "kernel32", "kernelbase", "ntdll"));
    assertTrue(traced.functions > 5000, () -> traced.functions + " functions");
    returned(traced, "leaf", 1010);
    returned(traced, "fib", 1973);
    // A stack has 256 slots, of which the callers of main have a few; what is deeper has no exits.
    CallTable.Row deep = row(traced, "deep");
    long ended = deep.returned - 201;
    assertTrue(ended > 2 * 240 && ended <= 2 * 256, deep::toString);
    assertEquals(201 + 301 + 2001, deep.returned + deep.entriesOnly, deep::toString);
    returned(traced, "mixed", 1);
    returned(traced, "after", 10);
  }

  @Test
  void exceptionsOfGnuCxxLeaveTracedFunctionsAsIfNothingWereThere() throws IOException {
    left(exact(build("throws.cpp"), Set.of()));
  }

  private static void left(Traced traced) {
    unwound(traced, "thrower", 8);
    assertEquals(Map.of(GCC_EXCEPTION, 8L), row(traced, "thrower").left);
    unwound(traced, "through1", 6);
    unwound(traced, "through2", 8);
    unwound(traced, "rethrower", 2);
    unwound(traced, "changer", 2);
    unwound(traced, "ladder", 11);
    returned(traced, "catcher", 3);
    returned(traced, "nested", 3);
    returned(traced, "plain", 100);
  }

  /** Builds what has its unwinder in a library, and puts both and a program into the folder. */
  private Path shared(String source, String name, String... options) throws IOException {
    WindowsCompiler compiler = WindowsCompiler.MINGW_CXX_SHARED_32;
    assumeTrue(Wine.available32(), Wine.missing32());
    assumeTrue(compiler.available(), compiler.missing());
    for (String library : List.of("libgcc_s_dw2-1.dll", "libstdc++-6.dll")) {
      Files.copy(WindowsCompiler.runtime32(library), folder.resolve(library));
    }
    Path programs = TestData.projectRoot().resolve("live/src/test/programs");
    return Files.copy(
        compiler.build(List.of(programs.resolve(source)), options), folder.resolve(name));
  }

  @Test
  void exceptionsOfGnuCxxWhoseUnwinderIsALibraryLeaveTracedFunctionsTheSameWay()
      throws IOException {
    Path program = shared("throws.cpp", "throws.exe", "-O2");
    left(exact(program, Set.of()));
    // With what throws, catches and unwinds.
    left(exact(program, Set.of("libstdc++-6", "libgcc_s_dw2-1")));
  }

  @Test
  void onlyEntriesAreRecordedOfALibraryWhoseUnwinderCameLaterThanTracing() throws IOException {
    Path library = shared("throwing.cpp", "throwing.dll", "-O2", "-shared");
    Path program = Files.copy(build("loads.c"), folder.resolve("loads.exe"));
    Traced traced =
        exact(program, Set.of("throwing"), "throw", "1", "1", "-", host().name(library));
    returned(traced, "begins", 1);
    // Twenty calls, whose depths are 0 to 7 in turn.
    assertEquals(20, row(traced, "caught").entriesOnly, row(traced, "caught")::toString);
    assertEquals(
        2 * 36 + 1 + 2 + 3 + 4, row(traced, "deeper").entriesOnly, row(traced, "deeper")::toString);
    assertEquals(0, row(traced, "caught").entries + row(traced, "deeper").entries);
  }

  @Test
  void framesLeftByAJumpToARegisteredHandlerAreAbandoned() throws IOException {
    WindowsCompiler compiler = WindowsCompiler.CLANG_GNU_32;
    assumeTrue(Wine.available32(), Wine.missing32());
    assumeTrue(compiler.available(), compiler.missing());
    Path programs = TestData.projectRoot().resolve("live/src/test/programs");
    Traced traced =
        exact(
            compiler.build(
                List.of(programs.resolve("sjlj.cpp"), programs.resolve("sjljruntime.c")),
                "-O1",
                "-fsjlj-exceptions"),
            Set.of());
    // Nothing tells of the jump: the next record of a caller does.
    abandoned(traced, "_through", 25, 10);
    abandoned(traced, "_without", 25, 10);
    abandoned(traced, "_changer", 5, 0);
    returned(traced, "_catcher", 30);
    returned(traced, "_plain", 135);
  }

  @Test
  void longJumpsLeaveFramesAtTheirTime() throws IOException {
    Traced traced = exact(build("jump.c"), Set.of());
    unwound(traced, "down", 7 + 8 + 9);
    returned(traced, "calm", 106);
    returned(traced, "round_trip", 3);
    assertTrue(row(traced, "calm").deepest <= 8, row(traced, "calm")::toString);
  }

  private static void unwound(Traced traced, String function, Map<Integer, Long> codes) {
    CallTable.Row row = row(traced, function);
    assertEquals(codes, row.left, row::toString);
    unwound(traced, function, codes.values().stream().mapToLong(Long::longValue).sum());
  }

  @Test
  void structuredExceptionsLeaveFunctionsWithTheirCodes() throws IOException {
    assumeTrue(Wine.available32(), Wine.missing32());
    Traced traced = exact(Machine.X86.build(List.of(), "seh.c"), Set.of());
    unwound(traced, "access_violation", Map.of(0xC0000005, 2L));
    unwound(traced, "divide", Map.of(0xC0000094, 1L));
    unwound(traced, "raise_for_good", Map.of(0xE0002004, 1L));
    unwound(traced, "passing", Map.of(0xE0001003, 1L));
    unwound(traced, "colliding", Map.of(0xE0001008, 1L));
    unwound(
        traced, "middle", Map.of(0xC0000005, 1L, 0xC0000094, 1L, 0xE0001003, 4L, 0xE0002004, 1L));
    // In the filter of another, after one that was continued, and one that another overtook.
    assertEquals(
        Map.of(0xE0001003, 4L, 0xE0001006, 1L, 0xE0001008, 2L, 0xE0001009, 3L),
        row(traced, "raise").left);
    returned(traced, "continuing", 1);
    returned(traced, "in_filter", 1);
    returned(traced, "busy_filter", 1);
    returned(traced, "collided", 1);
    // The deepest, and what it calls, has more frames than there are slots.
    CallTable.Row levels = row(traced, "levels");
    assertEquals(Set.of(0xE0001009), levels.left.keySet(), levels::toString);
    long deepest = levels.unwound - (4 + 16 + 76);
    assertTrue(deepest > 240 && deepest < 256, levels::toString);
  }

  @Test
  void registrationsThatAreMadeByHandUnwindAndJump() throws IOException {
    Path program = build("byhand.c");
    handMade(exact(program, Set.of()));
    if (Boolean.getBoolean("ntrail.long")) {
      handMade(exact(program, Set.of("ntdll", "kernelbase")));
    }
  }

  /** Forty exceptions that pass one to five frames; every second one an inner registration. */
  private static void handMade(Traced traced) {
    unwound(traced, "through", Map.of(0xE0000042, 60L, 0xE0000043, 60L));
    unwound(traced, "raises", Map.of(0xE0000042, 20L, 0xE0000043, 20L));
    unwound(traced, "inner", Map.of(0xE0000043, 20L));
    assertEquals(20, row(traced, "inner").returned);
    returned(traced, "outer", 40);
    returned(traced, "plain", 40);
  }

  @Test
  void longJumpsOfARuntimeThatIsLoadedLaterAreRecorded() throws IOException {
    Traced traced = exact(build("jump.c"), Set.of("msvcr100"), "msvcr100.dll");
    unwound(traced, "down", 7 + 8 + 9);
    assertTrue(row(traced, "calm").deepest <= 8, row(traced, "calm")::toString);
    Traced alone = exact(build("jump.c"), Set.of(), "msvcr120.dll");
    unwound(alone, "down", 7 + 8 + 9);
  }

  @Test
  void programsOf64BitsAreRefusedByNameWhereNoneOfThemRuns() throws IOException {
    assumeTrue(Wine.available32(), Wine.missing32());
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path program = Machine.X64.build(List.of(), "counts.c");
    CannotGoOn told =
        assertThrows(
            CannotGoOn.class, () -> TraceTarget.start(host(), List.of(program.toString())));
    assertEquals(CannotGoOn.Reason.NOT_POSSIBLE, told.reason());
    assertEquals(
        program + " is a 64-bit program, and this system runs 32-bit programs alone",
        told.message());
  }

  @Test
  void onlyEntriesAreRecordedWhereTheUnwinderTakesNoDescription() throws IOException {
    Path program =
        shared("counts.c", "counts.exe", "-O2", "-x", "c", "-Wl,-u,__Unwind_RaiseException");
    Path library = folder.resolve(GnuUnwinder.LIBRARY);
    // As one that has no such function: it exports another name, at the same place in order.
    String bytes = Files.readString(library, StandardCharsets.ISO_8859_1);
    Files.writeString(
        library,
        bytes.replace("__register_frame_info\0", "__register_frame_infp\0"),
        StandardCharsets.ISO_8859_1);
    Traced traced = same(agent(), program, Set.of());
    assertFalse(traced.selfTest.passed());
    assertEquals(
        GnuUnwinder.LIBRARY + " does not export __register_frame_info", traced.selfTest.why());
    CallTable.Row leaf = row(traced, "leaf");
    assertEquals(1010, leaf.entriesOnly, leaf::toString);
    assertEquals(0, leaf.entries, leaf::toString);
  }

  @Test
  void whoeverEndsWhileItStartsIsSaidToHaveDoneSo() throws IOException {
    Path program = build("jump.c");
    Agent agent = agent();
    Assembler a = Assembler.ia32();
    a.mov(Reg32.EAX, Mem.ptr(Reg32.ESP).plus(4)).push(0xC000_0142).push(Reg32.EAX);
    a.mov(Reg32.EAX, agent.resolve("kernel32.dll", "TerminateProcess")).call(Reg32.EAX);
    a.mov(Reg32.EAX, 1).ret(16);
    // What is asked first of a program that was started.
    Tracing.replace(agent, "kernel32!GetProcessMitigationPolicy", a.assemble().bytes());
    CannotGoOn told =
        assertThrows(CannotGoOn.class, () -> same(agent, program, Set.of()).statistics());
    assertEquals(
        program.getFileName() + " ended while it started, with exit code 0xc0000142",
        told.message());
  }

  @Test
  void whoeverEndsBeforeItsFirstInstructionIsSaidToHaveDoneSo() throws IOException {
    Path program = build("jump.c");
    try (TraceTarget target =
        TraceTarget.start(
            host(),
            agent(),
            List.of(program.toString()),
            calls -> new StandardHandles(0, output(calls, folder.resolve("said")), 0))) {
      target.process().kill(7);
      CannotGoOn told =
          assertThrows(CannotGoOn.class, () -> target.plan(new ProgramFunctions(Set.of("ntdll"))));
      assertEquals(
          program.getFileName() + " ended while it started, with exit code 7", told.message());
    }
  }

  @Test
  void onlyEntriesAreRecordedWhereTheSystemChecksReturnAddresses() throws IOException {
    Path program = build("jump.c");
    Agent agent = agent();
    Assembler a = Assembler.ia32();
    Label other = a.label("another policy");
    a.mov(Reg32.EAX, Mem.ptr(Reg32.ESP).plus(12)).mov(Mem.ptr(Reg32.EAX).as32(), 0);
    a.cmp(Mem.ptr(Reg32.ESP).plus(8).as32(), PAYLOAD_RESTRICTION).jne(other);
    a.mov(Mem.ptr(Reg32.EAX).as32(), CALLER_CHECK).bind(other).mov(Reg32.EAX, 1).ret(16);
    Tracing.replace(agent, "kernel32!GetProcessMitigationPolicy", a.assemble().bytes());
    Traced traced = same(agent, program, Set.of());
    assertFalse(traced.selfTest.passed());
    assertTrue(traced.selfTest.why().contains("CallerCheck"), traced.selfTest.why());
    CallTable.Row calm = row(traced, "calm");
    assertEquals(106, calm.entriesOnly, calm::toString);
    assertEquals(0, calm.entries, calm::toString);
  }
}

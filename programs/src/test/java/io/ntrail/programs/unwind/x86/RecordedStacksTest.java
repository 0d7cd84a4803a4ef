package io.ntrail.programs.unwind.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.StackWalk.End;
import io.ntrail.testkit.breakpad.BreakpadSymbols;
import io.ntrail.testkit.breakpad.StackwalkText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Stacks of dumps whose frames others have printed. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class RecordedStacksTest {
  private static final Pattern THREAD = Pattern.compile(" *- thread_id: (\\d+)");
  private static final Pattern ADDRESS = Pattern.compile(" *instruction_addr: \"0x(\\w+)\"");

  private static DumpWalks windows() throws IOException {
    return DumpWalks.of("sentry/windows.dmp")
        .pdb("crash.exe", "sentry/crash.exe", "sentry/crash.pdb");
  }

  private static DumpWalks minidump2() throws IOException {
    return DumpWalks.of("breakpad/minidump2.dmp");
  }

  /** Instruction addresses by thread in a snapshot of symbolicator. */
  private static Map<Long, List<Long>> addresses(String snapshot) throws IOException {
    Map<Long, List<Long>> threads = new LinkedHashMap<>();
    List<Long> frames = new ArrayList<>();
    for (String line : DumpWalks.text(snapshot).lines().toList()) {
      Matcher thread = THREAD.matcher(line);
      Matcher address = ADDRESS.matcher(line);
      if (thread.matches()) {
        frames = new ArrayList<>();
        threads.put(Long.parseLong(thread.group(1)), frames);
      } else if (address.matches()) {
        frames.add(Long.parseLong(address.group(1), 16));
      }
    }
    return threads;
  }

  /** Symbolicator prints the return address, or the address before it where it has symbols. */
  private static boolean isAt(StackFrame frame, long address) {
    return frame.ip() == address || frame.ip() - 1 == address;
  }

  private static List<Long> matching(StackWalk walk, List<Long> addresses) {
    return addresses.stream()
        .filter(address -> walk.frames().stream().anyMatch(frame -> isAt(frame, address)))
        .toList();
  }

  @Test
  void theFiveFramesOfACrashAreFoundWithItsPdb() throws IOException {
    StackWalk walk = windows().walk(1636);
    assertEquals(
        List.of(
            "context 002a2a3d",
            "program 002a2d97",
            "program 750662c4",
            "frame 771d0f79",
            "frame 771d0f44"),
        DumpWalks.lines(walk));
    assertEquals(End.END_OF_STACK, walk.end());
  }

  @Test
  void everyFrameOfSymbolicatorIsFoundInEveryThread() throws IOException {
    Map<Long, List<Long>> threads = addresses("sentry/minidump_windows.snap");
    assertEquals(List.of(1636L, 3580L, 2600L, 2920L), List.copyOf(threads.keySet()));
    DumpWalks dump = windows();
    threads.forEach((id, frames) -> assertEquals(frames, matching(dump.walk(id), frames)));
  }

  @Test
  void aFrameThatNeedsTheSymbolsOfWindowsIsFoundByTheReturnInstructionOfASystemCall()
      throws IOException {
    Map<Long, List<Long>> threads = addresses("sentry/integration_microsoft.snap");
    DumpWalks dump = windows();
    for (long id : List.of(3580L, 2600L)) {
      List<Long> expected = threads.getOrDefault(id, List.of());
      StackWalk walk = dump.walk(id);
      assertEquals(expected, matching(walk, expected));
      assertEquals(expected.size(), walk.frames().size());
      assertEquals("frame 771a6a11", DumpWalks.line(walk.frames().get(1)));
    }
    List<Long> last = threads.getOrDefault(2920L, List.of());
    assertEquals(2, last.size());
    assertEquals(last, matching(dump.walk(2920), last));
  }

  private static void assertSameFrames(List<StackwalkText.Frame> expected, StackWalk walk) {
    assertEquals(expected.size(), walk.frames().size());
    for (int i = 0; i < expected.size(); i++) {
      StackFrame frame = walk.frames().get(i);
      expected.get(i).registers().keySet().removeIf(name -> name.startsWith("ef"));
      expected
          .get(i)
          .registers()
          .forEach((name, value) ->
              assertEquals(
                  value,
                  DumpWalks.register(frame.registers(), name).orElse(-1L),
                  name + " of " + DumpWalks.line(frame)));
    }
  }

  @Test
  void framesAndRegistersAreThoseOfBreakpadWithItsSymbolFiles() throws IOException {
    StackWalk walk =
        minidump2()
            .symbols("test_app.exe", "breakpad/test_app.sym")
            .symbols("kernel32.dll", "breakpad/kernel32.sym")
            .walk(3060);
    assertSameFrames(
        StackwalkText.of(DumpWalks.text("breakpad/minidump2.stackwalk.out")).frames(0), walk);
    assertEquals(
        List.of("context 0040429e", "program 00404200", "program 004053ec", "program 7c816fd7"),
        DumpWalks.lines(walk));
    assertEquals(End.END_OF_STACK, walk.end());
  }

  @Test
  void framesAndRegistersAreThoseOfRustMinidumpWithOneSymbolFile() throws IOException {
    StackWalk walk = minidump2().symbols("test_app.exe", "breakpad/test_app.sym").walk(3060);
    assertSameFrames(
        StackwalkText.of(DumpWalks.text("rust-minidump/human-symbols.snap")).frames(0), walk);
  }

  @Test
  void framesAndRegistersAreThoseOfRustMinidumpWithoutSymbols() throws IOException {
    StackWalk walk = minidump2().walk(3060);
    assertSameFrames(StackwalkText.of(DumpWalks.text("rust-minidump/human.snap")).frames(0), walk);
    assertEquals(
        List.of("context 0040429e", "frame 00404200", "frame 004053ec", "frame 7c816fd7"),
        DumpWalks.lines(walk));
    assertEquals(End.END_OF_STACK, walk.end());
  }

  @Test
  void namesAndLinesOfTheFramesAreInTheSymbolFile() throws IOException {
    BreakpadSymbols symbols = BreakpadSymbols.of(DumpWalks.text("breakpad/test_app.sym"));
    List<String> found = new ArrayList<>();
    for (StackFrame frame : minidump2().walk(3060).frames().subList(0, 3)) {
      long rva = frame.ip() - 0x40_0000 - (found.isEmpty() ? 0 : 1);
      BreakpadSymbols.Function function = symbols.function(rva).orElseThrow();
      found.add(function.name() + ":" + function.line(rva).orElseThrow().number());
    }
    assertEquals(
        List.of("`anonymous namespace'::CrashFunction:58", "main:65", "__tmainCRTStartup:327"),
        found);
    assertTrue(symbols.stack().size() > 1000);
  }
}

package io.ntrail.programs.unwind.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.ReferenceMinidump;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Stacks of all shared dumps of 32-bit programs, without symbols, beside those of Breakpad's {@code
 * minidump_stackwalk} of 2025 (commit 418aacd61789), which printed the expected text: for each
 * frame how it was found, eip, esp, ebp. It leaves out the thread that wrote the dump.
 */
@EnabledIf("available")
class BreakpadWalksTest {
  private static final int RETURN = 0xC3;
  private static final int RETURN_AND_POP = 0xC2;

  private static final int ADD_ESP_4 = 0x04C483;

  /** Frames of a thread: Breakpad's and ours. */
  private record Pair(
      String thread, DumpSpace memory, List<String> theirs, List<StackFrame> ours) {}

  private static final List<Pair> PAIRS = new ArrayList<>();

  static boolean available() {
    return TestData.available();
  }

  @BeforeAll
  static void walkAll() throws IOException {
    for (Map.Entry<String, Map<Integer, List<String>>> dump : expected().entrySet()) {
      DumpWalks walks = DumpWalks.of(dump.getKey());
      DumpSpace memory = new DumpSpace(walks.dump(), Map.of());
      dump.getValue()
          .forEach((number, frames) -> {
            ReferenceMinidump.Thread thread = walks.dump().threads().get(number);
            PAIRS.add(
                new Pair(
                    dump.getKey() + " " + number,
                    memory,
                    frames,
                    walks.walk(thread.id()).frames()));
          });
    }
  }

  private static Map<String, Map<Integer, List<String>>> expected() throws IOException {
    Map<String, Map<Integer, List<String>>> dumps = new LinkedHashMap<>();
    Map<Integer, List<String>> threads = new LinkedHashMap<>();
    List<String> frames = new ArrayList<>();
    try (InputStream in =
        Objects.requireNonNull(
            BreakpadWalksTest.class.getResourceAsStream("BreakpadWalks.expected.txt"))) {
      String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      for (String line : text.lines().toList()) {
        String[] words = line.split(" ", 2);
        if (words[0].equals("dump")) {
          threads = new LinkedHashMap<>();
          dumps.put(words[1], threads);
        } else if (words[0].equals("thread")) {
          frames = new ArrayList<>();
          threads.put(Integer.parseInt(words[1]), frames);
        } else {
          frames.add(words[1]);
        }
      }
    }
    return dumps;
  }

  private static String line(StackFrame frame) {
    return "%08x %08x %08x"
        .formatted(frame.ip(), frame.sp(), frame.registers().get(FrameRegisters.BP));
  }

  private static List<String> lines(Pair pair) {
    return pair.ours.stream().map(BreakpadWalksTest::line).toList();
  }

  @Test
  void atLeast95PercentOfTheFramesOfBreakpadAreFound() {
    int all = 0;
    int found = 0;
    List<String> missing = new ArrayList<>();
    for (Pair pair : PAIRS) {
      List<String> ours = lines(pair);
      for (String frame : pair.theirs) {
        all++;
        if (ours.contains(frame)) {
          found++;
        } else {
          missing.add(pair.thread + ": " + frame);
        }
      }
    }
    assertEquals(783, all);
    assertTrue(found >= all * 95 / 100, found + " of " + all + ", not " + missing);
  }

  @Test
  void framesOfBreakpadThatAreNotFoundAreThoseThatItScannedForInAFrameWithKnownCode() {
    List<String> missing = new ArrayList<>();
    for (Pair pair : PAIRS) {
      List<String> ours = lines(pair);
      pair.theirs.stream()
          .filter(frame -> !ours.contains(frame))
          .forEach(frame -> missing.add(pair.thread + ": " + frame.substring(0, 8)));
    }
    // The code that was captured around main restores esp from ebp, so that its caller is at ebp;
    // the PDB says the same caller (RecordedStacksTest).
    assertEquals(
        List.of(
            "sentry/windows.dmp 0: 002a28d0",
            "sentry/windows.dmp 0: 7584e9c0",
            "sentry/windows.dmp 0: 70b7ae40",
            "sentry/windows.dmp 0: 7584e9c0",
            "sentry/windows.dmp 0: 002a3435"),
        missing);
  }

  @Test
  void framesThatBreakpadDoesNotHaveAreThoseBehindAReturnInstruction() {
    int behindReturns = 0;
    List<String> others = new ArrayList<>();
    for (Pair pair : PAIRS) {
      List<String> ours = lines(pair);
      for (int i = 0; i < ours.size(); i++) {
        if (pair.theirs.contains(ours.get(i))) {
          continue;
        }
        if (i == 1 && isReturnTo(pair, pair.ours.get(1))) {
          behindReturns++;
        } else {
          others.add(pair.thread + ": " + DumpWalks.line(pair.ours.get(i)));
        }
      }
    }
    assertEquals(48, behindReturns);
    // The code on the stack was called; the word at esp says from where.
    assertEquals("breakpad/exec_av_on_stack.dmp 0: scan 00d510ae", others.getFirst());
    // Threads that wrote their own dump: the stack is from before they asked for their registers.
    Set<String> writers =
        Set.of("breakpad/tiny-exe-with-cet-xsave-x86.dmp 0", "sentry/windows.dmp 3");
    assertEquals(
        writers,
        others.stream().skip(1).map(o -> o.replaceFirst(":.*", "")).collect(Collectors.toSet()));
  }

  /**
   * Returns true if a thread stands at a return instruction that goes to a frame: in the stub of a
   * system call, behind {@code add esp, 4} in those of 32-bit programs under Windows 7 x64.
   */
  private static boolean isReturnTo(Pair pair, StackFrame frame) {
    StackFrame first = pair.ours.getFirst();
    Bytes code = pair.memory.read(first.ip(), 4);
    int skipped = (code.i32(0) & 0xFF_FFFF) == ADD_ESP_4 ? 3 : 0;
    int opcode = code.u8(skipped);
    return (opcode == RETURN || opcode == RETURN_AND_POP)
        && pair.memory.read(first.sp() + (skipped > 0 ? 4 : 0), 4).u32(0) == frame.ip();
  }
}

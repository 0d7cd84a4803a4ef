package io.ntrail.analysis.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.calls.CallSource.Matching;
import io.ntrail.testkit.calls.RandomCalls.Kind;
import io.ntrail.testkit.calls.RandomCalls.Rec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Unwinders record the frame that they go to and their own stack pointer. The calls between are
 * left when it begins, unless they return.
 *
 * <p>In these records, times are 10, 20, 30 and so on. Function 1 has the key 9000h and registers a
 * handler at 8FE0h; it calls 2 (key 8F00h), which calls 3 (8E00h). An unwinder that they call has
 * the stack pointer 8000h.
 */
class UnwindTargetsTest {
  private static final long TARGET = 0x8FE0;
  private static final long POINTER = 0x8000;
  private static final long ACCESS_VIOLATION = 0xC000_0005L;
  private static final long LONG_JUMP = 0x8000_0026L;
  private static final long NO_EXCEPTION = 0xC000_0027L;

  private final List<Rec> records = new ArrayList<>();

  private long time() {
    return 10L * (records.size() + 1);
  }

  private void entry(int function, int area, int slot, long key) {
    records.add(new Rec(Kind.ENTRY, time(), function, 0x401000, area, slot, key));
  }

  private void exit(int function, int area, int slot, long key) {
    records.add(new Rec(Kind.EXIT, time(), function, 7, area, slot, key));
  }

  private void unwinder(long code, int area, long target, long pointer) {
    records.add(new Rec(Kind.UNWIND_TARGET, time(), 0, code, area, 3, target, pointer));
  }

  /** 1 calls 2, which calls 3, at 10, 20 and 30. */
  private void threeCalls() {
    entry(1, 5, 0, 0x9000);
    entry(2, 5, 1, 0x8F00);
    entry(3, 5, 2, 0x8E00);
  }

  private List<String> calls() {
    List<String> calls = new ArrayList<>();
    CallRecording recording = new CallRecording(RecordedCalls.of(Matching.SLOT, records));
    for (CallWalk call = recording.walk(0); call.next(); ) {
      String end = call.exit().isPresent() ? " " + call.exit().getAsLong() : "";
      String value = call.end() == CallEnd.UNWIND ? " " + Long.toHexString(call.value()) : "";
      calls.add(
          "%s%d %s%s%s".formatted("-".repeat(call.depth()), call.function(), call.end(), end, value)
              + (call.lostEntry() ? " lost" : ""));
    }
    return calls;
  }

  @Test
  void callsUpToTheTargetThatDoNotReturnAreLeftWhenTheUnwinderBegins() {
    threeCalls();
    unwinder(ACCESS_VIOLATION, 5, TARGET, POINTER); // 40
    exit(1, 5, 0, 0x9000);
    assertEquals(
        List.of("1 RETURN 50", "-2 UNWIND 40 c0000005", "--3 UNWIND 40 c0000005"), calls());
  }

  @Test
  void handlersThatReturnAreCallsLikeOthers() {
    threeCalls();
    entry(9, 5, 3, 0x8400); // a handler, which has the unwinder called
    unwinder(ACCESS_VIOLATION, 5, TARGET, POINTER); // 50
    entry(8, 5, 4, 0x7F00); // what it calls
    exit(8, 5, 4, 0x7F00);
    exit(9, 5, 3, 0x8400); // 80
    exit(1, 5, 0, 0x9000);
    assertEquals(
        List.of(
            "1 RETURN 90",
            "-2 UNWIND 50 c0000005",
            "--3 UNWIND 50 c0000005",
            "---9 RETURN 80",
            "----8 RETURN 70"),
        calls());
  }

  @Test
  void theLastOfSeveralUnwindersCounts() {
    threeCalls();
    unwinder(ACCESS_VIOLATION, 5, 0x8E80, POINTER); // 40: up to 3 only
    unwinder(0xE06D_7363L, 5, TARGET, 0x7000); // 50: an exception in what that one calls
    exit(1, 5, 0, 0x9000);
    assertEquals(
        List.of("1 RETURN 60", "-2 UNWIND 50 e06d7363", "--3 UNWIND 50 e06d7363"), calls());
  }

  @Test
  void anUnwinderThatHasNoExceptionKeepsTheCode() {
    threeCalls();
    unwinder(LONG_JUMP, 5, TARGET, POINTER); // 40
    unwinder(NO_EXCEPTION, 5, 0x8E80, 0x7F00); // 50: called by the long jump
    exit(1, 5, 0, 0x9000);
    assertEquals(
        List.of("1 RETURN 60", "-2 UNWIND 40 80000026", "--3 UNWIND 50 80000026"), calls());
  }

  @Test
  void callsThatAnUnwinderWasAboutToLeaveAreNotOpenAtTheEnd() {
    threeCalls();
    unwinder(NO_EXCEPTION, 5, TARGET, POINTER); // 40
    assertEquals(List.of("1 OPEN", "-2 UNWIND 40 c0000027", "--3 UNWIND 40 c0000027"), calls());
  }

  @Test
  void withoutARecordOfTheUnwinderTheSameCallsAreAbandoned() {
    threeCalls();
    exit(1, 5, 0, 0x9000);
    assertEquals(List.of("1 RETURN 40", "-2 INFERRED 40", "--3 INFERRED 40"), calls());
  }

  @Test
  void itsStackPointerTellsTheStackAndNotTheAreaOfTheLastTracedCall() {
    threeCalls();
    entry(4, 6, 0, 0x3000); // a fiber's
    // The thread is on the first stack again, where nothing was called yet.
    unwinder(ACCESS_VIOLATION, 6, TARGET, POINTER); // 50
    exit(1, 5, 0, 0x9000);
    assertEquals(
        List.of("1 RETURN 60", "-2 UNWIND 50 c0000005", "--3 UNWIND 50 c0000005", "4 OPEN"),
        calls());
  }

  @Test
  void withoutAStackPointerTheAreaTellsTheStack() {
    threeCalls();
    entry(4, 6, 0, 0x3000);
    unwinder(ACCESS_VIOLATION, 5, TARGET, 0); // 50
    assertEquals(
        List.of("1 OPEN", "-2 UNWIND 50 c0000005", "--3 UNWIND 50 c0000005", "4 OPEN"), calls());
  }

  @Test
  void anUnwindWithoutATargetLeavesAllCallsOfItsStack() {
    threeCalls();
    entry(4, 6, 0, 0x9800);
    unwinder(NO_EXCEPTION, 5, 0, POINTER); // 50
    assertEquals(
        List.of(
            "1 UNWIND 50 c0000027", "-2 UNWIND 50 c0000027", "--3 UNWIND 50 c0000027", "4 OPEN"),
        calls());
  }

  @Test
  void anEntryAboveTheUnwinderShowsThatItIsDone() {
    threeCalls();
    unwinder(ACCESS_VIOLATION, 5, TARGET, POINTER); // 40
    entry(8, 5, 3, 0x7F00); // below it: called by it
    exit(8, 5, 3, 0x7F00);
    // 1 has caught the exception, and calls with more arguments than 2 had: deeper than its frame.
    entry(4, 5, 2, 0x8D80);
    exit(4, 5, 2, 0x8D80); // 80
    exit(1, 5, 0, 0x9000);
    assertEquals(
        List.of(
            "1 RETURN 90",
            "-2 UNWIND 40 c0000005",
            "--3 UNWIND 40 c0000005",
            "---8 RETURN 60",
            "-4 RETURN 80"),
        calls());
  }

  @Test
  void theUnwinderItselfMayBeTraced() {
    threeCalls();
    unwinder(ACCESS_VIOLATION, 5, TARGET, POINTER); // 40
    entry(7, 5, 3, POINTER + 4);
    exit(7, 5, 3, POINTER + 4); // 60
    exit(1, 5, 0, 0x9000);
    assertEquals(
        List.of("1 RETURN 70", "-2 UNWIND 40 c0000005", "--3 UNWIND 40 c0000005", "---7 RETURN 60"),
        calls());
  }

  @Test
  void aRecordOfTheFrameItselfCountsMoreThanATarget() {
    // GNU C++: a personality routine is called for each traced frame.
    threeCalls();
    unwinder(NO_EXCEPTION, 5, TARGET, POINTER); // 40
    records.add(new Rec(Kind.UNWIND, 50, 3, 0x2047_4343, 5, 2, 0x8E00));
    exit(1, 5, 0, 0x9000);
    assertEquals(
        List.of("1 RETURN 60", "-2 UNWIND 40 c0000027", "--3 UNWIND 50 20474343"), calls());
  }

  @Test
  void callsAreAsManyAsTheirEnds() {
    threeCalls();
    unwinder(ACCESS_VIOLATION, 5, 0x8E80, POINTER);
    entry(4, 5, 1, 0x8F80);
    CallRecording recording = new CallRecording(RecordedCalls.of(Matching.SLOT, records));
    CallCounts counts = recording.counts(0);
    assertEquals(
        List.of(4L, 0L, 1L, 1L, 2L),
        List.of(
            counts.entries(), counts.exits(), counts.unwinds(), counts.abandoned(), counts.open()));
  }
}

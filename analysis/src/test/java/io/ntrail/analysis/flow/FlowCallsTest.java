package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.analysis.flow.calls.CodeModule;
import io.ntrail.analysis.flow.calls.FlowCallSink;
import io.ntrail.analysis.flow.calls.FlowCalls;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.programs.memory.RawSpace;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Calls out of flows, worked out by hand. */
class FlowCallsTest {
  private static final String START = Flows.PSB + "9901" + "7d000010000000" + "0223";

  /** Writes calls down, one word each. */
  private static final class Words implements FlowCallSink {
    private final List<String> words = new ArrayList<>();
    private long entries;
    private long exits;

    @Override
    public void enter(int function, int depth, long address, long returnAddress, Entry how) {
      words.add("%s%d:%x".formatted(how, depth, address));
      entries++;
    }

    @Override
    public void executed(int depth, int instructions) {
      words.add("x" + depth + "*" + instructions);
    }

    @Override
    public void leave(int depth, boolean isSeen) {
      words.add((isSeen ? "leave" : "gone") + depth);
      exits++;
    }

    @Override
    public void lost(FlowError error, long offset, long address) {
      words.add(error.name());
    }

    @Override
    public void overflow() {
      words.add("OVERFLOW");
    }
  }

  private static List<String> calls(String code, String packets, CodeModule... modules) {
    Words words = new Words();
    FlowCalls calls = new FlowCalls(new FlowFunctions(List.of(modules)), words);
    try (InputFile bytes = InputFile.of(Flows.bytes(code), "code");
        InputFile stream = InputFile.of(Flows.bytes(packets), "stream")) {
      new FlowDecoder(
              new PacketCursor(stream, Set.of()),
              new CodeBlocks(new RawSpace(bytes, 0x100000)),
              new FlowSettings(Set.of(), Resync.EVENT, CodeSize.BITS64),
              calls)
          .run();
    }
    return words.words;
  }

  /** CALL 100006; NOP. 100006: RET. */
  @Test
  void aCallEndsWhereTheFlowComesToItsReturnAddress() {
    assertEquals(
        List.of("FOUND0:100000", "x0*1", "CALL1:100006", "x1*1", "leave1", "x0*1"),
        calls("e801000000 90 c3", START + "06" + "3d0600" + "01"));
  }

  /** CALL 100005, of what is behind it: POP RAX. */
  @Test
  void aCallOfWhatIsBehindItIsNone() {
    assertEquals(
        List.of("FOUND0:100000", "x0*1", "x0*1"),
        calls("e800000000 58 90", START + "3d0600" + "01"));
  }

  /** CALL 100006; NOP. 100006: JMP 100008 (another function). 100008: RET. */
  @Test
  void aJumpToTheStartOfAnotherFunctionTakesThePlaceOfTheOneThatJumped() {
    CodeModule module =
        new CodeModule(
            "a/b.exe",
            0x100000,
            0x1000,
            rva -> Optional.of(new CodeModule.Named(rva < 6 ? 0 : rva < 8 ? 6 : 8, "f" + rva)),
            null,
            null,
            "");
    assertEquals(
        List.of(
            "FOUND0:100000",
            "x0*1",
            "CALL1:100006",
            "x1*1",
            "leave1",
            "TAIL1:100008",
            "x1*1",
            "leave1",
            "x0*1"),
        calls("e801000000 90 eb00 c3", START + "06" + "3d0600" + "01", module));
  }

  /** Tracing is off in the call; the function that it came from goes on. */
  @Test
  void aCallThatIsNotTracedIsNone() {
    assertEquals(
        List.of("FOUND0:100000", "x0*1", "x0*1"),
        calls("e800100000 90 90", START + "210510" + "310500" + "3d0600" + "01"));
  }

  @Test
  void behindAnInterruptTheFunctionGoesOn() {
    assertEquals(
        List.of("FOUND0:100000", "x0*1", "INTERRUPT1:100003", "x1*1", "leave1", "x0*1"),
        calls("90 90 f4 48cf", START + "3d0100" + "2d0300" + "2d0100" + "3d0200" + "01"));
  }

  @Test
  void behindAnOverflowTheFlowGoesOnInTheFunctionItIsIn() {
    List<String> words =
        calls(
            "e801000000 90 90 90 f4",
            START + "3d0600" + "01" + "02f3" + "7d070010000000" + "3d0800" + "01");
    assertTrue(words.contains("OVERFLOW"), words.toString());
    assertEquals("FOUND0:100007", words.get(words.size() - 2));
  }

  /** Each near call that was executed opens one, but those of what is behind them. */
  @Test
  void aRealProgramHasAsManyCallsAsItExecutedCalls() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Words words = new Words();
    FlowCalls calls = new FlowCalls(new FlowFunctions(List.of()), words);
    long[] executed = new long[1];
    RecordedStreams.follow(
        "xdc/mruby.pt",
        "6/94/3",
        Resync.PSB,
        new FlowSink() {
          @Override
          public void instructions(CodeBlocks blocks, int block, int count, boolean isIn) {
            FlowClass last = blocks.flowClass(block, count - 1);
            executed[0] += last == FlowClass.DIRECT_CALL || last == FlowClass.INDIRECT_CALL ? 1 : 0;
            calls.instructions(blocks, block, count, isIn);
            words.words.clear();
          }

          @Override
          public void event(FlowEvent event, long address, long value) {
            calls.event(event, address, value);
          }

          @Override
          public void error(FlowError error, long offset, long address) {
            calls.error(error, offset, address);
          }
        });
    assertEquals(45_446, executed[0]);
    assertEquals(words.entries, words.exits + calls.depth());
    // Some call what is outside of the addresses that were traced.
    assertTrue(words.entries > 30_000 && words.entries <= executed[0] + 20_000, words.entries + "");
  }
}

package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.programs.memory.RawSpace;
import io.ntrail.programs.x86.CodeSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The flow of a few instructions, worked out by hand. */
class FlowDecoderTest {
  private static final String PSB = Flows.PSB;

  /** Header in 64-bit mode, tracing at 100000. */
  private static final String START = PSB + "9901" + "7d000010000000" + "0223";

  private static List<String> flow(String code, String packets) {
    return Flows.lines(0x100000, code, packets, Resync.PSB);
  }

  /** CALL, overwritten return address, RET; then a compressed RET: facts 5.2 of the format. */
  @Test
  void everyNearReturnPopsACall() {
    assertEquals(
        List.of("100000", "100008", "10000f", "10000e", "100005", "DISABLED 0"),
        flow("e803000000 9090f4 e802000000 c3c3c3", START + "2d0e00" + "06" + "3d0600" + "01"));
  }

  /** It returns to 10000d then, where no call that was not returned from comes from. */
  @Test
  void asLibiptOnlyCompressedReturnsPopACall() {
    List<String> lines =
        Flows.lines(
            0x100000,
            "e803000000 9090f4 e802000000 c3c3c3",
            START + "2d0e00" + "06" + "3d0600" + "01",
            new FlowSettings(Set.of(), Resync.PSB, CodeSize.BITS64, List.of(), true));
    assertEquals("10000d", lines.get(4));
  }

  @Test
  void branchesBetweenAFupAndItsTargetAreAnError() {
    assertEquals(List.of("CONTEXT at 1e 100000"), flow("90 7400", START + "3d0100" + "06"));
  }

  @Test
  void aCoreThatStopsWithoutAnAddressStopsWhereTheFlowIs() {
    assertEquals(List.of("EXSTOP 100000"), flow("90 7400", START + "0262"));
  }

  @Test
  void jmpabsIsToldAsAnIndirectJumpAlthoughItsTargetIsInTheCode() {
    assertEquals(
        List.of("100000", "10000c", "DISABLED 0"),
        flow("d500a10c00100000000000 f4 90f4", START + "2d0c00" + "3d0d00" + "01"));
  }

  /** The header and MODE.Exec of a TSX abort: BDM64 gave the branch before it a wrong target. */
  @Test
  void anAbortThatIsNotReachedFromAWrongTargetIsWhereTheFlowIs() {
    String packets = PSB + "9901" + "9921" + "7d000010000000" + "0223" + "06";
    String code = "7402 90 f4 90 7402 f4 90 f4";
    String abort = "9922" + "3d0300" + "2d0800" + "3d0900" + "01";
    assertEquals(
        List.of("? 100000", "ABORT 100003", "INTERRUPT 100008", "100008", "DISABLED 0"),
        Flows.lines(0x100000, code, packets + abort, Resync.PSB, Set.of(Erratum.BDM64)));
    assertEquals("? 100000", Flows.lines(0x100000, code, packets + abort, Resync.PSB).getFirst());
  }

  @Test
  void aTargetThatComesBehindBranchesLeavesTheLaterOnesWaiting() {
    // JMP rax; 100002: JE 100005; NOP; 100005: HLT. The jump comes before the branch.
    assertEquals(
        List.of("100000", "100002", "100005", "DISABLED 0"),
        flow("ffe0 7401 90 f4 90", START + "06" + "2d0200" + "3d0600" + "01"));
  }

  @Test
  void anInterruptComesBeforeTheInstructionAtItsAddress() {
    assertEquals(
        List.of("100000", "INTERRUPT 100004", "100004", "DISABLED 0"),
        flow("9090909090f4", START + "3d0100" + "2d0400" + "3d0500" + "01"));
  }

  @Test
  void aControlStructureIsToldBehindTheInstructionThatLoadsIt() {
    // NOP; 100001: VMPTRLD [rax]; 100004: NOP; HLT. The packet of base 1000 comes before the end.
    assertEquals(
        List.of("100000", "100001", "VMCS 100004", "100004", "DISABLED 0"),
        flow("90 0fc730 90 f4", START + "02c80100000000" + "3d0500" + "01"));
  }

  @Test
  void aControlStructureOfAVirtualMachineThatIsEnteredIsToldAtTheTarget() {
    // NOP; 100001: VMLAUNCH; 100004: NOP; HLT.
    assertEquals(
        List.of("100000", "100001", "VMCS 100004", "100004", "DISABLED 0"),
        flow("90 0f01c2 90 f4", START + "02c80100000000" + "2d0400" + "3d0500" + "01"));
  }

  @Test
  void tracingThatEndsAtABranchTakesNothingOfTheTrace() {
    assertEquals(
        List.of("100000", "100001", "DISABLED 100005", "ENABLED 100005", "100005", "DISABLED 0"),
        flow("90 7402 9090 90 f4", START + "210500" + "310500" + "3d0600" + "01"));
  }

  @Test
  void aHeaderRightBeforeTheStartOfTracingDoesNotCount() {
    assertEquals(
        List.of("ENABLED 100001", "100001", "DISABLED 0"),
        flow("9090f4", START + "310100" + "3d0200" + "01"));
  }

  @Test
  void aHeaderWithAnotherAddressShowsThatTheFlowWasWrong() {
    // JE at 100000 was not taken; the header says that the flow is at 100008 all the same.
    List<String> lines =
        flow(
            "7406 ebfe 90 90 90 90 90 f4",
            START + "04" + PSB + "9901" + "7d080010000000" + "0223" + "3d0900" + "01");
    assertEquals("100000", lines.getFirst());
    assertEquals(
        List.of("SEAM at 1c 100002", "100008", "DISABLED 0"),
        lines.subList(lines.size() - 3, lines.size()));
  }

  @Test
  void codeThatIsMissingEndsTheFlowUntilTheNextAddress() {
    String packets = START + "2d0001" + "2d0300" + "3d0400" + "01";
    assertEquals(
        List.of("100000", "NO_CODE at 1e 100100", "100003", "DISABLED 0"),
        Flows.lines(0x100000, "ffe0 90 90 f4", packets, Resync.EVENT));
    assertEquals(
        List.of("100000", "NO_CODE at 1e 100100"),
        Flows.lines(0x100000, "ffe0 90 90 f4", packets, Resync.PSB));
  }

  @Test
  void anOverflowGoesOnWhereTheNextPacketSays() {
    assertEquals(
        List.of("OVERFLOW 100002", "100002", "DISABLED 0"),
        flow("909090f4", START + "02f3" + "7d020010000000" + "3d0300" + "01"));
    assertEquals(
        List.of("OVERFLOW 0", "ENABLED 100002", "100002", "DISABLED 0"),
        flow("909090f4", START + "02f3" + "71020010000000" + "3d0300" + "01"));
  }

  @Test
  void whatRanInATransactionIsSpeculative() {
    assertEquals(
        List.of(
            "100000", "TRANSACTION 100001", "? 100001", "COMMIT 100002", "100002", "DISABLED 0"),
        flow("90909090f4", START + "9921" + "3d0100" + "9920" + "3d0200" + "3d0300" + "01"));
  }

  @Test
  void codeThatGoesRoundWithoutABranchOfTheTraceIsAnError() {
    List<String> lines = flow("ebfe", START + "2d0300");
    assertEquals("ENDLESS at 1b 100000", lines.getLast());
  }

  /** No program has so much without a condition: whoever wrote the stream wants us to walk. */
  @Test
  void megabytesOfCodeWithoutABranchAreAnError() {
    byte[] nops = new byte[17 << 20];
    Arrays.fill(nops, (byte) 0x90);
    List<String> errors = new ArrayList<>();
    FlowSink sink =
        new FlowSink() {
          @Override
          public void instructions(CodeBlocks blocks, int block, int count, boolean speculative) {
            // Millions.
          }

          @Override
          public void event(FlowEvent event, long address, long value) {
            // Not of interest.
          }

          @Override
          public void error(FlowError error, long offset, long address) {
            errors.add(error + " " + Long.toHexString(address));
          }
        };
    try (InputFile packets = InputFile.of(Flows.bytes(START + "4d010020010000"), "stream");
        InputFile code = InputFile.of(nops, "code")) {
      new FlowDecoder(
              PacketCursor.joined(packets, Set.of()),
              new CodeBlocks(new RawSpace(code, 0x100000)),
              new FlowSettings(Set.of(), Resync.PSB, CodeSize.BITS64),
              sink)
          .run();
    }
    assertEquals(List.of("ENDLESS 1100000"), errors);
  }

  @Test
  void branchesWhileTracingIsOffAreAnError() {
    assertEquals(List.of("CONTEXT at 12 0"), flow("90", PSB + "0223" + "06"));
  }

  @Test
  void bytesThatAreNoPacketsAreAnErrorOfTheFlow() {
    assertEquals(
        List.of("PACKETS at 1b 0", "100000", "DISABLED 0"),
        flow("90f4", START + "05" + START + "3d0100" + "01"));
  }
}

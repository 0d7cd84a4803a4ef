package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.programs.memory.LayeredSpace;
import io.ntrail.programs.memory.RawSpace;
import io.ntrail.programs.x86.CodeSize;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Calls, returns, sizes of code, ends of tracing and lost flows that were worked out by hand. Byte
 * 40 is an instruction in 16-bit and 32-bit code, and the prefix of the next one in 64-bit code.
 */
class FlowModesTest {
  /** Header in 64-bit mode, tracing at 100000. */
  private static final String START = Flows.PSB + "9901" + "7d000010000000" + "0223";

  /** Header in 32-bit mode, tracing at 100000. */
  private static final String START32 = Flows.PSB + "9902" + "7d000010000000" + "0223";

  /** JMP rax, to 100100, where no code is: the branch that follows shows it. */
  private static final String LOST = START + "2d0001" + "06";

  private static final String LOST_CODE = "ffe0 90 90 90 f4";

  private static final String NO_CODE = "NO_CODE at 1e 100100";

  private static List<String> flow(String code, String packets) {
    return Flows.lines(0x100000, code, packets, Resync.PSB);
  }

  @Test
  void aModeIsOfTheTargetAtWhichTheFlowIsFoundAgain() {
    // 100000: JMP [RAX]. Its target has no code; at the next one the code has 32 bits: INC EAX.
    List<String> lines =
        Flows.lines(
            0x100000,
            "ffe0 4090 90f4",
            START + "2d0001" + "9902" + "2d0200" + "3d0400" + "01",
            Resync.EVENT);
    assertEquals(List.of("100002", "100003"), lines.subList(lines.size() - 3, lines.size() - 1));
  }

  private static List<String> found(String packets) {
    return Flows.all(0x100000, LOST_CODE, LOST + packets);
  }

  @Test
  void aReturnWhoseBranchWasNotTakenIsToldByTheTargetThatFollows() {
    // RET to 100004; there JE, not taken: the bit is of it.
    assertEquals(
        List.of("100000", "100004", "100006", "DISABLED 0"),
        flow("c3 909090 7401 90 f4", START + "04" + "2d0400" + "3d0700" + "01"));
  }

  @Test
  void aReturnWhoseTargetComesBehindBranchesPopsItsCallToo() {
    // CALL 100008, which calls 100012: RET to 10000d by a target; there JE, not taken, then
    // RET, compressed, to 100005.
    assertEquals(
        List.of("100000", "100008", "100012", "10000d", "10000f", "100005", "DISABLED 0"),
        flow(
            "e803000000 90 90f4 e805000000 7401 c3 9090 c3",
            START + "0a" + "2d0d00" + "3d0600" + "01"));
  }

  @Test
  void aReturnToCodeOfAnotherSizeGoesBehindTheCall() {
    // CALL 100008 in 32-bit code, JMP FAR [eax] to 64-bit code at 10000a: RET, compressed. At
    // 100005
    // then INC eax and NOP would be two instructions in 32-bit code.
    assertEquals(
        List.of("100000", "100008", "10000a", "100005", "100007", "DISABLED 0"),
        flow("e803000000 4090 90 ff28 c3", START32 + "9901" + "2d0a00" + "06" + "3d0800" + "01"));
  }

  @Test
  void aReturnIn32BitCodeTakesTheLowHalfOfWhatA64BitCallPushed() {
    // CALL 200100008 in 64-bit code, JMP FAR [rax] to 32-bit code at 100000: RET to 100005.
    try (InputFile high = InputFile.of(Flows.bytes("e803000000 909090 ff28"), "high");
        InputFile low = InputFile.of(Flows.bytes("c3 f4f4f4f4 4090 f4"), "low")) {
      LayeredSpace space =
          new LayeredSpace(
              "code", List.of(new RawSpace(high, 0x2_0010_0000L), new RawSpace(low, 0x10_0000L)));
      assertEquals(
          List.of("200100000", "200100008", "100000", "100005", "100006", "DISABLED 0"),
          Flows.lines(
              space,
              Flows.PSB
                  + "9901"
                  + "7d000010000200"
                  + "0223"
                  + "9902"
                  + "6d000010000000"
                  + "06"
                  + "3d0700"
                  + "01",
              new FlowSettings(Set.of(), Resync.PSB, CodeSize.BITS64)));
    }
  }

  @Test
  void aTargetMayBeInCodeOfAnotherSize() {
    // JMP FAR [rax] to 32-bit code at 100004, where 40 is an instruction.
    assertEquals(
        List.of("100000", "100004", "100005", "DISABLED 0"),
        flow("ff28 9090 4090 90f4", START + "9902" + "2d0400" + "3d0600" + "01"));
  }

  @Test
  void tracingMayStartInCodeOfAnotherSize() {
    assertEquals(
        List.of("100000", "DISABLED 0", "ENABLED 100002", "100002", "100003", "DISABLED 0"),
        flow("9090 4090 90f4", START + "3d0100" + "01" + "9902" + "310200" + "3d0400" + "01"));
  }

  @Test
  void anInterruptMayGoToCodeOfAnotherSize() {
    assertEquals(
        List.of("100000", "INTERRUPT 100002", "100002", "100003", "DISABLED 0"),
        flow("9090 4090 90f4", START + "3d0100" + "9902" + "2d0200" + "3d0400" + "01"));
  }

  @Test
  void whatALostFlowFindsMayBeInCodeOfAnotherSize() {
    assertEquals(
        List.of("100000", NO_CODE, "100002", "100003", "DISABLED 0"),
        Flows.lines(
            0x100000, "ffe0 4090 90f4", LOST + "9902" + "2d0200" + "3d0400" + "01", Resync.EVENT));
  }

  @Test
  void codeOfSixteenBitsHasOperandsOfSixteenBits() {
    // MOV ax, 9090 has three bytes; with 32 bits it had five.
    String header = Flows.PSB + "9900" + "7d000010000000" + "0223";
    assertEquals(
        List.of("100000", "100003", "100004", "DISABLED 0"),
        flow("b89090 90 90 90f4", header + "3d0500" + "01"));
  }

  @Test
  void aTargetMayBeInCodeOfSixteenBits() {
    // JMP FAR [eax] from 32-bit code.
    assertEquals(
        List.of("100000", "100002", "100005", "DISABLED 0"),
        flow("ff28 b89090 90 90f4", START32 + "9900" + "2d0200" + "3d0600" + "01"));
  }

  @Test
  void aCallIsReturnedFromAcrossAnOverflow() {
    // CALL 100007; the core stops there; the overflow ends at 100008: RET, compressed.
    assertEquals(
        List.of(
            "100000",
            "EXSTOP 100007",
            "OVERFLOW 100008",
            "100008",
            "UNCERTAIN_RETURN 100005",
            "100005",
            "DISABLED 0"),
        flow(
            "e802000000 90 f4 90 c3",
            START + "02e2" + "3d0700" + "02f3" + "7d080010000000" + "06" + "3d0600" + "01"));
  }

  @Test
  void aCallIsReturnedFromAcrossAnEndOfTracing() {
    assertEquals(
        List.of(
            "100000",
            "DISABLED 0",
            "ENABLED 100008",
            "100008",
            "UNCERTAIN_RETURN 100005",
            "100005",
            "DISABLED 0"),
        flow(
            "e802000000 90 f4 90 c3", START + "3d0700" + "01" + "310800" + "06" + "3d0600" + "01"));
  }

  @Test
  void aCallThatEndsTracingIsReturnedFrom() {
    // CALL rax to 100004, where tracing ends and starts again: RET, compressed.
    assertEquals(
        List.of(
            "100000",
            "DISABLED 100004",
            "ENABLED 100004",
            "100004",
            "UNCERTAIN_RETURN 100002",
            "100002",
            "DISABLED 0"),
        flow("ffd0 90 f4 c3", START + "210400" + "310400" + "06" + "3d0300" + "01"));
  }

  @Test
  void aReturnThatEndsTracingReturnsFromItsCall() {
    // CALL 100008, which calls 10000f: RET to 10000d, where tracing ends and starts again. There
    // RET, compressed, to 100005.
    assertEquals(
        List.of(
            "100000",
            "100008",
            "10000f",
            "DISABLED 10000d",
            "ENABLED 10000d",
            "10000d",
            "UNCERTAIN_RETURN 100005",
            "100005",
            "DISABLED 0"),
        flow(
            "e803000000 9090f4 e802000000 c3 f4 c3",
            START + "210d00" + "310d00" + "06" + "3d0600" + "01"));
  }

  @Test
  void aHeaderForgetsCalls() {
    // CALL 100007, where the header says that the flow is: RET, compressed, is an error behind it.
    assertEquals(
        List.of("100000", "100007", "RETURN_STACK at 36 100007"),
        flow("e802000000 90 f4 c3", START + Flows.PSB + "9901" + "7d070010000000" + "0223" + "06"));
  }

  @Test
  void aCallOfWhatIsBehindItIsNotReturnedFrom() {
    // CALL 10000c, which calls 100011 only to learn the address: RET, compressed, to 100005.
    assertEquals(
        List.of("100000", "10000c", "100011", "100005", "DISABLED 0"),
        flow("e807000000 90 f4 9090909090 e800000000 c3", START + "06" + "3d0600" + "01"));
  }

  @Test
  void aLostFlowGoesOnAtTheTargetOfAnInterruptAndTellsWhereItWasInterrupted() {
    assertEquals(
        List.of(
            "100000",
            NO_CODE,
            "INTERRUPTED 100002",
            "INTERRUPT 100003",
            "100003",
            "INTERRUPTED 100004",
            "DISABLED 0"),
        found("3d0200" + "2d0300" + "3d0400" + "01"));
  }

  @Test
  void aLostFlowIsKnownToEndWhereTracingIsInterrupted() {
    assertEquals(
        List.of(
            "100000",
            NO_CODE,
            "DISABLED 0",
            "ENABLED 100003",
            "100003",
            "INTERRUPTED 100004",
            "DISABLED 0"),
        found("3d0200" + "01" + "310300" + "3d0400" + "01"));
  }

  @Test
  void aLostFlowGoesOnAtAStartOfTracing() {
    assertEquals(
        List.of(
            "100000",
            NO_CODE,
            "DISABLED 0",
            "ENABLED 100003",
            "100003",
            "INTERRUPTED 100004",
            "DISABLED 0"),
        found("310300" + "3d0400" + "01"));
  }

  @Test
  void aLostFlowGoesOnBehindAnOverflow() {
    assertEquals(
        List.of("100000", NO_CODE, "OVERFLOW 100003", "100003", "INTERRUPTED 100004", "DISABLED 0"),
        found("02f3" + "7d030010000000" + "3d0400" + "01"));
  }

  @Test
  void aLostFlowGoesOnAtAnAddressThatIsOfAnotherPacket() {
    // The core stops at 100003.
    assertEquals(
        List.of("100000", NO_CODE, "EXSTOP 100003", "100003", "INTERRUPTED 100004", "DISABLED 0"),
        found("02e2" + "3d0300" + "3d0400" + "01"));
  }

  @Test
  void aBranchBackToWhereTheFlowIsEndsTracingAfterItWasExecuted() {
    // NOP; 100001: JE 100000. Tracing ends at 100000, where the flow began.
    assertEquals(
        List.of("100000", "100001", "DISABLED 100000"), flow("90 74fd f4", START + "210000"));
  }

  @Test
  void aJumpBackToWhereTheFlowIsEndsTracingAfterItWasExecuted() {
    assertEquals(
        List.of("100000", "100001", "DISABLED 100000"), flow("90 ebfd f4", START + "210000"));
  }

  @Test
  void tracingEndsAtTheTargetOfADirectJumpThatIsNotExecuted() {
    // 100000: JMP 100004; there NOP, and HLT.
    assertEquals(List.of("100000", "DISABLED 100004"), flow("eb02 f4f4 90 f4", START + "210400"));
  }

  @Test
  void tracingEndsBehindWhatWasExecutedInARow() {
    assertEquals(
        List.of("100000", "100001", "DISABLED 100002"), flow("909090f4", START + "210200"));
  }

  @Test
  void aJumpToItselfIsAnErrorForEachPacketThatLooksForAnotherPlace() {
    // A target, an address, an end of tracing with an address and without one, the operand of a
    // PTWRITE, CR3, and a control structure.
    for (String packets :
        List.of(
            "2d0300",
            "3d0300" + "2d0400",
            "210300",
            "01",
            "0212" + "78563412",
            "0243" + "001000000000",
            "02c80100000000",
            "06")) {
      List<String> lines = flow("ebfe 90 90 f4", START + packets);
      assertTrue(lines.getLast().startsWith("ENDLESS at "), packets + ": " + lines.getLast());
      assertEquals("100000", lines.getFirst(), packets);
    }
  }

  @Test
  void aRoundOfThreeJumpsIsAnError() {
    // 100000: JMP 100004; 100004: JMP 100008; 100008: JMP 100000.
    List<String> lines = flow("eb02 f4f4 eb02 f4f4 ebf6 f4", START + "2d0300");
    assertTrue(lines.getLast().startsWith("ENDLESS at 1b "), lines.getLast());
    assertEquals(List.of("100000", "100004", "100008", "100000"), lines.subList(0, 4));
  }

  @Test
  void aJumpToItselfBehindOtherJumpsIsAnError() {
    List<String> lines = flow("eb00 eb00 eb00 eb00 ebfe f4", START + "2d0300");
    assertTrue(lines.getLast().startsWith("ENDLESS at 1b "), lines.getLast());
    assertEquals(List.of("100000", "100002", "100004"), lines.subList(0, 3));
  }

  @Test
  void aRoundWithABranchOfTheTraceIsNoError() {
    // 100000: JMP 100002; 100002: JE 100000, taken twice.
    assertEquals(
        List.of("100000", "100002", "100000", "100002", "100000", "100002", "100004", "DISABLED 0"),
        flow("eb00 74fc 90 f4", START + "1c" + "3d0500" + "01"));
  }
}

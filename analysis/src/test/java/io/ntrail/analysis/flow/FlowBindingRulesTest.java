package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.pt.Erratum;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Packets and the instructions that they belong to, in flows that were worked out by hand. */
class FlowBindingRulesTest {
  /** Header in 64-bit mode, tracing at 100000. */
  private static final String START = Flows.PSB + "9901" + "7d000010000000" + "0223";

  /** PTWRITE eax, four bytes. */
  private static final String PTWRITE = "f30faee0";

  /** Operand of a PTWRITE whose address is not told. */
  private static final String PTW = "0212" + "78563412";

  private static List<String> flow(String code, String packets) {
    return Flows.lines(0x100000, code, packets, Resync.PSB);
  }

  /** Returns a trigger of bit 0, so many instructions behind the last place. */
  private static String trigger(String instructions) {
    return "d940" + "01" + instructions;
  }

  @Test
  void theInstructionsOfATriggerCountAcrossAPtwrite() {
    // NOP; 100001: PTWRITE; 100005, 100006, 100007: NOP. Three from 100000 on.
    assertEquals(
        List.of(
            "100000",
            "100001",
            "PTWRITE 100001",
            "100005",
            "TRIGGER 100006",
            "100006",
            "DISABLED 0"),
        flow("90" + PTWRITE + "909090f4", START + PTW + trigger("0300") + "3d0700" + "01"));
  }

  @Test
  void theInstructionsOfATriggerCountAcrossAChangeOfTheAddressSpace() {
    // NOP; 100001: MOV CR3, EAX; 100004, 100005, 100006: NOP. Three from 100000 on.
    List<String> lines =
        flow(
            "90 0f22d8 90909090f4", START + "0243000010000000" + trigger("0300") + "3d0700" + "01");
    assertEquals(
        List.of("100004", "TRIGGER 100005"), lines.subList(lines.size() - 5, lines.size() - 3));
  }

  @Test
  void theInstructionsOfATriggerCountFromAPtwriteWhoseAddressIsToldItselfAmongThem() {
    // NOP; 100001: PTWRITE; 100005, 100006, 100007: NOP. Two from 100001 on.
    List<String> lines =
        flow(
            "90" + PTWRITE + "909090f4",
            START + "0292" + "78563412" + "3d0100" + trigger("0200") + "3d0700" + "01");
    assertEquals(
        List.of("100005", "TRIGGER 100006"), lines.subList(lines.size() - 4, lines.size() - 2));
  }

  @Test
  void anEventThatFindsNoRoomBesideSixtyFourThatWaitIsAnError() {
    String mwait = "02c2" + "00".repeat(8);
    assertEquals(0, errors(flow("90f4", START + mwait.repeat(64))));
    assertEquals(1, errors(flow("90f4", START + mwait.repeat(65))));
    // VMCS between FUP and TIP waits for the target.
    String vmcs = "02c8" + "00".repeat(5);
    assertEquals(0, errors(flow("90f4", START + "3d0100" + vmcs.repeat(64))));
    assertEquals(3, errors(flow("90f4", START + "3d0100" + vmcs.repeat(67))));
  }

  private static long errors(List<String> lines) {
    return lines.stream().filter(line -> line.startsWith("CONTEXT at")).count();
  }

  @Test
  void anOverflowWhoseAddressIsFollowedByAHeaderGoesOnThere() {
    // APL12: the header says that tracing was on, and the address was its.
    String packets =
        START
            + "02f3"
            + "7d010010000000"
            + Flows.PSB
            + "9901"
            + "7d030010000000"
            + "0223"
            + "7d040010000000"
            + "01";
    assertEquals(
        List.of("OVERFLOW 100001", "100001", "100002", "100003", "DISABLED 0"),
        Flows.lines(0x100000, "909090 90f4", packets, Resync.PSB, Set.of(Erratum.APL12)));
  }

  @Test
  void theInstructionsOfATriggerCountAcrossTwoPtwrites() {
    // NOP; 100001: PTWRITE; 100005: NOP; 100006: PTWRITE; 10000a, 10000b: NOP. Five from 100000 on.
    assertEquals(
        List.of(
            "100000",
            "100001",
            "PTWRITE 100001",
            "100005",
            "100006",
            "PTWRITE 100006",
            "10000a",
            "TRIGGER 10000b",
            "10000b",
            "DISABLED 0"),
        flow(
            "90" + PTWRITE + "90" + PTWRITE + "909090f4",
            START + PTW + PTW + trigger("0500") + "3d0c00" + "01"));
  }

  @Test
  void theInstructionsOfATriggerCountFromTheTriggerBefore() {
    // Six NOPs: two from 100000 on, then three.
    assertEquals(
        List.of(
            "100000",
            "100001",
            "TRIGGER 100002",
            "100002",
            "100003",
            "100004",
            "TRIGGER 100005",
            "100005",
            "DISABLED 0"),
        flow("9090909090 9090f4", START + trigger("0200") + trigger("0300") + "3d0600" + "01"));
  }

  @Test
  void theInstructionsOfATriggerCountFromTheLastBranchAndNotFromAPtwriteBeforeIt() {
    // NOP; 100001: PTWRITE; 100005: JE 100008; NOP; 100008: two NOPs.
    assertEquals(
        List.of(
            "100000",
            "100001",
            "PTWRITE 100001",
            "100005",
            "100008",
            "TRIGGER 100009",
            "100009",
            "DISABLED 0"),
        flow(
            "90" + PTWRITE + "7401 90 9090 90f4",
            START + PTW + "06" + trigger("0100") + "3d0a00" + "01"));
  }

  @Test
  void theInstructionsOfATriggerGoThroughDirectJumps() {
    // NOP; 100001: JMP 100004; HLT; 100004: NOP; 100005: NOP. Three from 100000 on.
    assertEquals(
        List.of("100000", "100001", "100004", "TRIGGER 100005", "100005", "DISABLED 0"),
        flow("90 eb01 f4 90 90 90 f4", START + trigger("0300") + "3d0600" + "01"));
  }

  @Test
  void aTriggerWithAnAddressIsToldThere() {
    assertEquals(
        List.of("100000", "100001", "TRIGGER 100002", "100002", "DISABLED 0"),
        flow("909090 90f4", START + "d98001" + "3d0200" + "3d0300" + "01"));
  }

  @Test
  void thePtwriteThatIsNextMayLieBehindJumps() {
    // NOP; 100001: JMP 100004; HLT; 100004: PTWRITE; 100008: NOP.
    assertEquals(
        List.of("100000", "100001", "100004", "PTWRITE 100004", "100008", "DISABLED 0"),
        flow("90 eb01 f4" + PTWRITE + "90 f4", START + PTW + "3d0900" + "01"));
  }

  @Test
  void thePtwriteWhoseAddressIsToldMayLieBehindJumps() {
    assertEquals(
        List.of("100000", "100001", "100004", "PTWRITE 100004", "100008", "DISABLED 0"),
        flow(
            "90 eb01 f4" + PTWRITE + "90 f4",
            START + "0292" + "78563412" + "3d0400" + "3d0900" + "01"));
  }

  @Test
  void thePtwriteWhoseAddressIsToldMayBeInTheMiddleOfWhatIsExecuted() {
    // PTWRITE twice: the first one told nothing, as its filter said.
    assertEquals(
        List.of("100000", "100004", "PTWRITE 100004", "100008", "DISABLED 0"),
        flow(
            PTWRITE + PTWRITE + "90 f4", START + "0292" + "78563412" + "3d0400" + "3d0900" + "01"));
  }

  @Test
  void theOperandOfAPtwriteIsTold() {
    assertEquals(
        List.of("100000", "PTWRITE 100000 =12345678"),
        Flows.all(0x100000, PTWRITE + "90 f4", START + PTW));
  }

  @Test
  void aTraceThatStopsBehindAnOverflowWasOffAlthoughAnAddressFollowsIt() {
    // 02f3: OVF; an address, and 0283: TraceStop.
    String packets =
        START + "02f3" + "7d010010000000" + "0283" + "71020010000000" + "3d0300" + "01";
    assertEquals(
        List.of("OVERFLOW 0", "STOPPED 0", "ENABLED 100002", "100002", "DISABLED 0"),
        Flows.lines(0x100000, "909090 90f4", packets, Resync.PSB, Set.of(Erratum.APL12)));
  }

  @Test
  void aHeaderWithoutAnAddressBehindAnOverflowSaysThatTracingIsOffAlthoughAnAddressFollowsIt() {
    String packets =
        START + "02f3" + "7d010010000000" + Flows.PSB + "0223" + "71020010000000" + "3d0300" + "01";
    assertEquals(
        List.of("OVERFLOW 0", "ENABLED 100002", "100002", "DISABLED 0"),
        Flows.lines(0x100000, "909090 90f4", packets, Resync.PSB, Set.of(Erratum.APL12)));
  }

  @Test
  void anAddressBehindAnOverflowIsWhereItGoesOnIfBranchesFollow() {
    // 100001: JE 100004.
    String packets = START + "02f3" + "7d010010000000" + "06" + "3d0500" + "01";
    assertEquals(
        List.of("OVERFLOW 100001", "100001", "100004", "DISABLED 0"),
        Flows.lines(0x100000, "90 7401 90 90 90f4", packets, Resync.PSB, Set.of(Erratum.APL12)));
  }

  @Test
  void aTransactionDoesNotGoOnBehindAnOverflow() {
    // A transaction begins at 100001; the overflow ends at 100003.
    assertEquals(
        List.of("100000", "TRANSACTION 100001", "OVERFLOW 100003", "100003", "DISABLED 0"),
        flow(
            "9090909090f4",
            START + "9921" + "3d0100" + "02f3" + "7d030010000000" + "3d0400" + "01"));
  }

  @Test
  void anOverflowEndsTheHeaderThatItComesIn() {
    assertEquals(
        List.of("OVERFLOW 100001", "100001", "DISABLED 0"),
        flow("9090 90f4", Flows.PSB + "9901" + "02f3" + "7d010010000000" + "3d0200" + "01"));
  }

  @Test
  void anOverflowInAHeaderMayComeWhileTheFlowIsKnown() {
    assertEquals(
        List.of("OVERFLOW 100002", "100002", "DISABLED 0"),
        flow(
            "909090 90f4",
            START + Flows.PSB + "9901" + "02f3" + "7d020010000000" + "3d0300" + "01"));
  }

  @Test
  void aHeaderThatAnOverflowCutsTellsTheSizeOfTheCode() {
    // 40 is an instruction in 32-bit code, and a prefix in 64-bit code.
    assertEquals(
        List.of("OVERFLOW 100000", "100000", "100001", "DISABLED 0"),
        flow("4090 90f4", Flows.PSB + "9902" + "02f3" + "7d000010000000" + "3d0200" + "01"));
  }

  @Test
  void aHeaderWhoseAddressIsSuppressedSaysThatTracingIsOff() {
    // 1d: a FUP without an address; 06: a branch.
    assertEquals(
        List.of("CONTEXT at 15 0"), flow("90f4", Flows.PSB + "9901" + "1d" + "0223" + "06"));
  }

  @Test
  void aHeaderWithoutAnAddressSaysThatTracingIsOffWhereItWasOn() {
    assertEquals(
        List.of("STATUS at 1b 100000", "ENABLED 100001", "100001", "DISABLED 0"),
        flow(
            "9090 90f4",
            START + Flows.PSB + "9901" + "1d" + "0223" + "71010010000000" + "3d0200" + "01"));
  }

  @Test
  void aPowerStateThatTheHardwareAskedForSaysSo() {
    // PWRE: by the hardware, state 2.0. PWRX: the deepest state 2, the last one 3, by an interrupt.
    assertEquals(
        List.of("POWER_ENTRY 100000 =120", "POWER_EXIT 100000 =132"),
        Flows.all(0x100000, "90f4", START + "02228020" + "02a23201000000"));
  }

  @Test
  void aPowerStateThatSoftwareAskedForSaysSo() {
    assertEquals(
        List.of("POWER_ENTRY 100000 =21", "POWER_EXIT 100000 =432"),
        Flows.all(0x100000, "90f4", START + "02220021" + "02a23204000000"));
  }

  @Test
  void aPowerStateIsToldAtTheCoreThatStopsAndBehindTheMwaitOfIt() {
    // MWAIT with hints 20 and extension 1; PWRE of state 2.0; the core stops at 100001.
    assertEquals(
        List.of(
            "100000",
            "MWAIT 100001 =100000020",
            "EXSTOP 100001",
            "POWER_ENTRY 100001 =20",
            "POWER_EXIT 100001 =122"),
        Flows.all(
            0x100000,
            "9090f4",
            START + "02c22000000001000000" + "02220020" + "02e2" + "3d0100" + "02a22201000000"));
  }
}

package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.pt.Erratum;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Rules that no case of others needs, with flows that were worked out by hand. */
class FlowRulesTest {
  /** Header in 64-bit mode, tracing at 100000. */
  private static final String START = Flows.PSB + "9901" + "7d000010000000" + "0223";

  /** JMP rax, to 100100, where no code is. */
  private static final String LOST = START + "2d0001";

  private static final String LOST_CODE = "ffe0 90 90 f4";

  /** FUP at 100004, and the end of tracing. */
  private static final String END = "3d0400" + "01";

  private static List<String> flow(String code, String packets) {
    return Flows.lines(0x100000, code, packets, Resync.EVENT);
  }

  @Test
  void branchesAreDroppedWhileTheFlowIsLost() {
    assertEquals(
        List.of("100000", "NO_CODE at 1e 100100", "100003", "DISABLED 0"),
        flow(LOST_CODE, LOST + "06" + "2d0300" + END));
  }

  @Test
  void aTargetWithoutAnAddressIsDroppedWhileTheFlowIsLost() {
    assertEquals(
        List.of("100000", "NO_ADDRESS at 1e 100100", "100003", "DISABLED 0"),
        flow(LOST_CODE, LOST + "0d" + "0d" + "2d0300" + END));
  }

  @Test
  void aTargetWithoutAnAddressIsAnErrorWhereTheFlowIsKnown() {
    assertEquals(
        List.of("NO_ADDRESS at 1b 100000"),
        Flows.lines(0x100000, "ffe0 90 90 f4", START + "0d", Resync.PSB));
  }

  @Test
  void branchesRightBehindAnOverflowAreAnError() {
    assertEquals(
        List.of("CONTEXT at 1d 0"),
        Flows.lines(0x100000, "9090f4", START + "02f3" + "06", Resync.PSB));
  }

  @Test
  void aReturnFromAnInterruptIsToldAtItsTarget() {
    // NOP; 100001: IRETQ; 100003: NOP.
    assertEquals(
        List.of("100000", "100001", "CONTROL 100003", "100003", "DISABLED 0"),
        flow("90 48cf 90 f4", START + "02130200" + "2d0300" + END));
  }

  @Test
  void anInterruptWithoutAnAddressIsToldAtTheNextOne() {
    assertEquals(
        List.of("100000", "CONTROL 100001", "INTERRUPT 100003", "100003", "DISABLED 0"),
        flow("90 90 90 90 f4", START + "0213010e" + "3d0100" + "2d0300" + END));
  }

  @Test
  void anInterruptWithAnAddressIsToldThereAndItsBranchFollows() {
    assertEquals(
        List.of("100000", "CONTROL 100001", "INTERRUPT 100003", "100003", "DISABLED 0"),
        flow("90 90 90 90 f4", START + "0213810e" + "3d0100" + "3d0100" + "2d0300" + END));
  }

  @Test
  void aReturnFromSystemManagementTakesTheNextAddressForItself() {
    assertEquals(
        List.of("100000", "CONTROL 100001", "100001", "100002", "100003", "DISABLED 0"),
        flow("90 90 90 90 f4", START + "02130400" + "3d0100" + END));
  }

  @Test
  void anAddressOfAFaultIsToldBeforeTheExceptionAtItsPlace() {
    assertEquals(
        List.of(
            "100000",
            "FAULT_ADDRESS 100001",
            "CONTROL 100001",
            "INTERRUPT 100003",
            "100003",
            "DISABLED 0"),
        flow(
            "90 90 90 90 f4",
            START + "0253000010000000000000" + "0213810e" + "3d0100" + "3d0100" + "2d0300" + END));
  }

  @Test
  void tracingThatEndsAtAChangeOfTheAddressSpaceEndsBehindIt() {
    // NOP; 100001: MOV CR3, RAX; 100004: NOP. The end has no address.
    assertEquals(List.of("100000", "100001", "DISABLED 0"), flow("90 0f22d8 90 f4", START + "01"));
  }

  @Test
  void anAddressSpaceIsToldBehindTheInstructionThatLoadsIt() {
    assertEquals(
        List.of("100000", "100001", "PAGING 100004", "DISABLED 0"),
        flow("90 0f22d8 90 f4", START + "0243" + "001000000000" + END));
  }

  @Test
  void tracingThatEndsAtAnAddressGoesOverAChangeOfTheAddressSpace() {
    assertEquals(
        List.of("100000", "100001", "100004", "DISABLED 100005"),
        flow("90 0f22d8 90 90 f4", START + "210500"));
  }

  @Test
  void eachBranchThatTheProcessorNamesIsToldAtItsTarget() {
    // SYSCALL, VMLAUNCH, UIRET: types 0f, 07, 0d.
    for (String branch : List.of("0f05 90=0f", "0f01c2=07", "f30f01ec=0d")) {
      String code = branch.substring(0, branch.indexOf('='));
      String type = branch.substring(branch.indexOf('=') + 1);
      List<String> lines =
          flow(
              "90" + code + "90 90 90 f4",
              START + "0213" + type + "00" + "2d0600" + "3d0700" + "01");
      assertEquals(
          List.of("100000", "100001", "CONTROL 100006", "100006", "DISABLED 0"), lines, branch);
    }
  }

  @Test
  void anExitFromAVirtualMachineIsToldAtTheNextAddress() {
    // Exits, system management, INIT, shutdown: types 08, 09, 03, 06, 0a.
    for (String type : List.of("08", "09", "03", "06", "0a")) {
      assertEquals(
          List.of("100000", "CONTROL 100001", "INTERRUPT 100003", "100003", "DISABLED 0"),
          flow("90 90 90 90 f4", START + "0213" + type + "00" + "3d0100" + "2d0300" + END),
          type);
    }
  }

  /** NOP; 100001: JE 100005; NOPs; HLT. */
  private static final String BRANCH_CODE = "90 7402 9090 90 90 f4";

  /** FUP at 100007, and the end of tracing. */
  private static final String BRANCH_END = "3d0700" + "01";

  @Test
  void aStopWhileTracingIsOnIsAnError() {
    assertEquals(
        List.of("CONTEXT at 1b 100000"),
        Flows.lines(0x100000, BRANCH_CODE, START + "0283" + "04" + BRANCH_END, Resync.PSB));
    assertEquals(
        List.of("STOPPED 0"),
        Flows.lines(0x100000, BRANCH_CODE, Flows.PSB + "0223" + "0283", Resync.PSB));
  }

  @Test
  void anAddressThatIsNotToldIsAnErrorWhereNoPacketAskedForIt() {
    assertEquals(
        List.of("NO_ADDRESS at 1b 100000"),
        Flows.lines(0x100000, BRANCH_CODE, START + "1d" + "04" + BRANCH_END, Resync.PSB));
    assertEquals(
        List.of("NO_ADDRESS at 1d 0"),
        Flows.lines(0x100000, BRANCH_CODE, START + "02f3" + "1d", Resync.PSB));
  }

  @Test
  void aBranchBeforeTheAddressThatAPacketAskedForIsAnError() {
    // MODE.TSX: begin, abort; PTW, CFE, EXSTOP, TRIG and BEP with an address.
    for (String packet :
        List.of("9921", "9922", "0292aabbccdd", "0213810e", "02e2", "d98001", "02b3")) {
      String offset = Integer.toHexString(0x1b + packet.length() / 2);
      // TNT, TIP, TIP.PGD, PSB.
      for (String next : List.of("04", "2d0500", "01", Flows.PSB)) {
        List<String> lines = Flows.lines(0x100000, BRANCH_CODE, START + packet + next, Resync.PSB);
        assertEquals(List.of("CONTEXT at " + offset + " 100000"), lines, packet + " " + next);
      }
    }
  }

  @Test
  void betweenAnAddressAndItsTargetOnlyStateIsTold() {
    // PTW, MODE.TSX, EXSTOP, TraceStop, EVD.
    for (String packet :
        List.of("0212aabbccdd", "9921", "0262", "0283", "0253000010000000000000")) {
      assertEquals(
          List.of("CONTEXT at 1e 100000"),
          Flows.lines(0x100000, BRANCH_CODE, START + "3d0100" + packet, Resync.PSB),
          packet);
    }
    // PIP, VMCS, MODE.Exec, another FUP: as for an interrupt that an instruction asked for.
    for (String packet : List.of("0243001000000000", "02c80100000000", "9901", "3d0300")) {
      List<String> lines =
          Flows.lines(
              0x100000, BRANCH_CODE, START + "3d0100" + packet + "2d0600" + BRANCH_END, Resync.PSB);
      assertEquals("100000", lines.getFirst(), packet);
      assertEquals(List.of("100006", "DISABLED 0"), lines.subList(lines.size() - 2, lines.size()));
    }
  }

  @Test
  void anOverflowEndsTheWaitForAnAddress() {
    assertEquals(
        List.of("OVERFLOW 100006", "100006", "DISABLED 0"),
        flow(BRANCH_CODE, START + "9921" + "02f3" + "7d060010000000" + BRANCH_END));
  }

  private static List<String> goldmont(String packets) {
    return Flows.lines(0x100000, "90909090f4", START + packets, Resync.PSB, Set.of(Erratum.APL12));
  }

  /** Tracing may be off although a FUP follows the overflow: the next address or branch tells. */
  @Test
  void eventsBehindTheAddressOfAnOverflowSayNotWhetherTracingIsOn() {
    String overflow = "02f3" + "7d0100100000";
    // EXSTOP, MODE.TSX, PTW, PTW with its address.
    for (String packet : List.of("0262", "9920", "0212aabbccdd", "0292aabbccdd3d0200")) {
      List<String> off = goldmont(overflow + "00" + packet + "710200100000003d030001");
      assertEquals("OVERFLOW 0", off.getFirst(), packet);
      assertEquals(
          List.of("ENABLED 100002", "100002", "DISABLED 0"), off.subList(2, off.size()), packet);
      List<String> on = goldmont(overflow + "00" + packet + "3d0300" + "01");
      assertEquals("OVERFLOW 100001", on.getFirst(), packet);
      assertEquals(List.of("100001", "100002", "DISABLED 0"), on.subList(2, on.size()), packet);
    }
    assertEquals(List.of("OVERFLOW 0", "STOPPED 0"), goldmont(overflow + "000283"));
    assertEquals(List.of("OVERFLOW 100001", "OVERFLOW 0"), goldmont(overflow + "00" + "02f3"));
  }

  @Test
  void anEventThatAsksForAnAddressRightBehindAnOverflowIsToldWhileTracingIsOff() {
    assertEquals(
        List.of("OVERFLOW 0", "PTWRITE 100001", "ENABLED 100002", "100002", "DISABLED 0"),
        flow(
            "90909090f4",
            START + "02f3" + "0292aabbccdd" + "7d010010000000" + "310200" + "3d0300" + "01"));
  }

  /** CALL 100006; HLT. 100006: NOP; CALL 10000d; RET. 10000d: NOP; RET. */
  @Test
  void aCompressedReturnByACallFromBeforeALossIsUncertain() {
    String code = "e801000000 f4 90 e801000000 c3 90 c3";
    List<String> sound =
        List.of("100000", "100006", "100007", "10000d", "10000e", "10000c", "DISABLED 100005");
    assertEquals(sound, flow(code, START + "06" + "210500"));
    // Tracing off and on at 10000d: the inner call is old, and so is the outer one.
    assertEquals(
        List.of(
            "100000",
            "100006",
            "100007",
            "DISABLED 10000d",
            "ENABLED 10000d",
            "10000d",
            "10000e",
            "UNCERTAIN_RETURN 10000c",
            "10000c",
            "UNCERTAIN_RETURN 100005",
            "DISABLED 0"),
        flow(code, START + "210d00" + "310d00" + "0e" + "3d0500" + "01"));
    // An overflow before the inner call: that one was seen, the outer one is old.
    assertEquals(
        List.of(
            "OVERFLOW 100007",
            "100007",
            "10000d",
            "10000e",
            "10000c",
            "UNCERTAIN_RETURN 100005",
            "DISABLED 0"),
        flow(code, START + "3d0600" + "2d0600" + "02f3" + "7d070010000000" + "0e" + "3d0500" + "01")
            .stream()
            .skip(2)
            .toList());
  }

  /** A block of basic information with its address, 0x100001, which the FUP behind it tells. */
  @Test
  void aBlockOfItemsIsToldWhereItEnds() {
    String items = "026304" + "04" + "0100100000000000" + "0c" + "0700000000000000";
    assertEquals(
        List.of(
            "100000",
            "BLOCK 100001",
            "BLOCK_ITEM 100001",
            "BLOCK_VALUE 100001",
            "BLOCK_ITEM 100001",
            "BLOCK_VALUE 100001",
            "BLOCK_END 100001",
            "100001",
            "100002",
            "100003",
            "DISABLED 0"),
        flow("90 90 90 90 f4", START + items + "02b3" + "3d0100" + END));
    // Without an address: where the flow is; while tracing is off, nowhere.
    assertEquals(
        List.of("BLOCK 100000", "BLOCK_END 100000"), flow("90", START + "026304" + "0233"));
    assertEquals(
        List.of("BLOCK 0", "BLOCK_END 0"), flow("90", Flows.PSB + "0223" + "026304" + "0233"));
  }

  @Test
  void aBlockOfItemsThatIsCutIsDropped() {
    String items = "026304" + "04" + "0100100000000000";
    for (String cut : List.of("02f3" + "7d000010000000", Flows.PSB + "7d000010000000" + "0223")) {
      List<String> lines = flow("90 90 90 90 f4", START + items + cut + "0233" + END);
      assertEquals("BLOCK_END 100000", lines.get(lines.size() - 6), cut);
      assertEquals(0, lines.stream().filter(line -> line.startsWith("BLOCK ")).count(), cut);
    }
  }
}

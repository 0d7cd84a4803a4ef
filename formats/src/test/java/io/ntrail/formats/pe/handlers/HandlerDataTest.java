package io.ntrail.formats.pe.handlers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.handlers.CxxFunction.Action;
import io.ntrail.formats.pe.handlers.CxxFunction.Catch;
import io.ntrail.formats.pe.handlers.CxxFunction.IpState;
import io.ntrail.formats.pe.handlers.CxxFunction.Step;
import io.ntrail.formats.pe.handlers.CxxFunction.Try;
import io.ntrail.formats.pe.handlers.FuncInfo4.Segment;
import io.ntrail.formats.pe.handlers.ScopeTable.Scope;
import io.ntrail.formats.pe.handlers.ThrowInfo.Catchable;
import io.ntrail.formats.pe.unwind.FpoTable;
import io.ntrail.formats.pe.unwind.FpoTable.Fpo;
import io.ntrail.formats.pe.unwind.UnwindImages;
import io.ntrail.testkit.LittleEndian;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Handler data written by hand. */
class HandlerDataTest {
  private static final int AT = UnwindImages.BODY;

  private static PeImage image(LittleEndian body) {
    return UnwindImages.small(body.toByteArray(), 0, 0);
  }

  private static PeImage image(String hex) {
    return UnwindImages.small(HexFormat.of().parseHex(hex.replace(" ", "")), 0, 0);
  }

  @Test
  void scopesAreFiltersOrTerminationHandlers() {
    LittleEndian body = new LittleEndian().u32(3);
    body.u32(0x1000).u32(0x1010).u32(0x2A21).u32(0);
    body.u32(0x1000).u32(0x1020).u32(1).u32(0x1030);
    body.u32(0x1000).u32(0x1040).u32(0x2B00).u32(0x1050);
    ScopeTable table = ScopeTable.read(image(body).view(), AT);
    assertEquals(Optional.empty(), table.damage());
    assertEquals(AT + 52, table.end());
    assertEquals(new Scope(0x1000, 0x1010, 0x2A21, 0), table.scopes().getFirst());
    assertTrue(table.scopes().get(0).isFinally());
    assertFalse(table.scopes().get(0).takesAll());
    assertTrue(table.scopes().get(1).takesAll());
    assertFalse(table.scopes().get(2).takesAll());
  }

  @Test
  void aCountOfScopesThatDoNotFitIsDamage() {
    LittleEndian body = new LittleEndian().u32(0xFFFF_FFFFL).u32(1).u32(2).u32(3).u32(4);
    ScopeTable table = ScopeTable.read(UnwindImages.view(AT, body.toByteArray()), AT);
    assertEquals(1, table.scopes().size());
    assertEquals(
        Optional.of("it claims 4294967295 scopes, but has room for only 1"), table.damage());
    assertTrue(ScopeTable.read(UnwindImages.view(AT, new byte[3]), AT).damage().isPresent());
  }

  @Test
  void theCookieOffsetIsWhatTheLowBitsLeave() {
    GsData plain = GsData.read(image("83000000").view(), AT);
    assertEquals(new GsData(AT, true, true, 0x80, false, 0, 0), plain);
    GsData aligned = GsData.read(image("f6ffffff 30000000 40000000").view(), AT);
    assertEquals(new GsData(AT, false, true, -16, true, 0x30, 0x40), aligned);
    assertEquals(4, plain.length());
    assertEquals(12, aligned.length());
  }

  /** FuncInfo with one step, one block of two handlers, two rows of states, and a type. */
  private static LittleEndian funcInfo(long base, boolean wide) {
    int end = wide ? 40 : 36;
    LittleEndian body = new LittleEndian();
    body.u32(0x3993_0522L).u32(2).u32(base + AT + end).u32(1);
    body.u32(base + AT + end + 16).u32(2).u32(base + AT + end + 36);
    if (wide) {
      body.u32(0x28);
    }
    body.u32(0).u32(5);
    body.u32(-1).u32(0).u32(0).u32(base + 0x7000);
    body.u32(0).u32(1).u32(2).u32(2).u32(base + AT + end + 52);
    body.u32(base + 0x1000).u32(0).u32(base + 0x1010).u32(1);
    long type = base + AT + end + 52 + (wide ? 40 : 32);
    body.u32(9).u32(type).u32(-0x20).u32(base + 0x8000);
    if (wide) {
      body.u32(0x38);
    }
    body.u32(0x40).u32(0).u32(0).u32(base + 0x8100);
    if (wide) {
      body.u32(0x38);
    }
    return body.zeros(wide ? 16 : 8).utf8z(".?AVfoo@@");
  }

  private static void check(FuncInfo3 info, boolean wide) {
    assertEquals(Optional.empty(), info.damage());
    assertEquals(0x1993_0522, info.magic());
    assertEquals(1, info.optimized());
    assertEquals(
        List.of(new Step(-1, Action.NONE, 0, 0), new Step(0, Action.CALL, 0x7000, 0)),
        info.steps());
    long type = wide ? AT + 132L : AT + 120L;
    long frame = wide ? 0x38 : 0;
    Catch foo = new Catch(9, type, ".?AVfoo@@", -0x20, 0x8000, frame, List.of());
    Catch all = new Catch(0x40, 0, "", 0, 0x8100, frame, List.of());
    assertEquals(List.of(new Try(0, 1, 2, List.of(foo, all))), info.tries());
    assertTrue(all.takesAll());
    assertEquals(List.of(new IpState(0x1000, 0), new IpState(0x1010, 1)), info.ipStates());
    assertEquals(-1, info.stateAt(0xFFF));
    assertEquals(0, info.stateAt(0x100F));
    assertEquals(1, info.stateAt(0x1010));
    assertEquals(5, info.flags());
    assertTrue(info.isNoexcept());
    assertEquals(wide ? 0x28 : 0, info.unwindHelp());
  }

  @Test
  void funcInfoOfX64HasPlacesCountedFromTheImage() {
    PeImage image = image(funcInfo(0, true));
    assertTrue(FuncInfo3.isAt(image, AT));
    check(FuncInfo3.read(image, AT), true);
  }

  @Test
  void funcInfoOfX86HasAddressesAndNoOffsetInTheFrame() {
    PeImage image = UnwindImages.small32(funcInfo(0x40_0000, false).toByteArray());
    check(FuncInfo3.read(image, AT), false);
  }

  @Test
  void dataWithoutMagicIsNotAFuncInfo() {
    PeImage image = image(new LittleEndian().u32(0x1993_0523).zeros(36));
    assertFalse(FuncInfo3.isAt(image, AT));
    assertEquals(
        Optional.of("it starts with 19930523h, not a magic number"),
        FuncInfo3.read(image, AT).damage());
  }

  @Test
  void countsThatDoNotFitAreDamageAndTheOtherTablesAreRead() {
    LittleEndian body = funcInfo(0, true).setU32(4, 0x7FFF_FFFF);
    FuncInfo3 info = FuncInfo3.read(image(body), AT);
    assertTrue(info.damage().orElseThrow().startsWith("its unwind map claims 2147483647 entries"));
    assertEquals(1, info.tries().size());
    assertEquals(2, info.ipStates().size());
  }

  @Test
  void packedNumbersTakeOneToFiveBytes() {
    // The map of states: five rows whose distances are 1, 0FFh, 3FFFFh, 1FFFFFFh and 12345678h.
    String rows = "02 00 fd03 02 fbff1f 04 f7ffff1f 06 0f78563412 08";
    FuncInfo4 info = FuncInfo4.read(image("40 05020000 0a" + rows), AT, 0x1000);
    assertEquals(Optional.empty(), info.damage());
    assertTrue(info.isNoexcept());
    assertEquals(
        List.of(
            new Segment(
                0x1000,
                List.of(
                    new IpState(0x1001, -1),
                    new IpState(0x1100, 0),
                    new IpState(0x410FF, 1),
                    new IpState(0x20410FE, 2),
                    new IpState(0x14386776, 3)))),
        info.segments());
    assertEquals(1, info.stateAt(0x41100));
  }

  @Test
  void stepsOfPackedFormLeadBackByBytes() {
    String steps = "08 08 0a00700000 20 3c00710000 40 6600720000";
    FuncInfo4 info = FuncInfo4.read(image("08 09020000 00000000 " + steps), AT, 0x1000);
    assertEquals(Optional.empty(), info.damage());
    assertEquals(
        List.of(
            new Step(-1, Action.NONE, 0, 0),
            new Step(0, Action.DESTROY_OBJECT, 0x7000, 0x10),
            new Step(0, Action.DESTROY_POINTED, 0x7100, 0x20),
            new Step(1, Action.CALL, 0x7200, 0)),
        info.steps());
  }

  @Test
  void aStepThatLeadsIntoAnotherIsDamage() {
    FuncInfo4 info =
        FuncInfo4.read(image("08 09020000 00000000 04 1600700000 1600700000"), AT, 0x1000);
    assertEquals(Optional.of("step 1 of its unwind map links to no step"), info.damage());
    assertEquals(2, info.steps().size());
  }

  @Test
  void handlersOfPackedFormHaveWhatTheirFlagsSay() {
    String tries = "02 00 02 04 12020000";
    String handlers =
        "06 17 10 32020000 50 00300000 80 28 00310000 11100000 22100000 01 80 00320000";
    String type = "00000000000000000000000000000000 2e3f4156666f6f404000";
    PeImage image = image("11 0a020000 00000000 70 " + tries + handlers + type);
    FuncInfo4 info = FuncInfo4.read(image, AT, 0x1000);
    assertEquals(Optional.empty(), info.damage());
    assertTrue(info.is(FuncInfo4.CATCH));
    assertEquals(0x38, info.frameOffset());
    assertEquals(
        List.of(
            new Try(
                0,
                1,
                2,
                List.of(
                    new Catch(8, 0x232, ".?AVfoo@@", 0x28, 0x3000, 0, List.of(0x1040L)),
                    new Catch(0, 0, "", 0, 0x3100, 0, List.of(0x1011L, 0x1022L)),
                    new Catch(0x40, 0, "", 0, 0x3200, 0, List.of())))),
        info.tries());
  }

  @Test
  void aFunctionInPiecesHasAMapOfStatesForEach() {
    PeImage image = image("02 05020000 04 00100000 16020000 00500000 19020000 02 08 02 02 10 04");
    FuncInfo4 info = FuncInfo4.read(image, AT, 0x5000);
    assertEquals(Optional.empty(), info.damage());
    assertEquals(
        List.of(
            new Segment(0x1000, List.of(new IpState(0x1004, 0))),
            new Segment(0x5000, List.of(new IpState(0x5008, 1)))),
        info.segments());
    assertEquals(1, info.stateAt(0x5009));
  }

  @Test
  void whatIsThrownNamesTheTypesThatCatchIt() {
    LittleEndian body = new LittleEndian().u32(1).u32(0x7000).u32(0).u32(AT + 16);
    body.u32(1).u32(AT + 24);
    body.u32(1).u32(AT + 52).u32(0).u32(-1).u32(4).u32(16).u32(0x7100);
    body.zeros(16).utf8z(".?AVfoo@@");
    ThrowInfo info = ThrowInfo.read(image(body), AT);
    assertEquals(
        new ThrowInfo(
            AT,
            1,
            0x7000,
            0,
            List.of(new Catchable(1, AT + 52, ".?AVfoo@@", 0, -1, 4, 16, 0x7100)),
            Optional.empty()),
        info);
  }

  @Test
  void frameDataOfOldImagesAreFieldsOfBits() {
    byte[] array =
        new LittleEndian()
            .u32(0x2000)
            .u32(0x20)
            .u32(0)
            .u16(0)
            .u16(0xC000)
            .u32(0x1000)
            .u32(0x100)
            .u32(6)
            .u16(3)
            .u16(0x5 | 3 << 8 | 1 << 11 | 1 << 12)
            .u32(7)
            .toByteArray();
    FpoTable table = FpoTable.of(Bytes.copyOf(array, "fpo"));
    Fpo first = new Fpo(0x1000, 0x100, 24, 12, 5, 3, true, true, FpoTable.Frame.FPO);
    Fpo second = new Fpo(0x2000, 0x20, 0, 0, 0, 0, false, false, FpoTable.Frame.NON_FPO);
    assertEquals(List.of(first, second), table.entries());
    assertEquals(Optional.of(first), table.find(0x10FF));
    assertEquals(Optional.empty(), table.find(0x1100));
    assertEquals(Optional.empty(), table.find(0xFFF));
  }

  @Test
  void aFunctionOfX86RegistersItselfInItsPrologue() {
    // push ebp; mov ebp, esp; push -2; push 400300h; push 401500h; mov eax, fs:[0]
    String code = "558bec 6afe 6800034000 6800154000 64a100000000";
    String table =
        "feffffff 00000000 d4ffffff 00000000"
            + "feffffff aa024000 b7024000 00000000 00000000 c0024000 05000000";
    byte[] body = new byte[0x200];
    byte[] start = HexFormat.of().parseHex(code.replace(" ", ""));
    byte[] levels = HexFormat.of().parseHex(table.replace(" ", ""));
    System.arraycopy(start, 0, body, 0, start.length);
    System.arraycopy(levels, 0, body, 0x100, levels.length);
    SehFrame frame = SehFrame.of(UnwindImages.small32(body), AT, AT + 0x100).orElseThrow();
    assertEquals(
        new SehFrame(
            AT,
            4,
            0x1500,
            0x300,
            Optional.of(new SehFrame.Cookies(-2, 0, -0x2C, 0)),
            List.of(new SehFrame.Level(-2, 0x2AA, 0x2B7), new SehFrame.Level(0, 0, 0x2C0))),
        frame);
    assertFalse(frame.levels().get(0).isFinally());
    assertTrue(frame.levels().get(1).isFinally());
  }
}

package io.ntrail.formats.pe.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.unwind.UnwindInfo.Epilog;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UnwindInfoTest {
  private static UnwindInfo read(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    return UnwindInfo.read(UnwindImages.view(0x1000, bytes), 0x1000);
  }

  private static List<String> codes(UnwindInfo info) {
    return info.codes().stream().map(UnwindInfoTest::told).toList();
  }

  private static String told(UnwindCode code) {
    return Integer.toHexString(code.offset())
        + " "
        + code.operation()
        + (code.register() < 0 ? "" : " " + code.registerName())
        + (code.second() < 0 ? "" : "," + code.secondName())
        + (code.value() == 0 ? "" : " " + Long.toHexString(code.value()));
  }

  @Test
  void everyOperationOfVersion1HasItsRegisterAndBytes() {
    UnwindInfo info =
        read(
            "01 30 1d 25"
                + "3010 2f0a 2e1a 2d69 00100000 2c78 0300 2bd5 00000100 2ab4 0700 2903 2872"
                + "2701 0002 2611 00000800 25e0 2416 0200 2327 00020000 220b 10000000 0000");
    assertEquals(
        List.of(
            "30 UWOP_PUSH_NONVOL rcx",
            "2f UWOP_PUSH_MACHFRAME",
            "2e UWOP_PUSH_MACHFRAME 1",
            "2d UWOP_SAVE_XMM128_FAR xmm6 1000",
            "2c UWOP_SAVE_XMM128 xmm7 30",
            "2b UWOP_SAVE_NONVOL_FAR r13 10000",
            "2a UWOP_SAVE_NONVOL r11 38",
            "29 UWOP_SET_FPREG rbp 20",
            "28 UWOP_ALLOC_SMALL 40",
            "27 UWOP_ALLOC_LARGE 1000",
            "26 UWOP_ALLOC_LARGE 80000",
            "25 UWOP_PUSH_NONVOL r14",
            "24 UWOP_SAVE_XMM xmm1 10",
            "23 UWOP_SAVE_XMM_FAR xmm2 200",
            "22 UWOP_SET_FPREG_LARGE rbp 100"),
        codes(info));
    assertEquals(Optional.empty(), info.damage());
    assertEquals(0x30, info.prologSize());
    assertEquals(5, info.frameRegister());
    assertEquals(0x20, info.frameOffset());
    assertEquals(
        List.of(0, 1, 2, 3, 6, 8, 11, 13, 14, 15, 17, 20, 21, 23, 26),
        info.codes().stream().map(UnwindCode::at).toList());
    assertEquals(64, info.length());
  }

  @Test
  void aSpareCodeOfVersion2TakesThreeSlotsAndDoesNothing() {
    UnwindInfo info = read("02 10 04 00 1007 11223344 0470 0000");
    assertEquals(List.of("10 UWOP_SPARE_CODE 44332211", "4 UWOP_PUSH_NONVOL rdi"), codes(info));
    assertEquals(List.of(info.codes().get(1)), info.prologCodes());
  }

  @Test
  void theHandlerAndItsDataFollowAnEvenNumberOfSlots() {
    UnwindInfo odd = read("09 04 01 00 0462 ffff 78563412");
    assertEquals(0x12345678, odd.handler());
    assertEquals(0x100C, odd.handlerData());
    assertEquals(12, odd.length());
    UnwindInfo even = read("11 04 02 00 0462 0230 78563412");
    assertEquals(0x12345678, even.handler());
    assertEquals(0x100C, even.handlerData());
  }

  @Test
  void whatIsChainedHasNoHandlerWhateverItsFlagsSay() {
    UnwindInfo info = read("39 00 00 00 10200000 20200000 00300000");
    assertTrue(info.is(UnwindInfo.CHAININFO));
    assertFalse(info.hasHandler());
    assertEquals(
        Optional.of(new RuntimeFunction(0x1004, 0x2010, 0x2020, 0x3000, false)), info.chained());
  }

  @Test
  void epiloguesOfVersion2CountFromTheEndOfTheRange() {
    UnwindInfo info = read("02 04 05 00 0316 2006 8046 0006 0462 0000");
    assertEquals(Optional.empty(), info.damage());
    RuntimeFunction function = new RuntimeFunction(0, 0x10000, 0x11000, 0x1000, false);
    assertEquals(
        List.of(0x10FFDL, 0x10FE0L, 0x10B80L),
        info.epilogs().stream().map(epilog -> epilog.startIn(function)).toList());
    assertTrue(info.epilogs().stream().allMatch(epilog -> epilog.size() == 3));
    assertEquals(List.of(0, 0x20, 0x480), info.epilogs().stream().map(Epilog::stored).toList());
    assertEquals(1, info.prologCodes().size());
    assertEquals(4, info.prologCodes().getFirst().at());
  }

  @Test
  void withoutTheFlagNoEpilogueIsAtTheEnd() {
    UnwindInfo info = read("02 04 02 00 0106 3006");
    assertEquals(List.of(-0x30), info.epilogs().stream().map(Epilog::start).toList());
  }

  @Test
  void codesOfEpiloguesThatDoNotComeInPairsAreDamage() {
    UnwindInfo info = read("02 04 02 00 0116 0462");
    assertEquals(Optional.of("odd number of epilog codes"), info.damage());
  }

  @Test
  void anOperationWithoutMeaningEndsTheCodesAndNotTheRest() {
    UnwindInfo info = read("09 04 02 00 043e 0230 78563412");
    assertEquals(List.of("4 UNKNOWN"), codes(info));
    assertEquals(0x12345678, info.handler());
    assertEquals(Optional.of("the code in slot 0 has an unknown operation"), info.damage());
  }

  @Test
  void codesThatEndInsideOfOneAreDamage() {
    UnwindInfo info = read("01 04 02 00 0462 0205");
    assertEquals(List.of("4 UWOP_ALLOC_SMALL 38"), codes(info));
    assertEquals(Optional.of("its codes end inside the one in slot 1"), info.damage());
  }

  @Test
  void otherVersionsAreDamage() {
    for (String first : List.of("00", "04", "05", "06", "07")) {
      UnwindInfo info = read(first + "000000");
      assertEquals(List.of(), info.codes());
      assertEquals(Optional.of("unknown version " + Integer.parseInt(first)), info.damage());
    }
  }

  @Test
  void truncationAtAnyByteIsDamageAndKeepsTheHeader() {
    byte[] whole = HexFormat.of().parseHex("1904030004620230018088775566");
    byte[] complete = Arrays.copyOf(whole, 16);
    for (int length = 0; length < complete.length; length++) {
      byte[] cut = Arrays.copyOf(complete, length);
      UnwindInfo info = UnwindInfo.read(UnwindImages.view(0x1000, cut), 0x1000);
      assertTrue(info.damage().isPresent());
      assertEquals(length < 4 ? 0 : 3, info.codeCount());
    }
    UnwindInfo info = UnwindInfo.read(UnwindImages.view(0x1000, complete), 0x1000);
    assertEquals(Optional.empty(), info.damage());
  }

  @Test
  void aLongPrologueOfVersion3HasWideOffsets() {
    UnwindInfo info = read("43 34 02 01 12 2a01 3c");
    assertEquals(0x1234, info.prologSize());
    assertEquals(List.of("12a WOD_PUSH rdi"), codes(info));
    assertEquals(Optional.empty(), info.damage());
    assertEquals(8, info.length());
  }

  @Test
  void registersOfVersion3GoUpTo31() {
    UnwindInfo info = read("03 08 06 04 06040200 fc e0fe bf 1a0100 00");
    assertEquals(
        List.of(
            "6 WOD_PUSH r31",
            "4 WOD_PUSH2 r27,r31",
            "2 WOD_PUSH_CONSECUTIVE_2 r23,r24",
            "0 WOD_SAVE_XMM128 xmm1 10"),
        codes(info));
  }

  @Test
  void allThatOtherToolsTellOfTheSharedVectorsIsFound() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    int rows = 0;
    for (String line : Files.readAllLines(TestData.file("pe/unwind/unwind-info-v2-v3.tsv"))) {
      String[] cells = line.split("\t", -1);
      if (line.startsWith("#") || cells[0].equals("name")) {
        continue;
      }
      UnwindInfo info = read(cells[3]);
      RuntimeFunction function =
          RuntimeFunction.of(0, Long.parseLong(cells[1], 16), Long.parseLong(cells[2], 16), 0x1000);
      assertEquals(cells[4], String.join(";", items(info, function)), cells[0]);
      rows++;
    }
    assertEquals(6, rows);
  }

  /** Returns what was read in the words of the shared vectors. */
  private static List<String> items(UnwindInfo info, RuntimeFunction function) {
    List<String> items = new ArrayList<>();
    items.add("version " + info.version());
    items.add("flags " + info.flags());
    items.add("prolog " + Integer.toHexString(info.prologSize()));
    items.addAll(info.version() == 3 ? version3(info) : version2(info, function));
    if (info.hasHandler()) {
      items.add("handler " + Long.toHexString(info.handler()));
    }
    return items;
  }

  private static List<String> version2(UnwindInfo info, RuntimeFunction function) {
    List<String> items = new ArrayList<>();
    items.add("codes " + info.codeCount());
    if (info.version() == 2) {
      items.add("frame " + (info.frameRegister() == 0 ? "none" : "?"));
    }
    for (UnwindCode code : info.codes()) {
      if (code.operation() != UnwindOperation.UWOP_EPILOG) {
        items.add(brief(code));
      } else if (code.at() == 0) {
        items.add(
            "epilog "
                + ((code.info() & 1) != 0 ? "at-end " : "")
                + "length "
                + Long.toHexString(code.value()));
        assertEquals(function.end() - code.value(), info.epilogs().get(0).startIn(function));
      } else if (code.value() != 0) {
        items.add("epilog offset " + Long.toHexString(code.value()));
        assertEquals(function.end() - code.value(), info.epilogs().get(1).startIn(function));
      }
    }
    return items;
  }

  private static List<String> version3(UnwindInfo info) {
    List<String> items = new ArrayList<>();
    items.add("payload-words " + Integer.toHexString(info.payloadWords()));
    items.add("ops " + Integer.toHexString(info.codeCount()));
    items.add("epilogs " + info.epilogs().size());
    info.codes().forEach(code -> items.add(brief(code)));
    for (Epilog epilog : info.epilogs()) {
      String offset =
          (epilog.stored() < 0 ? "-" : "+") + Integer.toHexString(Math.abs(epilog.stored()));
      if (epilog.inherited()) {
        items.add("epilog offset " + offset + " inherited");
      } else {
        items.add(
            "epilog flags "
                + epilog.flags()
                + " offset "
                + offset
                + " last "
                + Integer.toHexString(epilog.size())
                + " first-op "
                + epilog.firstOp()
                + ": "
                + String.join(", ", epilog.codes().stream().map(UnwindInfoTest::brief).toList()));
      }
    }
    return items;
  }

  private static String brief(UnwindCode code) {
    String name = code.operation().name();
    String shorter = name.substring(name.indexOf('_') + 1);
    return switch (code.operation()) {
      case WOD_SET_FPREG ->
          Integer.toHexString(code.offset())
              + " SET_FPREG "
              + code.registerName()
              + "+"
              + Long.toHexString(code.value());
      case WOD_PUSH_CONSECUTIVE_2 ->
          Integer.toHexString(code.offset()) + " " + shorter + " " + code.registerName();
      default -> told(code).replace(name, shorter);
    };
  }
}

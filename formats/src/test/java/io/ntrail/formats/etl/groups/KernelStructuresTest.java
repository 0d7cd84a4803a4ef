package io.ntrail.formats.etl.groups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes of kernel sessions: those that xbootmgr wrote, as published, and others worked by hand. */
class KernelStructuresTest {
  private static final HexFormat HEX = HexFormat.of();

  private static String mask(String... names) {
    KernelGroups groups = new KernelGroups();
    GroupMask mask = GroupMask.NONE;
    for (String name : names) {
      mask = mask.and(groups.named(name).orElseThrow());
    }
    return HEX.formatHex(mask.toBytes());
  }

  private static String words(String... words) {
    return String.join("", words) + "00000000".repeat(8 - words.length);
  }

  @Test
  void theMaskOfXbootmgrIsThatOfItsNames() {
    assertEquals(
        "0707000086020000" + "00".repeat(24),
        mask(
            "PROC_THREAD",
            "LOADER",
            "DISK_IO",
            "DISK_IO_INIT",
            "DPC",
            "CSWITCH",
            "DISPATCHER",
            "PROFILE"));
  }

  @Test
  void aGroupIsInTheWordOfItsTopBits() {
    assertEquals(words("00000000", "00000000", "40000000"), mask("SYSCALL"));
    assertEquals(
        words("00800000", "00000000", "00000000", "00000000", "00800000"), mask("POWER", "VAMAP"));
    assertEquals(
        words("00000000", "00000000", "00000000", "00000000", "00000000", "01000000"),
        mask("HIBERRUNDOWN"));
    assertEquals(
        words("00000000", "00000000", "00000001", "00000000", "00000001"),
        mask("WDF_DPC", "REG_HIVE"));
  }

  @Test
  void namesOfWprAreThoseOfXperfInOtherWords() {
    assertEquals(
        mask("PROFILE", "DISPATCHER", "SYSCALL", "PROC_THREAD"),
        mask("SampledProfile", "ReadyThread", "SystemCall", "ProcessThread"));
  }

  @Test
  void wprSpellsKeywordsAndEventsInItsOwnWay() {
    KernelGroups groups = new KernelGroups();
    StackEvents events = new StackEvents();
    assertEquals("ContiguousMemorygeneration", groups.keyword("CONTMEMGEN").orElseThrow());
    assertEquals("Handle", groups.keyword("Handle").orElseThrow());
    assertTrue(groups.keyword("INTERRUPT_STEER").isEmpty());
    assertEquals("SystemCallExit", events.wpr("systemcallexit").orElseThrow().name());
    assertTrue(events.wpr("SyscallExit").isEmpty());
    assertTrue(events.wpr("PmcInterrupt").isEmpty());
  }

  @Test
  void anEventOfWprWithoutAKnownHookIdIsNotOneToAskFor() {
    StackEvents events = new StackEvents();
    assertEquals("ProcessFreeze", events.wpr("ProcessResume").orElseThrow().group());
    assertTrue(events.named("ProcessResume").isEmpty());
    assertTrue(events.wpr("HeapAllocation").isPresent());
    assertTrue(events.named("HeapAllocation").isEmpty());
  }

  @Test
  void ownNamesHaveProcessesAndImages() {
    assertEquals(words("07000000", "02000000"), mask("cpu"));
    assertEquals(words("07000000", "04020000"), mask("wait"));
    assertEquals(words("07070000"), mask("disk"));
    assertEquals(words("07020006"), mask("file"));
    assertEquals(words("07200000", "00800000"), mask("memory"));
    assertEquals(words("07000100"), mask("network"));
    assertEquals(words("07000200"), mask("registry"));
    assertEquals(words("07000000", "00000000", "40000000"), mask("syscall"));
  }

  @Test
  void upperCaseMemoryIsTheGroupOfXperf() {
    assertEquals(words("00000000", "01000000"), mask("MEMORY"));
  }

  @Test
  void theFilterOfXbootmgrIsThatOfItsEvents() {
    StackEvents events = new StackEvents();
    List<StackEvent> three =
        List.of(
            events.named("Profile").orElseThrow(),
            events.named("CSWITCH").orElseThrow(),
            events.named("readythread").orElseThrow());
    assertEquals("2e0f00002405000032050000", HEX.formatHex(StackEvents.filter(three)));
  }

  @Test
  void anEventCanBeANumber() {
    assertEquals(0x0F2E, new StackEvents().named("0xF2e").orElseThrow().hookId());
    assertTrue(new StackEvents().named("0x10F2E").isEmpty());
    assertFalse(new StackEvents().isOfOtherSessions("Profile"));
    assertTrue(new StackEvents().isOfOtherSessions("HeapAlloc"));
  }

  @Test
  void everyEventIsLoggedByAGroupThatThereIs() {
    KernelGroups groups = new KernelGroups();
    StackEvents events = new StackEvents();
    for (String name : events.names()) {
      String group = events.named(name).orElseThrow().group();
      assertTrue(group.isEmpty() || groups.named(group).isPresent(), name + " " + group);
    }
  }

  @Test
  void theListHasAMostOf256() {
    StackEvent one = new StackEvents().named("Profile").orElseThrow();
    assertEquals(1024, StackEvents.filter(Collections.nCopies(256, one)).length);
    List<StackEvent> tooMany = Collections.nCopies(257, one);
    assertThrows(IllegalArgumentException.class, () -> StackEvents.filter(tooMany));
  }

  /** PERF_OB_HANDLE, PERF_DISPATCHER and a bit that has no name, as ntwmi.h has them. */
  @Test
  void aGroupIsTakenByItsNumberAndToldByItsNameIfItHasOne() {
    KernelGroups groups = new KernelGroups();
    GroupMask mask =
        groups
            .named("0x80000040")
            .orElseThrow()
            .and(groups.named("0X20000200").orElseThrow())
            .and(groups.named("0x40000010").orElseThrow());
    assertEquals(List.of("DISPATCHER", "Handle", "0x40000010"), groups.namesOf(mask));
    assertEquals(0x40, mask.word(4));
    assertTrue(groups.named("0x123456789").isEmpty());
  }
}

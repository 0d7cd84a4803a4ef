package io.ntrail.live.etw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.etw.EnableParameters.Filter;
import io.ntrail.live.etw.SessionProperties.Buffers;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Structures for the calls that control sessions, against bytes that were worked out by hand from
 * the declarations of Windows' headers, and against what xperf used as published.
 */
class SessionStructuresTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final String KERNEL = "ad4a819e0432d2119a82006008a86939";
  private static final FlagExtension PROFILE_STACKS =
      new FlagExtension()
          .groups(GroupMask.of(7).and(GroupMask.of(0x2000_0002)))
          .stacks(events("Profile", "CSwitch", "ReadyThread"));

  private static List<StackEvent> events(String... names) {
    StackEvents known = new StackEvents();
    return Arrays.stream(names).map(name -> known.named(name).orElseThrow()).toList();
  }

  private static SessionProperties kernel(Optional<FlagExtension> extension, OptionalLong options) {
    return new SessionProperties(
        SessionState.KERNEL_NAME,
        "C:\\k.etl",
        SessionState.KERNEL,
        new Buffers(64, 64, 320),
        SessionMode.SEQUENTIAL,
        0,
        0,
        7,
        extension,
        options);
  }

  /** Compares bytes with lines of offset (hexadecimal) and bytes. */
  private static void assertBytes(byte[] bytes, String lines) {
    for (String line : lines.lines().toList()) {
      String[] words = line.strip().split(" ", 2);
      int at = Integer.parseInt(words[0], 16);
      String expected = words[1].replace(" ", "");
      assertEquals(expected, HEX.formatHex(bytes, at, at + expected.length() / 2), words[0]);
    }
  }

  @Test
  void theRequestForAKernelSessionIsTheStructureOf64BitCode() {
    byte[] bytes = kernel(Optional.empty(), OptionalLong.empty()).toBytes(8);
    assertEquals(0x1078, bytes.length);
    assertBytes(
        bytes,
        """
        00 78100000 00000000 0000000000000000 0000000000000000
        18 %s
        28 01000000 00000200
        30 40000000 40000000 40010000
        3C 00000000 01000000 00000000 07000000 00000000
        50 00000000 00000000 00000000 00000000 00000000 00000000
        68 0000000000000000 78080000 78000000
        78 4e00540020004b00650072006e0065006c0020004c006f006700670065007200 0000
        878 43003a005c006b002e00650074006c00 0000\
        """
            .formatted(KERNEL));
  }

  @Test
  void in32BitCodeTheOffsetsOfNamesFollowAShorterPointer() {
    byte[] bytes = kernel(Optional.empty(), OptionalLong.empty()).toBytes(4);
    assertEquals(0x1078, bytes.length);
    assertBytes(
        bytes,
        """
        48 07000000
        68 00000000 78080000 78000000 00000000
        78 4e005400\
        """);
  }

  @Test
  void optionsOfWindows10AreBehindTheStructure() {
    byte[] bytes = kernel(Optional.empty(), OptionalLong.of(8)).toBytes(8);
    assertEquals(0x1090, bytes.length);
    assertBytes(
        bytes,
        """
        00 90100000
        2C 00008200
        70 90080000 90000000
        78 02000000 00000000 0000000000000000 0800000000000000
        90 4e005400
        890 43003a00\
        """);
  }

  /** Offsets are those that the compiler of mingw-w64 for 32-bit code gives the declaration. */
  @Test
  void optionsOfWindows10In32BitCodeFollowTheNamesAtOnce() {
    byte[] bytes = kernel(Optional.empty(), OptionalLong.of(8)).toBytes(4);
    assertEquals(0x1088, bytes.length);
    assertBytes(
        bytes,
        """
        00 88100000
        2C 00008200
        68 00000000 88080000 88000000
        74 02000000 00000000 00000000 0800000000000000
        88 4e005400
        888 43003a00\
        """);
  }

  @Test
  void aSessionOfHeapsChoosesProcessesInItsExtension() {
    List<StackEvent> stacks =
        Stream.of("HeapAlloc", "HeapRealloc")
            .map(name -> new StackEvents().ofHeaps(name).orElseThrow())
            .toList();
    HeapRequest request =
        new HeapRequest(
            "h",
            "C:\\h.etl",
            new Buffers(1024, 64, 256),
            SessionMode.SEQUENTIAL,
            100,
            List.of(4312, 5020),
            "",
            stacks);
    byte[] bytes = request.properties().toBytes(8);
    assertEquals(0x488 + 4 * 7, bytes.length);
    assertBytes(
        bytes,
        """
        18 ab622922 8061 884b a825346b75f2a24a
        3C 64000000 01000000 00000000 8804ff80
        488 0700 0200
        48C 0300 0200 d8100000 9c130000
        498 0300 0300 21100000 22100000\
        """);
    HeapRequest later =
        new HeapRequest(
            "h", "C:\\h.etl", new Buffers(1024, 64, 256), 1, 100, List.of(), "a.exe", List.of());
    assertBytes(
        later.properties().toBytes(8),
        """
        488 0300 0100
        48C 0200 0200 00000000\
        """);
  }

  @Test
  void tagsOfThePoolAreInTheExtensionBeforeWindows8() {
    KernelRequest request =
        new KernelRequest(
            "k",
            "C:\\k.etl",
            new Buffers(1024, 64, 256),
            SessionMode.SEQUENTIAL,
            100,
            GroupMask.of(7),
            List.of(),
            new KernelRequest.More(
                List.of(), List.of(), List.of(), List.of(0x6674_744E, 0x2062_6F4A)));
    for (KernelSessionKind kind :
        List.of(KernelSessionKind.EXTENSION, KernelSessionKind.KERNEL_LOGGER)) {
      byte[] bytes = kind.properties(request).toBytes(8);
      assertBytes(
          bytes,
          """
          48 8804ff80
          488 0d00 0200
          48C 0900 0100 07000000
          4B0 0300 0400 4e747466 4a6f6220\
          """);
    }
    assertEquals(Optional.empty(), KernelSessionKind.SYSTEM_LOGGER.properties(request).extension());
  }

  @Test
  void theExtensionLiesWhereXperfHasItOnVista() {
    byte[] bytes = kernel(Optional.of(PROFILE_STACKS), OptionalLong.empty()).toBytes(4);
    // A head, a mask (head and 8 words), three events (head and 3 words): 14 words.
    assertEquals(0x488 + 4 * 14, bytes.length);
    assertBytes(
        bytes,
        """
        00 c0040000
        28 01000000 00000200 40000000 40000000 40010000 00000000 01000000 00000000 8804ff80
        6C 80020000 78000000
        280 43003a00
        488 0e00 0200
        48C 0900 0100 07000000 02000000 000000000000000000000000000000000000000000000000
        4B0 0400 0300 2e0f0000 24050000 32050000\
        """);
  }

  @Test
  void otherItemsOfTheExtensionHaveTheirNumbers() {
    byte[] bytes =
        new FlagExtension()
            .processes(List.of(4312, 5020))
            .poolTags(List.of(0x6B6E6148))
            .stackCaching(0x200000, 256)
            .toBytes();
    assertEquals(
        "0900 0300 0300 0200 d8100000 9c130000 0200 0400 48616e6b 0300 0500 00002000 00010000"
            .replace(" ", ""),
        HEX.formatHex(bytes));
    FlagExtension none = new FlagExtension();
    List<Integer> nine = Collections.nCopies(9, 4);
    assertThrows(IllegalArgumentException.class, () -> none.processes(nine));
  }

  @Test
  void aNameThatDoesNotFitIsRefused() {
    Optional<FlagExtension> extension = Optional.of(PROFILE_STACKS);
    SessionProperties good = SessionProperties.named("n".repeat(1023));
    assertEquals(0x1078, good.toBytes(8).length);
    String tooLong = "n".repeat(1024);
    CannotGoOn refused = assertThrows(CannotGoOn.class, () -> SessionProperties.named(tooLong));
    assertEquals(
        "the name of the session has 1024 characters; Windows takes at most 1023 here",
        refused.message());
    String longFor260 = "n".repeat(260);
    OptionalLong none = OptionalLong.empty();
    Buffers buffers = new Buffers(64, 2, 4);
    assertThrows(
        CannotGoOn.class,
        () ->
            new SessionProperties(longFor260, "", Guid.ZERO, buffers, 1, 0, 0, 0, extension, none));
  }

  @Test
  void theStateHasTheCountersOfTheStructure() {
    byte[] block =
        new BytesBuilder(0x200)
            .u32(0x200)
            .u32(0)
            .u64(0x1_0000_0005L)
            .zeros(0x20)
            .u32(1024)
            .u32(64)
            .u32(640)
            .u32(2048)
            .u32(0x0200_0001)
            .u32(0)
            .u32(7)
            .u32(0)
            .u32(640)
            .u32(599)
            .u32(17)
            .u32(62)
            .u32(3)
            .u32(2)
            .u64(0)
            .u32(0xA0)
            .u32(0x78)
            .utf16z("ntrail")
            .zeros(0xA0 - 0x86)
            .utf16z("C:\\r.etl")
            .zeros(0x200 - 0xB2)
            .toArray();
    SessionState state = SessionState.read(Bytes.copyOf(block, "state"), 8);
    assertEquals("ntrail", state.name());
    assertEquals("C:\\r.etl", state.file());
    assertEquals(0x1_0000_0005L, state.handle());
    assertEquals(41, state.used());
    assertEquals(640, state.buffers());
    assertEquals(62, state.written());
    assertEquals(2048, state.mebibytes());
    assertEquals(new SessionState.Lost(17, 3, 2), state.lost());
    assertTrue(state.isKernel());
  }

  @Test
  void stacksAreAskedForByClassAndType() {
    TraceSetting setting =
        TraceSetting.stacks(events("Profile", "CSwitch", "ReadyThread", "ImageLoad"));
    assertEquals(3, setting.infoClass());
    assertEquals(
        ("b4bf1dce7e13a64d87b03f59aa102cbc 2e 00000000000000"
                + "d1a86f3d05fed0119dda00c04fd7ba7c 24 00000000000000"
                + "d1a86f3d05fed0119dda00c04fd7ba7c 32 00000000000000"
                + "d0a86f3d05fed0119dda00c04fd7ba7c 0a 00000000000000")
            .replace(" ", ""),
        HEX.formatHex(setting.data()));
  }

  @Test
  void otherSettingsHaveTheirClassesAndBytes() {
    List<TraceSetting> settings =
        List.of(
            TraceSetting.groups(GroupMask.of(0x8000_8000)),
            TraceSetting.interval(0, 10_000),
            TraceSetting.sampledCounters(List.of(2, 19)),
            TraceSetting.counterEvents(events("CSwitch")),
            TraceSetting.counters(List.of(10, 11)),
            TraceSetting.branches(0x201),
            TraceSetting.branchEvents(events("PmcInterrupt")),
            TraceSetting.stackCaching(0x100000, 0));
    List<String> expected =
        List.of(
            "4 " + "00".repeat(16) + "00800000" + "00".repeat(12),
            "5 0000000010270000",
            "6 0200000013000000",
            "8 d1a86f3d05fed0119dda00c04fd7ba7c2400000000000000",
            "9 0a0000000b000000",
            "20 01020000",
            "21 2f0f0000",
            "24 010000000000100000000000");
    assertEquals(
        expected,
        settings.stream().map(one -> one.infoClass() + " " + HEX.formatHex(one.data())).toList());
    assertThrows(IllegalArgumentException.class, () -> TraceSetting.interval(0, 1220));
    assertThrows(IllegalArgumentException.class, () -> TraceSetting.interval(0, 10_000_001));
  }

  @Test
  void filtersOfAProviderArePointedTo() {
    EnableParameters parameters =
        new EnableParameters(
            EnableParameters.STACKS,
            Guid.ZERO,
            List.of(Filter.processes(List.of(4312)), Filter.events(true, List.of(1, 300))));
    byte[] bytes = parameters.toBytes(0x1000, 8);
    assertEquals(96, bytes.length);
    assertBytes(
        bytes,
        """
        00 02000000 04000000 00000000 00000000000000000000000000000000 00000000
        20 3010000000000000 02000000 00000000
        30 5010000000000000 04000000 04000080
        40 5810000000000000 08000000 00020080
        50 d8100000 00000000 01000200 01002c01\
        """);
    assertBytes(
        parameters.toBytes(0x1000, 4),
        """
        00 02000000 04000000
        1C 28100000 02000000 00000000
        28 4810000000000000 04000000 04000080\
        """);
    assertEquals(48, new EnableParameters(0, Guid.ZERO, List.of()).toBytes(0x1000, 8).length);
  }

  @Test
  void groupsOfWindows11AreKeywordsOfItsSystemProviders() {
    GroupMask cpuAndDisk =
        GroupMask.of(0x707).and(GroupMask.of(0x2000_0002)).and(GroupMask.of(0x400_0000));
    SystemProviders.Selection selection = SystemProviders.of(cpuAndDisk);
    assertEquals(
        List.of(
            "Io 3d5c43e3-0f1c-4202-b817-174c0070dc79 7",
            "Process 151f55dc-467d-471f-83b5-5f889d46ff66 1801",
            "Profile bfeb0324-1cee-496f-a409-2ac2b48a6322 1"),
        selection.providers().stream()
            .map(one -> one.name() + " " + one.guid() + " " + Long.toHexString(one.keywords()))
            .toList());
    // Beginnings of requests to files have no keyword of their own.
    assertEquals(0x400_0000, selection.left().word(0));
    assertTrue(SystemProviders.of(GroupMask.of(7)).left().isEmpty());
  }
}

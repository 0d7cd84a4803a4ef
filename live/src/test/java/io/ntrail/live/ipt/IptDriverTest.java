package io.ntrail.live.ipt;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pt.IptOptions;
import io.ntrail.formats.pt.TraceTiming;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.PlayedLibrary;
import io.ntrail.live.ipt.IptDriver.Libraries;
import io.ntrail.live.windows.ProcessHandles;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.live.windows.WindowsVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests to ipt.sys: bytes worked out by hand from published declarations, and a library that
 * plays the driver through an agent and refuses what is wrong with a request.
 */
class IptDriverTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final WindowsVersion NEW = version(19041);
  private static final WindowsVersion OLD = version(17763);

  @TempDir private Path folder;

  private static WindowsVersion version(int build) {
    return new WindowsVersion(10, 0, build, "", 0, 1, "");
  }

  private static void assertRequest(String expected, IptRequest request) {
    String bytes = expected.replace(" ", "");
    assertEquals(
        bytes + "0".repeat(2 * 0x30 - bytes.length()), HEX.formatHex(request.toBytes(0x30)));
  }

  @Test
  void requestsHaveTheBytesOfTheirDeclarations() {
    String head = "01000000 00000000 ";
    assertRequest(head + "00000000", IptRequest.traceVersion());
    assertRequest(
        head + "01000000 00000000 0100 000000000000 4400000000000000", IptRequest.traceSize(0x44));
    assertRequest(
        head + "02000000 00000000 0100 000000000000 4400000000000000", IptRequest.trace(0x44));
    assertRequest(
        head + "05000000 00000000 4400000000000000 1132040000000000",
        IptRequest.start(0x44, new IptOptions(0x43211)));
    assertRequest(head + "06000000 00000000 44", IptRequest.stop(0x44));
    assertRequest(head + "09000000 00000000 44", IptRequest.query(0x44));
    assertRequest(
        head
            + "0d000000 00000000 4800000000000000 01000000 02000000"
            + "0010004001000000 ff1f004001000000",
        IptRequest.range(
            0x48, 1, new AddressRange(AddressRange.STOP, 0x1_4000_1000L, 0x1_4000_1FFFL)));
    assertRequest(head + "0e000000 00000000 4800000000000000 03000000", IptRequest.range(0x48, 3));
    assertRequest(head + "0f000000 00000000 48", IptRequest.stopRangeEntered(0x48));
    assertEquals(0x28, IptRequest.query(1).toBytes(0x28).length);
    // CTL_CODE(FILE_DEVICE_UNKNOWN, 1, METHOD_BUFFERED or METHOD_OUT_DIRECT, FILE_ANY_ACCESS)
    assertEquals(0x22 << 16 | 1 << 2, IptRequest.REQUEST);
    assertEquals(0x22 << 16 | 1 << 2 | 2, IptRequest.READ_TRACE);
  }

  private interface Question {
    void ask(WindowsApi calls, Libraries libraries, long process) throws IOException;
  }

  private void play(Question question) throws IOException, URISyntaxException {
    PlayedLibrary played = PlayedLibrary.of(IptDriverTest.class, "driver.c", folder.resolve("ipt"));
    String library = played.name();
    try (Agent agent = played.agent()) {
      WindowsApi calls = new WindowsApi(agent);
      question.ask(
          calls, new Libraries(library, library), ProcessHandles.process(calls, agent.pid()));
    }
  }

  private void tell(String lines) throws IOException {
    Files.writeString(folder.resolve("ipt.fail"), lines);
  }

  private List<String> lines(String ending) throws IOException {
    Path file = folder.resolve("ipt." + ending);
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  private static String failure(Executable work) {
    return assertThrows(CannotGoOn.class, work).message();
  }

  @Test
  void aProcessIsTracedReadAndForgotten() throws Exception {
    IptOptions options = IptOptions.ofProcess(TraceTiming.CYC, 3, 2, 16384);
    play((calls, libraries, process) -> {
      Agent agent = calls.agent();
      try (IptDriver driver = IptDriver.open(agent, libraries, NEW)) {
        tell("late 1\n");
        driver.start(process, options);
        assertEquals(options, driver.options(process));
        assertTrue(
            failure(() -> driver.start(process, options)).contains("StartProcessTrace: 170"));
        ByteArrayOutputStream trace = new ByteArrayOutputStream();
        assertTrue(driver.read(process, trace));
        byte[] bytes = trace.toByteArray();
        assertEquals(8 + 2 * (28 + 16384), bytes.length);
        assertEquals("01000100" + "38800000", HEX.formatHex(bytes, 0, 8));
        assertArrayEquals(
            HEX.parseHex("dc10000000000000" + "02000000" + "03000000" + "54000000" + "00200000"),
            Arrays.copyOfRange(bytes, 8, 32));
        assertEquals((byte) 6, bytes[8 + 28 + 16384 + 28 + 59]);
        tell("invalid 1\n");
        assertFalse(driver.read(process, OutputStream.nullOutputStream()));
        tell("huge 1\n");
        assertTrue(
            failure(() -> driver.read(process, OutputStream.nullOutputStream()))
                .contains("has 2147483648 bytes"));
        tell("cut 1\n");
        assertTrue(
            failure(() -> driver.read(process, OutputStream.nullOutputStream()))
                .contains("answer is damaged"));
        tell("");
        ranges(driver, calls);
        driver.stop(process);
        assertTrue(failure(() -> driver.stop(process)).contains("StopProcessTrace: 1168"));
      }
      // The service runs on.
      IptDriver.open(agent, libraries, NEW).close();
      broken(calls, libraries);
      refusals(calls, libraries, process);
    });
    assertEquals(
        List.of(
            "service",
            "start 22321",
            "read 32832",
            "read 32832",
            "read 32832",
            "range 0 1 140001000 140001fff",
            "range 1 2 140003000 140003fff",
            "stop",
            "start 1",
            "stop"),
        lines("calls"));
    assertEquals(BROKEN, lines("why"));
  }

  private static void ranges(IptDriver driver, WindowsApi calls) {
    long thread = calls.call("kernel32!GetCurrentThreadId").result();
    long handle = ProcessHandles.thread(calls, (int) thread);
    AddressRange only = new AddressRange(AddressRange.ONLY, 0x1_4000_1000L, 0x1_4000_1FFFL);
    driver.range(handle, 0, only);
    assertEquals(only, driver.range(handle, 0));
    assertFalse(driver.isStopped(handle));
    AddressRange stop = new AddressRange(AddressRange.STOP, 0x1_4000_3000L, 0x1_4000_3FFFL);
    driver.range(handle, 1, stop);
    assertEquals(stop, driver.range(handle, 1));
    assertEquals(new AddressRange(0, 0, 0), driver.range(handle, 2));
  }

  /** Answers of the driver to the requests of {@link #broken}, in their order. */
  private static final List<String> BROKEN =
      List.of(
          "version of the request",
          "version of the request",
          "kind of request",
          "request by another code",
          "code of the request",
          "length of the request",
          "length of the answer",
          "place of the count",
          "version of the options",
          "timing",
          "cycles without CYC",
          "frequency without MTC",
          "match of a process",
          "match of a process",
          "mode of a process",
          "reserved bits",
          "handle of a process",
          "version of the trace",
          "handle of a thread",
          "index of a range",
          "range",
          "range",
          "device");

  /** Makes requests of which one argument is wrong. */
  private static void broken(WindowsApi calls, Libraries libraries) {
    Agent agent = calls.agent();
    long control = agent.resolve(libraries.devices(), "DeviceIoControl");
    long create = agent.resolve(libraries.devices(), "CreateFileW");
    long close = agent.resolve(libraries.devices(), "CloseHandle");
    long name = calls.put(0x100, new BytesBuilder(32).utf16z("\\\\.\\IPT"));
    long device = agent.call(AgentCall.of(create, name, 0xC000_0000, 1, 0, 3, 0, 0)).result();
    long self = calls.call("kernel32!GetCurrentProcess").result();
    IptRequest good = IptRequest.start(self, new IptOptions(0x11));
    int request = IptRequest.REQUEST;
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Wrong(int code, byte[] bytes, int length, int room, boolean counted) {}
    List<Wrong> all = new ArrayList<>();
    int[][] words = {{0, 2}, {4, 1}, {8, 4}, {8, 2}};
    for (int[] word : words) {
      all.add(new Wrong(request, with(good, word[0], word[1]), 0x30, 0x18, true));
    }
    all.add(new Wrong(0x22_0008, good.toBytes(0x30), 0x30, 0x18, true));
    all.add(new Wrong(request, good.toBytes(0x30), 0x28, 0x18, true));
    all.add(new Wrong(request, good.toBytes(0x30), 0x30, 0x10, true));
    all.add(new Wrong(request, good.toBytes(0x30), 0x30, 0x18, false));
    int[] options = {0x12, 0x31, 0x1011, 0x101, 0x10_0001, 0x80_0001, 0x100_0001, 0x1000_0001};
    for (int word : options) {
      all.add(new Wrong(request, with(good, 0x18, word), 0x30, 0x18, true));
    }
    all.add(new Wrong(request, with(good, 0x10, 0x7777), 0x30, 0x18, true));
    all.add(new Wrong(request, with(IptRequest.traceSize(self), 0x10, 2), 0x30, 0x18, true));
    IptRequest range =
        IptRequest.range(
            calls.call("kernel32!GetCurrentThread").result(),
            0,
            new AddressRange(1, 0x1000, 0x2000));
    all.add(new Wrong(request, with(range, 0x10, 0x7777), 0x30, 0x18, true));
    all.add(new Wrong(request, with(range, 0x18, 4), 0x30, 0x18, true));
    all.add(new Wrong(request, with(range, 0x1C, 3), 0x30, 0x18, true));
    all.add(new Wrong(request, with(range, 0x28, 0xFFF), 0x30, 0x18, true));
    for (Wrong one : all) {
      agent.poke(calls.scratch(0x200), one.bytes);
      var outcome =
          agent.call(
              AgentCall.of(
                  control,
                  device,
                  one.code,
                  calls.scratch(0x200),
                  one.length,
                  calls.scratch(0x300),
                  one.room,
                  one.counted ? calls.scratch(0) : 0,
                  0));
      assertFalse(outcome.isTrue());
      assertEquals(87, outcome.error(), HEX.formatHex(one.bytes));
    }
    assertTrue(agent.call(AgentCall.of(close, device)).isTrue());
    agent.poke(calls.scratch(0x100), new byte[] {'x'});
    assertEquals(-1, agent.call(AgentCall.of(create, name, 0xC000_0000, 1, 0, 3, 0, 0)).asInt());
  }

  private static byte[] with(IptRequest request, int at, int word) {
    return new BytesBuilder(0x30).bytes(request.toBytes(0x30)).setU32(at, word).toArray();
  }

  private void refusals(WindowsApi calls, Libraries libraries, long process) throws IOException {
    Agent agent = calls.agent();
    assertTrue(
        failure(() -> IptDriver.open(agent, libraries, version(17134)))
            .endsWith("64-bit); this is build 17134"));
    for (String[] refusal :
        new String[][] {
          {"OpenSCManagerW 5", "services cannot be asked for (OpenSCManager: 5"},
          {"OpenServiceW 1060", "this Windows has no driver of Processor Trace"},
          {"StartServiceW 31", "the service Ipt cannot be started: it needs a processor"},
          {"CreateFileW 2", "this Windows has no driver of Processor Trace"},
          {"CreateFileW 5", "the driver cannot be opened (CreateFile: 5"},
        }) {
      tell(refusal[0] + "\n");
      String told = failure(() -> IptDriver.open(agent, libraries, NEW));
      assertTrue(told.startsWith(refusal[1]), told);
    }
    tell("OLD 1\n");
    try (IptDriver driver = IptDriver.open(agent, libraries, OLD)) {
      driver.start(process, new IptOptions(1));
      driver.stop(process);
      assertTrue(failure(driver::mustHaveRanges).contains("need Windows 10 2004"));
    }
    tell("version 1\n");
    try (IptDriver driver = IptDriver.open(agent, libraries, NEW)) {
      assertTrue(
          failure(() -> driver.start(process, new IptOptions(1))).contains("traces of version 2"));
    }
    tell("");
  }
}

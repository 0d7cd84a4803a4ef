package io.ntrail.live.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.etl.ConsumedSession;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.wine.WindowsCompiler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** EVENT_TRACE_LOGFILEW beside what a C compiler makes of the declaration of mingw-w64. */
class LogFileRequestTest {
  private static final LogFileRequest REQUEST =
      new LogFileRequest(0x1122_3344, true, 0x5566_7788, 0x1234_5678, 0x7ABB_CCDD);

  /** A library whose only data is the structure, filled in by the compiler, and some sizes. */
  private static final String SOURCE =
      """
      #define _WIN32_WINNT 0x0A00
      #include <windows.h>
      #include <evntrace.h>
      #include <evntcons.h>
      #include <stddef.h>
      struct {
        char begin[16];
        EVENT_TRACE_LOGFILEW file;
        ULONG offsets[8];
      } vector = {
        "NTRAIL VECTOR >",
        {
          .LoggerName = (LPWSTR)0x11223344,
          .ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD
              | PROCESS_TRACE_MODE_RAW_TIMESTAMP,
          .EventRecordCallback = (PEVENT_RECORD_CALLBACK)0x55667788,
          .BufferCallback = (PEVENT_TRACE_BUFFER_CALLBACKW)0x12345678,
          .Context = (void *)0x7abbccdd,
        },
        {
          sizeof(EVENT_TRACE_LOGFILEW),
          offsetof(EVENT_TRACE_LOGFILEW, LogfileHeader),
          sizeof(TRACE_LOGFILE_HEADER),
          offsetof(EVENT_TRACE_LOGFILEW, EventsLost),
          offsetof(EVENT_TRACE_LOGFILEW, Context),
          offsetof(TRACE_LOGFILE_HEADER, PerfFreq),
          offsetof(TRACE_LOGFILE_HEADER, ReservedFlags),
          offsetof(EVENT_RECORD, UserContext),
        },
      };
      __declspec(dllexport) void *vector_address(void) { return &vector; }
      """;

  @TempDir private Path folder;

  private void comparesEqual(WindowsCompiler compiler, int pointerBytes) throws IOException {
    assumeTrue(compiler.available(), compiler.missing());
    Path source = Files.writeString(folder.resolve("logfile.c"), SOURCE);
    byte[] image = Files.readAllBytes(compiler.build(List.of(source), "-shared", "-w"));
    String text = new String(image, StandardCharsets.ISO_8859_1);
    int at = text.indexOf("NTRAIL VECTOR >\0") + 16;
    int bytes = LogFileRequest.bytes(pointerBytes);
    HexFormat hex = HexFormat.of();
    assertEquals(
        hex.formatHex(image, at, at + bytes), hex.formatHex(REQUEST.toBytes(pointerBytes)));
    int offsets = at + bytes;
    boolean is64 = pointerBytes == 8;
    int header = ConsumedSession.headerBytes(pointerBytes);
    List<Integer> ours =
        List.of(
            bytes,
            LogFileRequest.header(pointerBytes),
            header,
            is64 ? LogFileRequest.EVENTS_LOST_64 : LogFileRequest.EVENTS_LOST_32,
            is64 ? LogFileRequest.CONTEXT_64 : LogFileRequest.CONTEXT_32,
            header - 24,
            header - 8,
            is64 ? 104 : 96);
    for (int i = 0; i < ours.size(); i++) {
      assertEquals(ours.get(i), (int) LittleEndian.getU32(image, offsets + 4 * i), "offset " + i);
    }
  }

  @Test
  void for64BitCodeItIsThatOfTheCompiler() throws IOException {
    comparesEqual(WindowsCompiler.MINGW_C, 8);
  }

  @Test
  void for32BitCodeItIsThatOfTheCompiler() throws IOException {
    comparesEqual(WindowsCompiler.MINGW_C_32, 4);
  }

  @Test
  void timesThatWindowsConvertsAreAskedForByTheModeAlone() {
    byte[] raw = REQUEST.toBytes(8);
    byte[] converted =
        new LogFileRequest(0x1122_3344, false, 0x5566_7788, 0x1234_5678, 0x7ABB_CCDD).toBytes(8);
    assertEquals(0x1000_1100, LittleEndian.getU32(raw, 28));
    assertEquals(0x1000_0100, LittleEndian.getU32(converted, 28));
    LittleEndian.putU32(converted, 28, 0x1000_1100);
    assertEquals(HexFormat.of().formatHex(raw), HexFormat.of().formatHex(converted));
  }
}

package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.EventCounts;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.ClassGuids;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Event counts and stacks against what another decoder, run on Windows, counted in the same files.
 * Only kinds that it does not filter or consume are compared.
 */
@EnabledIf(
    value = "io.ntrail.analysis.etw.recording.SharedTable#present",
    disabledReason = "no shared recordings on this machine")
class BaselinesTest {
  private static final String X64 = "perfview-net452-x64";
  private static final String X86 = "perfview-net45-x86-win7";
  private static final UUID CLR = UUID.fromString("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  private static final UUID KERNEL_FILE = UUID.fromString("edd08927-9cc4-4e65-b970-c2560fb5c289");

  /** The baseline's name of a kernel event and its hook id. */
  private static final String KERNEL =
      """
      Windows Kernel/DiskIO/Read 010a
      Windows Kernel/DiskIO/Write 010b
      Windows Kernel/DiskIO/ReadInit 010c
      Windows Kernel/DiskIO/WriteInit 010d
      Windows Kernel/DiskIO/FlushBuffers 010e
      Windows Kernel/DiskIO/FlushInit 010f
      Windows Kernel/Memory/HardFault 0220
      Windows Kernel/Process/Start 0301
      Windows Kernel/Process/Stop 0302
      Windows Kernel/Process/DCStart 0303
      Windows Kernel/Process/DCStop 0304
      Windows Kernel/Process/PerfCtr 0320
      Windows Kernel/Process/PerfCtrRundown 0321
      Windows Kernel/Process/Defunct 0327
      Windows Kernel/Thread/Start 0501
      Windows Kernel/Thread/Stop 0502
      Windows Kernel/TcpIp/SendIPV6 061a
      Windows Kernel/TcpIp/RecvIPV6 061b
      Windows Kernel/TcpIp/DisconnectIPV6 061d
      Windows Kernel/TcpIp/AcceptIPV6 061f
      Windows Kernel/TcpIp/TCPCopyIPV6 0622
      Windows Kernel/UdpIp/Send 080a
      Windows Kernel/UdpIp/Recv 080b
      Windows Kernel/UdpIp/SendIPV6 081a
      Windows Kernel/UdpIp/RecvIPV6 081b
      Windows Kernel/SystemConfig/CPU 0b0a
      Windows Kernel/SystemConfig/PhyDisk 0b0b
      Windows Kernel/SystemConfig/LogDisk 0b0c
      Windows Kernel/SystemConfig/NIC 0b0d
      Windows Kernel/SystemConfig/Video 0b0e
      Windows Kernel/SystemConfig/Services 0b0f
      Windows Kernel/SystemConfig/Power 0b10
      Windows Kernel/SystemConfig/Network 0b11
      Windows Kernel/SystemConfig/IRQ 0b15
      Windows Kernel/SystemConfig/PnP 0b16
      Windows Kernel/SystemConfig/IDEChannel 0b17
      MSNT_SystemTrace/SystemConfig/Platform 0b19
      Windows Kernel/PerfInfo/CollectionStart 0f49
      Windows Kernel/PerfInfo/CollectionEnd 0f4a
      Windows Kernel/Image/Unload 1402
      Windows Kernel/Image/DCStart 1403
      Windows Kernel/Image/DCStop 1404
      Windows Kernel/Image/Load 030a
      MSNT_SystemTrace/Image/KernelBase 1421
      """;

  /** The baseline's name of a record that a merge added, its class and opcode. */
  private static final String MERGED =
      """
      KernelTraceControl/ImageID b3e675d7-2554-4f18-830b-2762732560de 0
      KernelTraceControl/ImageID/DbgID_RSDS b3e675d7-2554-4f18-830b-2762732560de 36
      KernelTraceControl/ImageID/None b3e675d7-2554-4f18-830b-2762732560de 32
      KernelTraceControl/ImageID/DbgID_ILRSDS b3e675d7-2554-4f18-830b-2762732560de 37
      KernelTraceControl/ImageID/FileVersion b3e675d7-2554-4f18-830b-2762732560de 64
      KernelTraceControl/MetaData/EventInfo bbccf6c1-6cd1-48c4-80ff-839482e37671 32
      KernelTraceControl/MetaData/EventMapInfo bbccf6c1-6cd1-48c4-80ff-839482e37671 33
      Windows Kernel/SysConfig/BuildInfo 9b79ee91-b5fd-41c0-a243-4248e266e9d0 32
      Windows Kernel/SysConfig/SystemPaths 9b79ee91-b5fd-41c0-a243-4248e266e9d0 33
      Windows Kernel/SysConfig/UnknownVolume 9b79ee91-b5fd-41c0-a243-4248e266e9d0 34
      Windows Kernel/SysConfig/VolumeMapping 9b79ee91-b5fd-41c0-a243-4248e266e9d0 35
      """;

  private record Kind(String guid, int number) {}

  private static Map<String, Long> baseline(String name) throws IOException {
    String text =
        new String(TestData.gunzip("etl/" + name + ".baseline.txt.gz"), StandardCharsets.UTF_8);
    Map<String, Long> counts = new HashMap<>();
    for (String line : text.split("\r?\n", -1)) {
      if (line.startsWith("COUNT ")) {
        int colon = line.lastIndexOf(':');
        counts.put(line.substring(6, colon), Long.valueOf(line.substring(colon + 1)));
      }
    }
    return counts;
  }

  private static EtwRecording open(String name) {
    return SharedTable.row(name + ".etl").open();
  }

  private static Map<Kind, Long> byOpcode(EventCounts counts) {
    Map<Kind, Long> found = new HashMap<>();
    counts
        .rows()
        .forEach(r ->
            found.merge(new Kind(r.providerGuid().toString(), r.opcode()), r.count(), Long::sum));
    return found;
  }

  private static Map<Kind, Long> byId(EventCounts counts) {
    Map<Kind, Long> found = new HashMap<>();
    counts
        .rows()
        .forEach(
            r -> found.merge(new Kind(r.providerGuid().toString(), r.id()), r.count(), Long::sum));
    return found;
  }

  @ParameterizedTest
  @ValueSource(strings = {X64, X86})
  void kernelEventsAreAsManyAsTheBaselineCounts(String name) throws IOException {
    Map<String, Long> expected = new TreeMap<>();
    Map<String, Long> got = new TreeMap<>();
    Map<String, Long> baseline = baseline(name);
    try (EtwRecording recording = open(name)) {
      Map<Kind, Long> counts = byOpcode(EventCounts.of(recording, 2, Sources.SHARED));
      for (String line : KERNEL.strip().split("\n", -1)) {
        String event = line.substring(0, line.length() - 5);
        int hook = Integer.parseInt(line.substring(line.length() - 4), 16);
        Kind kind = new Kind(String.valueOf(ClassGuids.ofHook(hook)), hook & 0xFF);
        expected.put(event, baseline.getOrDefault(event, 0L));
        got.put(event, counts.getOrDefault(kind, 0L));
      }
    }
    assertEquals(expected, got);
  }

  @ParameterizedTest
  @ValueSource(strings = {X64, X86})
  void mergedRecordsAreAsManyAsTheBaselineCounts(String name) throws IOException {
    Map<String, Long> expected = new TreeMap<>();
    Map<String, Long> got = new TreeMap<>();
    Map<String, Long> baseline = baseline(name);
    try (EtwRecording recording = open(name)) {
      Map<Kind, Long> counts = byOpcode(EventCounts.of(recording, 2, Sources.SHARED));
      for (String line : MERGED.strip().split("\n", -1)) {
        String[] parts = line.split(" (?=[0-9a-f]{8}-)| (?=\\d+$)", -1);
        expected.put(parts[0], baseline.getOrDefault(parts[0], 0L));
        got.put(parts[0], counts.getOrDefault(new Kind(parts[1], Integer.parseInt(parts[2])), 0L));
      }
    }
    assertEquals(expected, got);
  }

  @Test
  void providerEventsAreAsManyAsTheBaselineCounts() throws IOException {
    Map<String, Long> baseline = baseline(X64);
    String clr = "Microsoft-Windows-DotNETRuntime/";
    try (EtwRecording recording = open(X64)) {
      Map<Kind, Long> counts = byId(EventCounts.of(recording, 2, Sources.SHARED));
      assertEquals(10_382, baseline.get(clr + "GC/AllocationTick"));
      assertEquals(10_382, counts.get(new Kind(CLR.toString(), 10)));
      assertEquals(baseline.get(clr + "GC/Start"), counts.get(new Kind(CLR.toString(), 1)));
      assertEquals(
          baseline.get(clr + "Method/LoadVerbose"), counts.get(new Kind(CLR.toString(), 143)));
      assertEquals(
          baseline.get("Microsoft-Windows-Kernel-File/Create"),
          counts.get(new Kind(KERNEL_FILE.toString(), 12)));
    }
  }

  @Test
  void stackRecordsAreAsManyAsMeasured() {
    try (EtwRecording recording = open(X64)) {
      Map<Kind, Long> counts = byId(EventCounts.of(recording, 1, Sources.SHARED));
      String stacks = String.valueOf(ClassGuids.ofHook(0x1820));
      List<Long> found = new ArrayList<>();
      for (int hook = 0x1820; hook <= 0x1826; hook++) {
        found.add(counts.getOrDefault(new Kind(stacks, hook), 0L));
      }
      assertEquals(252, found.get(0), "with frames");
      assertEquals(2_061, found.get(5), "kernel keys");
      assertEquals(7_046, found.get(6), "user keys");
      assertEquals(1_909 + 1_012, found.get(2) + found.get(3) + found.get(4), "definitions");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {X64, X86})
  void everyStackRecordNamesTheTimeOfAnEvent(String name) {
    try (EtwRecording recording = open(name)) {
      Set<Long> events = new HashSet<>();
      List<Long> references = new ArrayList<>();
      walk(
          recording,
          record -> {
            if (isStack(record)) {
              int hook = record.hookId();
              if (hook == 0x1820 || hook == 0x1825 || hook == 0x1826) {
                references.add(record.bytes().i64(record.payloadOffset()));
              }
            } else {
              events.add(record.ticks());
            }
          });
      assertEquals(name.equals(X64) ? 9_359 : 18_532, references.size());
      assertTrue(events.containsAll(references));
    }
  }

  private interface Visitor {
    void visit(RecordCursor record);
  }

  private static boolean isStack(RecordCursor record) {
    return record.kind().isHook() && record.hookId() >>> 8 == 0x18;
  }

  private static void walk(EtwRecording recording, Visitor visitor) {
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        visitor.visit(cursor.record());
      }
    }
  }
}

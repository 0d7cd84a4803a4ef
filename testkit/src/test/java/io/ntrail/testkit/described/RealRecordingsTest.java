package io.ntrail.testkit.described;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The second reader on recordings of Windows, against what their makers say is in them. */
class RealRecordingsTest {
  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  private static ReferenceEventReader recording(String name) throws IOException {
    return ReferenceEventReader.of(TestData.gunzip("etl/" + name + ".etl.gz"));
  }

  private static void allReadToTheLastByte(ReferenceEventReader reader, String provider) {
    for (RawRecord record : reader.records()) {
      DescribedEvent read = record.provider().equals(provider) ? reader.read(record) : null;
      if (read != null) {
        assertTrue(read.complete(), read::toString);
        assertEquals(record.payload().size(), read.bytesRead(), read::toString);
      }
    }
  }

  private static DescribedEvent first(List<DescribedEvent> events, String event) {
    return events.stream().filter(read -> read.event().equals(event)).findFirst().orElseThrow();
  }

  private static Map<String, Integer> counts(List<DescribedEvent> events) {
    Map<String, Integer> counts = new TreeMap<>();
    events.forEach(read -> counts.merge(read.event(), 1, Integer::sum));
    return counts;
  }

  @Test
  void aCSharpProviderDescribesItsOwnEvents() throws IOException {
    ReferenceEventReader reader = recording("etwanalyzer-TraceLoggingTester");
    String provider = "a214eced-be64-5e23-fac1-1d7b9052efa4";
    List<DescribedEvent> events = reader.readAll(provider);
    assertEquals(70, events.size());
    allReadToTheLastByte(reader, provider);
    assertTrue(events.stream().allMatch(e -> e.provider().equals("CSharpTraceLoggingEventSource")));
    assertEquals("[input = Hello, ETW!]", first(events, "MarkString").flat().toString());
    assertEquals(
        "[input = Hello, ETW with number, number1 = 42]",
        first(events, "MarkStringInteger").flat().toString());
    assertEquals(
        "[boolean = true, b = 0, c = A, d = 3.14, i16 = -32768, i32 = 2147483647,"
            + " i64 = 9223372036854775807, sb = -128, u16 = 65535, u32 = 4294967295,"
            + " u64 = 18446744073709551615]",
        events.get(2).flat().toString());
    assertEquals(
        "[numbers[0] = 0, numbers[1] = 2, numbers[2] = 3, numbers[3] = 4]",
        first(events, "WriteIntList").flat().toString());
    assertEquals(
        "[dateTime = 2000-01-01T00:00:00.0000000Z]",
        first(events, "WriteDateTime").flat().toString());
    assertEquals(
        "[guid = 00000000-0000-0000-0000-000000000001]",
        first(events, "WriteGuid").flat().toString());
  }

  @Test
  void aMergerDescribesThePacketMonitorsEventsWithTheirValueMaps() throws IOException {
    ReferenceEventReader reader = recording("demikernel-PktMon");
    String provider = "4d4f80d9-c8bd-4d73-bb5b-19c90402c5ac";
    List<DescribedEvent> events = reader.readAll(provider);
    assertEquals(403, events.size());
    allReadToTheLastByte(reader, provider);
    List<String> texts = events.stream().map(event -> event.flat().toString()).toList();
    assertTrue(
        texts.contains(
            "[ComponentId = 74, Type = 13 (IP Address), IpAddress = "
                + "fe80::fb0f:5039:c3e9:adf7]"));
    assertTrue(
        texts.contains("[ComponentId = 70, Type = 7 (EtherType), EtherType = 34525 (IPv6)]"));
    // The packet of this event starts with an Ethernet header whose type is IPv4, and is as long
    // as the event says.
    DescribedEvent packet =
        events.stream().filter(e -> e.fields().size() == 13).findFirst().orElseThrow();
    FieldNode payload = packet.fields().getLast();
    assertEquals("Payload", payload.name());
    assertEquals("98", packet.fields().get(11).value());
    String hex = String.valueOf(payload.value());
    assertEquals(2 * 98, hex.length());
    assertEquals("0800", hex.substring(24, 28));
  }

  @Test
  void manifestsInTheRecordingDescribeEventSources() throws IOException {
    ReferenceEventReader reader = recording("perfview-net452-x64");
    assertTrue(reader.manifestProviders().contains("PerfView"));
    assertTrue(reader.manifestProviders().contains("System.Threading.Tasks.TplEventSource"));
    List<DescribedEvent> events = reader.readAll("a8a71ac1-040f-54a2-07ca-00a89b5ab761");
    Map<String, Integer> counts = counts(events);
    assertEquals(53, counts.get("PerfViewLog"));
    assertEquals(37, counts.get("ProviderEnableParameters"));
    assertEquals(2, counts.get("SessionParameters"));
    assertEquals(
        "[providerName = DotNet, providerGuid = 319dc449-ada5-50f7-428e-957db6791668,"
            + " level = 5 (Verbose), keywords = 18446744073709551615, stacks = 1, values = ]",
        first(events, "ProviderEnableParameters").flat().toString());
    assertEquals(
        "[sessionName = NT Kernel Logger, sessionFileName = net.4.5.2.x64.kernel.etl,"
            + " bufferSizeMB = 256, circularBuffSizeMB = 500]",
        first(events, "SessionParameters").flat().toString());
    allReadToTheLastByte(reader, "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5");
    allReadToTheLastByte(reader, "8e9f5090-2d75-4d03-8a81-e5afbf85daf1");
  }

  @Test
  void metadataDescribesNamesAddressesAndArraysOfStructures() throws IOException {
    ReferenceEventReader reader = recording("perfview-net452-x64");
    List<DescribedEvent> dns = reader.readAll("1c95126e-7eea-49a9-a3fe-a378b03ddb4d");
    assertEquals(
        "[Interface = Ethernet, TotalServerCount = 4, Index = 1, DynamicAddress = 1 (dynamic),"
            + " AddressLength = 28, Address = [2001:4898::1050:1050]:0]",
        dns.getFirst().flat().toString());
    List<DescribedEvent> runtime = reader.readAll("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    Map<String, Integer> counts = counts(runtime);
    assertEquals(10_382, counts.get("GarbageCollection/GCAllocationTick"));
    assertEquals(290, counts.get("CLRMethod/MethodLoadVerbose"));
    FieldNode ranges =
        first(runtime, "GarbageCollection/GCBulkSurvivingObjectRanges").fields().getLast();
    assertEquals(28, ranges.children().size());
    assertEquals(
        "[RangeBase = 0x2551048, RangeLength = 1768]",
        FieldNode.flat(ranges.children().getFirst().children()).toString());
  }

  @Test
  void aManifestFromOutsideDescribesAWebServersRequests() throws IOException {
    String manifest = new String(TestData.gunzip("etl/manifests/HTTP_Server.man.gz"), UTF_8);
    ReferenceEventReader reader = recording("tx-HTTP_Server").with(manifest);
    String provider = "dd5ef90a-6398-47a4-ad34-4dcecdef795f";
    List<DescribedEvent> events = reader.readAll(provider);
    assertEquals(2041, events.size());
    allReadToTheLastByte(reader, provider);
    Map<String, Integer> counts = counts(events);
    assertEquals(12, counts.size());
    assertEquals(291, counts.get("HTTP Request Trace Task/Parse"));
    assertEquals(289, counts.get("HTTP Request Trace Task/FastSend"));
    DescribedEvent parse = first(events, "HTTP Request Trace Task/Parse");
    String pointer = Long.toHexString(Long.parseUnsignedLong("18446738026454074672"));
    assertEquals(
        "[RequestObj = 0x%s, HttpVerb = 4, Url = http://georgis2:80/windir.txt]".formatted(pointer),
        parse.flat().toString());
    assertEquals("Parsed request (request pointer %1, method %2) with URI %3.", parse.message());
    assertEquals(
        "[ConnectionObj = 0xfffffa8001a9b680, LocalAddrLength = 28, LocalAddr ="
            + " [2001:4898:0:fff:0:5efe:a78:109d]:80, RemoteAddrLength = 28, RemoteAddr ="
            + " [2001:4898:0:fff:0:5efe:a50:e410]:37838]",
        events.getFirst().flat().toString());
  }

  @Test
  void aRustProgramsEventsAreReadToTheEnd() throws IOException {
    ReferenceEventReader reader = recording("sonde-test");
    String provider = "559e1292-fdb4-551e-6ee3-4e8c6d9da223";
    allReadToTheLastByte(reader, provider);
    assertEquals(
        "[time = 2026-03-27T03:57:22.428, message = session created, node_id = sensor--1,"
            + " seq = 629728878295337597]",
        reader.readAll(provider).stream()
            .filter(event -> event.event().endsWith("engine.rs:581"))
            .findFirst()
            .orElseThrow()
            .flat()
            .toString());
  }
}

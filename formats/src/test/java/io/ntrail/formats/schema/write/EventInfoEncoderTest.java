package io.ntrail.formats.schema.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.schema.Manifest;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.ValueMap;
import io.ntrail.formats.schema.write.EventInfoEncoder.Descriptor;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.described.DescribedEvent;
import io.ntrail.testkit.described.EventInfoReader;
import io.ntrail.testkit.described.EventMap;
import io.ntrail.testkit.described.FieldNode;
import io.ntrail.testkit.described.RandomDescribedEvents;
import io.ntrail.testkit.described.RandomDescribedEvents.Typed;
import io.ntrail.testkit.described.RawRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Events of manifests as TRACE_EVENT_INFO: as Windows writes them, and as another reader reads. */
class EventInfoEncoderTest {
  private static final UUID PROVIDER = UUID.fromString("d3b7c0f4-51c2-4a0e-9e1b-0f6d2c8a7e55");
  private static final String EVENT_METADATA = "bbccf6c1-6cd1-48c4-80ff-839482e37671";
  private static final Descriptor ANY = new Descriptor(7, 2, 16, 4, 1, 3, 5);

  /**
   * An event of DNS Client as its manifest on Windows has it, put together from the documentation
   * of the provider; a merge of Windows 8 described it by a blob of 1,628 bytes.
   */
  private static final String DNS_CLIENT =
      """
      <instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
       <instrumentation><events>
        <provider name="Microsoft-Windows-DNS-Client" symbol="DNS"
            guid="{1c95126e-7eea-49a9-a3fe-a378b03ddb4d}">
         <tasks><task name="DnsServerForInterface" value="1001"/></tasks>
         <maps><valueMap name="DnsIpTypeMap">
          <map value="0" message="$(string.static)"/><map value="1" message="$(string.dynamic)"/>
         </valueMap></maps>
         <templates><template tid="server">
          <data name="Interface" inType="win:UnicodeString"/>
          <data name="TotalServerCount" inType="win:UInt32"/>
          <data name="Index" inType="win:UInt32"/>
          <data name="DynamicAddress" inType="win:UInt8" map="DnsIpTypeMap"/>
          <data name="AddressLength" inType="win:UInt32"/>
          <data name="Address" inType="win:Binary" outType="win:SocketAddress"
              length="AddressLength"/>
         </template></templates>
         <events><event value="1001" version="0" level="win:Informational" opcode="win:Info"
           task="DnsServerForInterface" template="server" message="$(string.server)"/></events>
        </provider>
       </events></instrumentation>
       <localization><resources culture="en-US"><stringTable>
        <string id="static" value="static"/><string id="dynamic" value="dynamic"/>
        <string id="server" value="Interface: %1 Total DNS Server Count: %2 Index: %3 Address: %6 (%4)"/>
       </stringTable></resources></localization>
      </instrumentationManifest>
      """;

  private static Manifest.Provider provider(String xml) {
    return Manifest.parse(xml.getBytes(StandardCharsets.UTF_8), "test").providers().getFirst();
  }

  private static List<byte[]> recorded(int opcode, String provider) throws IOException {
    byte[] guid = new LittleEndian().guid(UUID.fromString(provider)).toByteArray();
    return RawRecord.all(TestData.gunzip("etl/perfview-net452-x64.etl.gz")).stream()
        .filter(record -> record.provider().equals(EVENT_METADATA) && record.opcode() == opcode)
        .map(record -> record.payload().bytes())
        .filter(blob -> Arrays.equals(guid, Arrays.copyOf(blob, 16)))
        .toList();
  }

  @Test
  void aManifestGivesTheBytesThatWindowsWrites() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] real = recorded(32, "1c95126e-7eea-49a9-a3fe-a378b03ddb4d").getFirst();
    Manifest.Provider provider = provider(DNS_CLIENT);
    byte[] ours =
        EventInfoEncoder.event(
                provider,
                provider.events().getFirst(),
                new Descriptor(1001, 0, 16, 4, 0, 1001, 0x8000_0000_0000_0000L))
            .orElseThrow();
    // What Windows adds: the channel's name, which stands before the names behind it, the
    // provider's message, the binary form of the manifest; and a blank behind the message.
    int channel = (int) LittleEndian.getU32(real, 60);
    int channelBytes = (int) LittleEndian.getU32(real, 68) - channel;
    int behindMessage = (int) LittleEndian.getU32(real, 80);
    LittleEndian expected = new LittleEndian();
    expected.bytes(Arrays.copyOf(real, channel));
    expected.bytes(Arrays.copyOfRange(real, channel + channelBytes, behindMessage - 4)).u16(0);
    byte[] bytes = expected.toByteArray();
    for (int moved : List.of(68, 72, 76)) {
      LittleEndian.putU32(bytes, moved, LittleEndian.getU32(bytes, moved) - channelBytes);
    }
    for (int left : List.of(60, 80, 84, 88)) {
      LittleEndian.putU32(bytes, left, 0);
    }
    assertArrayEquals(bytes, ours);
  }

  @Test
  void mapsHaveTheLayoutThatWindowsGivesThem() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] real = recorded(33, "1c95126e-7eea-49a9-a3fe-a378b03ddb4d").getFirst();
    Manifest.Provider provider = provider(DNS_CLIENT);
    Schema schema = provider.events().getFirst().schema();
    byte[] ours =
        EventInfoEncoder.map(
                provider.guid(), EventInfoEncoder.maps(schema).values().iterator().next())
            .orElseThrow();
    // Texts have a blank behind them there, so that the second text begins later.
    int firstText = 16 + (int) LittleEndian.getU32(real, 32);
    assertArrayEquals(Arrays.copyOf(real, 40), Arrays.copyOf(ours, 40));
    assertArrayEquals(
        Arrays.copyOfRange(real, 56, firstText), Arrays.copyOfRange(ours, 56, firstText));
    assertEquals(EventInfoReader.map(real), EventInfoReader.map(ours));
  }

  @Test
  void anotherReaderReadsEachEventAsItWasWritten() {
    Property.check(g -> {
      Typed typed = RandomDescribedEvents.manifest(g);
      Manifest.Provider provider = provider(typed.manifest(PROVIDER, "Maker", 7, 2));
      Manifest.Event event = provider.events().getFirst();
      byte[] blob = EventInfoEncoder.event(provider, event, ANY).orElseThrow();
      Map<String, EventMap> maps = new HashMap<>();
      EventInfoEncoder.maps(event.schema())
          .forEach((name, map) ->
              maps.put(
                  name,
                  EventInfoReader.map(EventInfoEncoder.map(provider.guid(), map).orElseThrow())));
      byte[] payload = typed.event().payload();
      DescribedEvent read = EventInfoReader.of(blob).read(maps, payload, typed.pointer());
      assertEquals("Maker", read.provider());
      assertEquals(Objects.requireNonNullElse(event.schema().event(), ""), read.event());
      assertEquals(FieldNode.flat(typed.event().expected()).toString(), read.flat().toString());
      assertTrue(read.complete());
    });
  }

  @Test
  void whatDoesNotFitInARecordIsRefused() {
    String long1 = DNS_CLIENT.replace("Total DNS Server Count", "Total ".repeat(6_000));
    Manifest.Provider provider = provider(long1);
    assertTrue(EventInfoEncoder.event(provider, provider.events().getFirst(), ANY).isEmpty());
    ValueMap large = new ValueMap("large", false, Map.of(1L, "x".repeat(33_000)));
    assertTrue(EventInfoEncoder.map(provider.guid(), large).isEmpty());
  }
}

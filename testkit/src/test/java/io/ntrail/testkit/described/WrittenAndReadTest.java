package io.ntrail.testkit.described;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.Property;
import io.ntrail.testkit.etl.DescribedRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Round trips of the writers through the second reader. */
class WrittenAndReadTest {
  private static final UUID PROVIDER = UUID.fromString("d3b7c0f4-51c2-4a0e-9e1b-0f6d2c8a7e55");

  private static void same(List<FieldNode> expected, int payload, DescribedEvent read) {
    assertEquals(
        String.join("\n", FieldNode.flat(expected).stream().map(FieldNode.Pair::toString).toList()),
        String.join("\n", read.flat().stream().map(FieldNode.Pair::toString).toList()));
    assertEquals(expected, read.fields());
    assertTrue(read.complete());
    assertEquals(payload, read.bytesRead());
  }

  @Test
  void everyTraceLoggingEventReadsAsItWasWritten() {
    Property.check(g -> {
      int pointer = g.oneOf(8, 4);
      TraceLoggingEvent event = RandomDescribedEvents.traceLogging(g, pointer);
      byte[] traits = TraceLoggingEvent.traits("Maker", PROVIDER);
      byte[] payload = event.payload();
      DescribedEvent read = TraceLoggingReader.read(traits, event.metadata(), payload, pointer);
      assertEquals("Maker", read.provider());
      assertEquals(event.name(), read.event());
      same(event.expected(), payload.length, read);
    });
  }

  @Test
  void everyEventWithMetadataReadsAsItWasWritten() {
    Property.check(g -> {
      RandomDescribedEvents.Typed typed = RandomDescribedEvents.eventInfo(g);
      byte[] blob = typed.eventInfo(PROVIDER, "Maker", 7, 2);
      Map<String, EventMap> maps = new HashMap<>();
      for (byte[] map : typed.mapInfos(PROVIDER)) {
        assertEquals(PROVIDER.toString(), EventInfoReader.mapProvider(map));
        maps.put(EventInfoReader.map(map).name(), EventInfoReader.map(map));
      }
      byte[] payload = typed.event().payload();
      DescribedEvent read = EventInfoReader.of(blob).read(maps, payload, typed.pointer());
      assertEquals("Maker", read.provider());
      same(typed.event().expected(), payload.length, read);
    });
  }

  @Test
  void everyEventWithAManifestReadsAsItWasWritten() {
    Property.check(g -> {
      RandomDescribedEvents.Typed typed = RandomDescribedEvents.manifest(g);
      ManifestParser manifest =
          ManifestParser.parse(typed.manifest(PROVIDER, "Maker", 7, 2)).getFirst();
      assertEquals(PROVIDER.toString(), manifest.guid());
      byte[] payload = typed.event().payload();
      DescribedEvent read =
          Objects.requireNonNull(
              manifest.read(DescribedEvent.By.MANIFEST, 7, 2, payload, typed.pointer()));
      assertEquals("Event7", read.event());
      same(typed.event().expected(), payload.length, read);
      assertNull(manifest.read(DescribedEvent.By.MANIFEST, 7, 1, payload, typed.pointer()));
    });
  }

  @Test
  void aPayloadThatEndsEarlyGivesTheFieldsBeforeItsEnd() {
    Property.check(g -> {
      TraceLoggingEvent event = RandomDescribedEvents.traceLogging(g);
      byte[] payload = event.payload();
      int kept = g.below(payload.length + 1);
      DescribedEvent read =
          TraceLoggingReader.read(new byte[0], event.metadata(), Arrays.copyOf(payload, kept), 8);
      assertTrue(read.bytesRead() <= kept);
      assertTrue(FieldNode.flat(event.expected()).size() >= read.fields().size());
      if (read.complete()) {
        assertEquals(event.expected().size(), read.fields().size());
      }
    });
  }

  @Test
  void oneReaderFindsEveryDescriptionOfARecording() {
    TraceLoggingEvent sale =
        new TraceLoggingEvent("Sale")
            .field("item", 1, 0, EncodedValue.wide("tea"))
            .counted(
                "prices", 8, 0, List.of(EncodedValue.unsigned(4, 3), EncodedValue.unsigned(4, 4)))
            .struct("where", s -> s.field("shelf", 4, 0, EncodedValue.unsigned(1, 7)));
    TypedEvent order =
        new TypedEvent()
            .field("Id", 8, 0, EncodedValue.unsigned(4, 12))
            .mapped("State", 6, "States", EncodedValue.unsigned(2, 2), "paid");
    EventInfoWriter info =
        new EventInfoWriter(PROVIDER, "Orders", 5, 1).names("", "Order", "Pay", "");
    UUID source = new UUID(0x11_2233_4455L, 9);
    TypedEvent note = new TypedEvent().field("Text", 1, 1, EncodedValue.wide("hello"));
    String xml =
        new ManifestWriter("Notes", source).event(3, 0, "Note", "", "", "%1", note).write();
    EtlWriter writer = new EtlWriter(EtlSettings.windows11());
    writer.log(0, DescribedRecords.traceLogging(8, PROVIDER, "Orders", sale).time(1).build());
    writer.log(0, DescribedRecords.typed(8, PROVIDER, 5, 1, order).time(2).build());
    DescribedRecords.manifest(8, source, xml, 300)
        .forEach(chunk -> writer.log(0, chunk.time(3).thread(10, 20).build()));
    writer.log(0, DescribedRecords.typed(8, source, 3, 0, note).time(4).build());
    writer.log(0, DescribedRecords.eventInfo(info, order).time(5).build());
    writer.log(
        0,
        DescribedRecords.mapInfo(PROVIDER, "States", false, Map.of(1L, "open", 2L, "paid"))
            .time(5)
            .build());
    ReferenceEventReader reader = ReferenceEventReader.of(writer.toByteArray());
    List<DescribedEvent> found = reader.readAll(PROVIDER.toString());
    assertEquals("Sale", found.getFirst().event());
    assertEquals(
        "[item = tea, prices[0] = 3, prices[1] = 4, where.shelf = 7]",
        found.getFirst().flat().toString());
    assertEquals("Order/Pay", found.getLast().event());
    assertEquals("[Id = 12, State = 2 (paid)]", found.getLast().flat().toString());
    assertEquals("[Text = hello]", reader.readAll(source.toString()).getFirst().flat().toString());
  }

  @Test
  void aTmfHasALineForEveryArgumentOfItsMessages() {
    WppMessageWriter message =
        new WppMessageWriter(PROVIDER, "shop_c120", 10, "ShopMain", "INFO", "ALL")
            .function()
            .text(": 100% of ")
            .wide("tea")
            .text(", status ")
            .hex(0xC000_0034)
            .text(" ")
            .oneOf(1, 1, "open", "closed");
    assertEquals("ShopMain: 100% of tea, status c0000034 closed", message.text());
    String tmf = WppMessageWriter.tmf("shop", "shop.c", List.of(message));
    List<String> lines = tmf.lines().toList();
    assertEquals(
        "#typev  shop_c120 10 \"%0%!FUNC!: 100%% of %10!S!, status %11!08x! %12!s!\""
            + " //   LEVEL=INFO FLAGS=ALL FUNC=ShopMain",
        lines.get(2));
    assertEquals("arg10, ItemWString -- 10", lines.get(4));
    assertEquals("arg12, ItemListByte(open,closed) -- 12", lines.get(6));
    assertEquals(8 + 4 + 1, message.payload().length);
    assertFalse(DescribedRecords.message(message).time(1).build().bytes().length < 13);
  }

  @Test
  void piecesOfAManifestThatDoNotFollowEachOtherAreNone() {
    ManifestJoiner chunks = new ManifestJoiner();
    List<byte[]> pieces = ManifestWriter.chunks("<a>" + "\u20AC".repeat(50) + "</a>", 40);
    assertEquals(4, pieces.size());
    assertNull(chunks.add("p", 1, 1, pieces.get(1)));
    assertNull(chunks.add("p", 1, 1, pieces.get(0)));
    assertNull(chunks.add("p", 1, 2, pieces.get(0)));
    assertNull(chunks.add("p", 1, 1, pieces.get(1)));
    assertNull(chunks.add("p", 1, 1, pieces.get(2)));
    String whole = chunks.add("p", 1, 1, pieces.get(3));
    assertNotNull(whole);
    assertEquals(157, whole.getBytes(UTF_8).length);
  }
}

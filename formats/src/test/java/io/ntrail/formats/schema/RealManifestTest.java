package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Manifests of Microsoft, and the recordings whose events they describe. */
class RealManifestTest {
  private static byte[] file(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return TestData.gunzip("etl/manifests/" + name + ".man.gz");
  }

  private static long count(String xml, String element) {
    // Performance counters have providers of their own, scenarios name events described elsewhere.
    String others = "<!--.*?-->|<counters.*?</counters>|<scenario\\s.*?</scenario>";
    String text = Pattern.compile(others, Pattern.DOTALL).matcher(xml).replaceAll("");
    return Pattern.compile("<" + element + "[\\s>]").matcher(text).results().count();
  }

  @Test
  void providersEventsAndTemplatesAreAsManyAsTheirElements() throws IOException {
    for (String name : List.of("SystemEvents", "asp", "CSV", "HTTP_Server")) {
      byte[] bytes = file(name);
      String xml = new String(bytes, StandardCharsets.UTF_8);
      Manifest manifest = Manifest.parse(bytes, name + ".man");
      assertEquals(count(xml, "provider"), manifest.providers().size(), name);
      long events = 0;
      long templates = 0;
      long maps = 0;
      for (Manifest.Provider provider : manifest.providers()) {
        events += provider.events().size();
        templates += provider.templates();
        maps += provider.maps().size();
      }
      assertEquals(count(xml, "event"), events, name);
      assertEquals(count(xml, "template"), templates, name);
      assertEquals(count(xml, "(valueMap|bitMap)"), maps, name);
    }
  }

  @Test
  void nothingInThemMakesNoSense() throws IOException {
    for (String name : List.of("SystemEvents", "asp", "CSV", "HTTP_Server")) {
      assertEquals(List.of(), Manifest.parse(file(name), name).problems());
    }
  }

  /** Made from classes of WMI: records have their events as class and opcode. */
  @Test
  void manifestOfClassesHasTheClassOfEachEvent() throws IOException {
    Manifest.Provider asp = Manifest.parse(file("asp"), "asp.man").providers().getFirst();

    assertTrue(asp.isClassic());
    assertTrue(asp.events().stream().noneMatch(event -> event.eventGuid().equals(Guid.ZERO)));
  }

  private static Manifest.Provider http() throws IOException {
    return Manifest.parse(file("HTTP_Server"), "HTTP_Server.man").providers().getFirst();
  }

  /**
   * The program that the sentence is quoted from shows pointers in decimal and drops the full stop;
   * the manifest says hexadecimal.
   */
  @Test
  void firstParseEventSaysWhatItsManifestHasItSay() throws IOException {
    Manifest.Provider provider = http();
    Manifest.Event parse = Objects.requireNonNull(provider.event(2, 0));
    MessageText message = Objects.requireNonNull(MessageText.of(parse.schema()));
    List<String> texts = new ArrayList<>();
    SchemaRecordings.walk(
        "tx-HTTP_Server",
        record -> {
          if (texts.isEmpty()
              && record.kind().isEvent()
              && record.provider().equals(provider.guid())
              && record.id() == 2) {
            texts.add(message.fill(SchemaRecordings.read(parse.schema(), record)));
          }
        });

    assertEquals("HTTP Request Trace Task/Parse", parse.schema().event());
    assertEquals(
        "Parsed request (request pointer 18446738026454074672, method 4)"
            + " with URI http://georgis2:80/windir.txt.",
        texts.getFirst());
  }

  @Test
  void everyHttpEventIsConsumedToItsLastByte() throws IOException {
    Manifest.Provider provider = http();
    for (String name : List.of("tx-HTTP_Server", "tx-CrossMachineHTTP")) {
      int[] events = new int[3];
      Map<String, Integer> odd = new TreeMap<>();
      SchemaRecordings.walk(
          name,
          record -> {
            if (!record.kind().isEvent() || !record.provider().equals(provider.guid())) {
              return;
            }
            Manifest.Event event = provider.event(record.id(), record.version());
            if (event == null) {
              odd.merge("none " + record.id() + "/" + record.version(), 1, Integer::sum);
              return;
            }
            Payload payload = SchemaRecordings.read(event.schema(), record);
            events[0]++;
            if (payload.isShort() || payload.restLength() > 0) {
              odd.merge(
                  event.schema().event()
                      + (payload.isShort() ? " short" : " rest of " + payload.restLength()),
                  1,
                  Integer::sum);
            }
            assertEquals(event.opcode(), record.opcode());
            assertEquals(event.task(), record.task());
            assertEquals(event.level(), record.level());
          });
      assertEquals(Map.of(), odd, name);
      assertEquals(name.equals("tx-HTTP_Server") ? 2041 : 3396, events[0]);
    }
  }

  @Test
  void kernelProcessEventsAreConsumedToTheirLastByte() throws IOException {
    Map<Guid, Manifest.Provider> providers = new HashMap<>();
    Manifest.parse(file("SystemEvents"), "SystemEvents.man")
        .providers()
        .forEach(provider -> providers.put(provider.guid(), provider));
    Map<String, Integer> found = new TreeMap<>();
    SchemaRecordings.walk(
        "tx-Process",
        record -> {
          Manifest.Provider provider =
              record.kind().isEvent() ? providers.get(record.provider()) : null;
          Manifest.Event event =
              provider == null ? null : provider.event(record.id(), record.version());
          if (event == null) {
            return;
          }
          Payload payload = SchemaRecordings.read(event.schema(), record);
          boolean whole = !payload.isShort() && payload.restLength() == 0;
          found.merge(event.schema().event() + (whole ? "" : " odd"), 1, Integer::sum);
        });
    assertEquals(
        Map.of(
            "CpuBasePriorityChange", 810,
            "CpuPriorityChange", 5088,
            "ImageLoad", 1115,
            "ImageUnload", 1153,
            "IoPriorityChange", 780,
            "PagePriorityChange", 838,
            "ProcessStart/Start", 4,
            "ProcessStop/Stop", 4,
            "ThreadStart/Start", 287,
            "ThreadStop/Stop", 264),
        found);
  }

  /**
   * Manifests that EventSources sent, and the events of theirs. What is not consumed: PerfView
   * writes the level of ClrEnableParameters in eight bytes where its manifest says four.
   */
  @Test
  void everyManifestThatWasSentIsReadAndItsEventsAreConsumed() {
    Map<String, String> found = new TreeMap<>();
    for (String name : SchemaRecordings.all()) {
      ManifestChunks chunks = new ManifestChunks();
      SchemaRecordings.walk(
          name,
          record -> {
            if (record.kind().isEvent()
                && record.id() == ManifestChunks.ID
                && record.opcode() == 0xFE) {
              chunks.add(
                  record.provider(),
                  record.processId(),
                  record.threadId(),
                  record.bytes(),
                  record.payloadOffset(),
                  record.payloadLength());
            }
          });
      assertEquals(List.of(), chunks.problems(), name);
      Map<Guid, Manifest.Provider> providers = new HashMap<>();
      for (ManifestChunks.Text text : chunks.finished()) {
        Manifest.Result result = Manifest.parseSent(text.xml(), name);
        assertEquals("", result.reason());
        Manifest manifest = Objects.requireNonNull(result.manifest());
        assertEquals(1, manifest.providers().size());
        assertEquals(List.of(), manifest.problems());
        assertEquals(text.provider(), manifest.providers().getFirst().guid());
        providers.put(text.provider(), manifest.providers().getFirst());
      }
      if (providers.isEmpty()) {
        continue;
      }
      Map<Guid, int[]> counts = new HashMap<>();
      SchemaRecordings.walk(
          name,
          record -> {
            Manifest.Provider provider =
                record.kind().isEvent() ? providers.get(record.provider()) : null;
            Manifest.Event event =
                provider == null ? null : provider.event(record.id(), record.version());
            if (event == null || record.hasExtendedItems() && hasSchema(record)) {
              return;
            }
            Payload payload = SchemaRecordings.read(event.schema(), record);
            int[] count = counts.computeIfAbsent(record.provider(), g -> new int[2]);
            count[0]++;
            if (payload.isShort() || payload.restLength() > 0) {
              count[1]++;
              assertEquals("ClrEnableParameters", event.schema().event());
              assertEquals(4, payload.restLength());
            }
            assertTrue(event.schema().event() != null);
          });
      providers.forEach((guid, provider) -> {
        int[] count = counts.getOrDefault(guid, new int[2]);
        found.put(
            name + " " + provider.name(),
            provider.events().size()
                + " described, "
                + count[0]
                + " read, "
                + count[1]
                + " not consumed");
      });
    }
    assertEquals(
        Map.of(
            "diaghub.user_paged.1 System.Threading.Tasks.TplEventSource",
            "20 described, 18 read, 0 not consumed",
            "perfview-net45-x86-win7 PerfView",
            "23 described, 43 read, 2 not consumed",
            "perfview-net45-x86-win7 System.Diagnostics.Eventing.FrameworkEventSource",
            "24 described, 0 read, 0 not consumed",
            "perfview-net452-x64 PerfView",
            "23 described, 106 read, 2 not consumed",
            "perfview-net452-x64 System.Diagnostics.Eventing.FrameworkEventSource",
            "128 described, 5 read, 0 not consumed",
            "perfview-net452-x64 System.Threading.Tasks.TplEventSource",
            "12 described, 7 read, 0 not consumed",
            "tx-BondEtwSample MSOpenTech-Tx-BinaryEventSource",
            "5 described, 11 read, 0 not consumed"),
        found);
  }

  private static boolean hasSchema(RecordCursor record) {
    return SchemaRecordings.item(record, ExtendedItem.EVENT_SCHEMA_TL) != 0;
  }
}

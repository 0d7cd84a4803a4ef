package io.ntrail.cli.events;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.DescribedRecords;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of the events of .NET's EventSources, whose manifests are in the recording. */
class EventSourceNamesTest {
  private static final UUID PROVIDER = UUID.fromString("5b0a3b7e-1c1b-4c0e-9a51-6f4f0e6a7b10");
  private static final int STRING_ONLY = 4;

  /**
   * The manifest as the runtime writes it: with the event of the value 0, and one without a task.
   */
  private static final String MANIFEST =
      """
      <instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
       <instrumentation xmlns:win="http://manifests.microsoft.com/win/2004/08/windows/events">
        <events xmlns="http://schemas.microsoft.com/win/2004/08/events">
      <provider name="Shop-Source" guid="{5b0a3b7e-1c1b-4c0e-9a51-6f4f0e6a7b10}"
       resourceFileName="a" messageFileName="a" symbol="ShopSource">
       <tasks>
        <task name="Paid" message="$(string.task_Paid)" value="65533"/>
        %s
       </tasks>
       <events>
        <event value="0" version="0" level="win:LogAlways" symbol="EventSourceMessage" %s\
       template="EventSourceMessageArgs"/>
        <event value="1" version="0" level="win:Informational" symbol="Paid" task="Paid"/>
        <event value="2" version="0" level="win:Informational" symbol="Lost"/>
       </events>
       <templates>
        <template tid="EventSourceMessageArgs"><data name="message" inType="win:UnicodeString"/></template>
       </templates>
      </provider>
        </events>
       </instrumentation>
      </instrumentationManifest>
      """;

  @TempDir private Path folder;

  private List<JsonReader> events(String xml, EtlRecords... records) throws IOException {
    EtlWriter writer = new EtlWriter(EtlSettings.windows11());
    long ticks = EtlSettings.windows11().startTicks();
    if (!xml.isEmpty()) {
      for (EtlRecords chunk : DescribedRecords.manifest(8, PROVIDER, xml, 60_000)) {
        writer.log(0, chunk.time(++ticks).thread(8, 9).build());
      }
    }
    for (EtlRecords record : records) {
      writer.log(0, record.time(++ticks).thread(8, 9).build());
    }
    Path file = Recordings.write(folder.resolve("source.etl"), writer);
    return Cli.run("events", file, "--format", "jsonl", "-n", "0")
        .out()
        .lines()
        .map(JsonReader::parse)
        .filter(event -> event.get("providerGuid").text().equals(PROVIDER.toString()))
        .filter(event -> event.get("id").number() != 0xFFFE)
        .toList();
  }

  private static EtlRecords event(int id) {
    byte[] text = new LittleEndian().utf16z("late").toByteArray();
    return EtlRecords.event(8, PROVIDER, id).payload(id == 0 ? text : new byte[0]);
  }

  private static List<String> names(List<JsonReader> events) {
    return events.stream().map(event -> String.valueOf(event.get("event").value())).toList();
  }

  @Test
  void theEventOfTheValueZeroHasItsName() throws IOException {
    String xml =
        MANIFEST.formatted(
            "<task name=\"EventSourceMessage\" value=\"65534\"/>", "task=\"EventSourceMessage\" ");
    List<JsonReader> events = events(xml, event(0), event(1));
    assertEquals(List.of("EventSourceMessage", "Paid"), names(events));
    assertEquals("late", events.getFirst().get("fields").get("message").text());
  }

  @Test
  void anEventWithoutATaskHasTheNameOfItsSymbol() throws IOException {
    String xml = MANIFEST.formatted("", "");
    assertEquals(List.of("EventSourceMessage", "Lost"), names(events(xml, event(0), event(2))));
  }

  @Test
  void aTextWithoutAnEventIsNamedAsTheRuntimeNamesIt() throws IOException {
    // Older runtimes write texts as EventWriteString does, and do not tell of them.
    String xml = MANIFEST.formatted("", "").replaceAll("<event value=\"0\".*?/>", "");
    List<JsonReader> events = events(xml, event(0).flags(STRING_ONLY));
    assertEquals(List.of("EventSourceMessage"), names(events));
    assertEquals("late", events.getFirst().get("fields").get("Message").text());
  }

  @Test
  void aTextOfAnotherProviderHasNoName() throws IOException {
    assertEquals(List.of("null"), names(events("", event(0).flags(STRING_ONLY))));
  }
}

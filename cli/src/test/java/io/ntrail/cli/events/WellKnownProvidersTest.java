package io.ntrail.cli.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.described.TraceLoggingEvent;
import io.ntrail.testkit.etl.DescribedRecords;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Providers whose names are in no recording, but well known. */
class WellKnownProvidersTest {
  private static final UUID RESOLVER = UUID.fromString("1c95126e-7eea-49a9-a3fe-a378b03ddb4d");
  private static final String RESOLVER_NAME = "Microsoft-Windows-DNS-Client";
  private static final UUID UNKNOWN = UUID.fromString("5b0a3b7e-1c1b-4c0e-9a51-6f4f0e6a7b10");
  private static final String SOURCE = "built-in list of providers";

  private static final String MANIFEST =
      """
      <instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
       <instrumentation xmlns:win="http://manifests.microsoft.com/win/2004/08/windows/events">
        <events xmlns="http://schemas.microsoft.com/win/2004/08/events">
         <provider name="Shop-Resolver" guid="{1c95126e-7eea-49a9-a3fe-a378b03ddb4d}"
          resourceFileName="a" messageFileName="a" symbol="Shop">
          <events><event value="1" version="0" symbol="Asked"/></events>
         </provider>
        </events>
       </instrumentation>
      </instrumentationManifest>
      """;

  @TempDir private Path folder;
  private Path file = Path.of("");

  @BeforeEach
  void threeEventsOfAWellKnownProviderAndOneOfAnother() throws IOException {
    file =
        write(
            "resolver.etl",
            EtlRecords.event(8, RESOLVER, 3006),
            EtlRecords.event(8, RESOLVER, 3006),
            EtlRecords.event(8, UNKNOWN, 7),
            EtlRecords.event(8, RESOLVER, 3008));
  }

  private Path write(String name, EtlRecords... records) throws IOException {
    EtlWriter writer = new EtlWriter(EtlSettings.windows11());
    long ticks = EtlSettings.windows11().startTicks();
    for (EtlRecords record : records) {
      writer.log(0, record.time(++ticks).thread(8, 9).build());
    }
    return Recordings.write(folder.resolve(name), writer);
  }

  /** Returns the events but the header's. */
  private static List<JsonReader> events(Path recording, Object... more) {
    List<Object> words = new ArrayList<>(List.of("events", recording, "--format", "jsonl"));
    words.addAll(Arrays.asList(more));
    return Cli.run(words.toArray()).lines().stream()
        .map(JsonReader::parse)
        .filter(event -> event.get("tid").number() == 9)
        .toList();
  }

  private static String source(JsonReader event) {
    return event.has("providerSource") ? event.get("providerSource").text() : "";
  }

  @Test
  void eventsHaveTheNameAndSayThatItIsFromTheList() throws IOException {
    List<JsonReader> events = events(file);
    assertEquals(4, events.size());
    for (JsonReader event : events) {
      boolean listed = event.get("providerGuid").text().equals(RESOLVER.toString());
      assertEquals(listed ? RESOLVER_NAME : null, event.get("provider").value());
      assertEquals(listed ? SOURCE : "", source(event));
      assertEquals(List.of(), JsonSchema.named("events").definition("event").findings(event));
    }
  }

  @Test
  void countsAndTheSummarySayIt() throws IOException {
    JsonReader counts = Cli.run("events", file, "--count", "--format", "json").json();
    JsonReader info = Cli.run("info", file, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("event-counts").findings(counts));
    assertEquals(List.of(), JsonSchema.named("info").findings(info));
    for (List<JsonReader> rows :
        List.of(counts.get("events").array(), info.get("sources").array())) {
      List<String> listed =
          rows.stream()
              .filter(row -> source(row).equals(SOURCE))
              .map(row -> row.get("provider").text())
              .distinct()
              .toList();
      assertEquals(List.of(RESOLVER_NAME), listed);
    }
  }

  @Test
  void peopleReadTheNameAndVerboseItsSource() {
    assertTrue(Cli.run("info", file).out().contains(RESOLVER_NAME));
    Cli.Result list = Cli.run("events", file, "-v");
    assertTrue(list.out().contains(RESOLVER_NAME + "/3008"), list.out());
    assertTrue(
        list.messages()
            .contains(
                "1 provider named by the built-in list of providers, not by the recording: "
                    + RESOLVER_NAME),
        list.err());
    assertFalse(Cli.run("events", file).err().contains("built-in list"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        RESOLVER_NAME,
        "microsoft-windows-dns-*",
        RESOLVER_NAME + "/*",
        "1c95126e-7eea-49a9-a3fe-a378b03ddb4d"
      })
  void eventsAreSelectedByTheName(String pattern) {
    assertEquals(3, events(file, "-e", pattern).size());
    assertEquals(1, events(file, "-e", RESOLVER_NAME + "/3008").size());
  }

  @Test
  void conditionsAndGroupsKnowTheName() {
    assertEquals(3, events(file, "--where", "provider == " + RESOLVER_NAME).size());
    String groups = Cli.run("events", file, "--count", "--by", "provider").out();
    assertTrue(groups.matches("(?s).*\\n +3 .* " + RESOLVER_NAME + "\\n.*"), groups);
  }

  @Test
  void aNameInTheRecordingWins() throws IOException {
    TraceLoggingEvent asked = new TraceLoggingEvent("Asked");
    Path own =
        write(
            "own.etl",
            EtlRecords.event(8, RESOLVER, 3006),
            DescribedRecords.traceLogging(8, RESOLVER, "Shop-Resolver", asked));
    for (JsonReader event : events(own)) {
      assertEquals("Shop-Resolver", event.get("provider").text());
      assertEquals("", source(event));
    }
    assertEquals(0, events(own, "-e", RESOLVER_NAME).size());
  }

  @Test
  void aManifestInTheRecordingWins() throws IOException {
    List<EtlRecords> records =
        new ArrayList<>(DescribedRecords.manifest(8, RESOLVER, MANIFEST, 60_000));
    records.add(EtlRecords.event(8, RESOLVER, 3006));
    Path own = write("own.etl", records.toArray(EtlRecords[]::new));
    for (JsonReader event : events(own)) {
      assertEquals("Shop-Resolver", event.get("provider").text());
      assertEquals("", source(event));
    }
  }

  @Test
  void aManifestOfTheUserWins() throws IOException {
    Path manifest = Files.writeString(folder.resolve("own.man"), MANIFEST);
    JsonReader event = events(file, "--manifest", manifest).getFirst();
    assertEquals("Shop-Resolver", event.get("provider").text());
    assertEquals("", source(event));
  }
}

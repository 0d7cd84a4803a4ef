package io.ntrail.analysis.etw.events;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaSource;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.described.DescribedEvent;
import io.ntrail.testkit.described.FieldNode;
import io.ntrail.testkit.described.RawRecord;
import io.ntrail.testkit.described.ReferenceEventReader;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Described events of any shape are read as their writer meant them. */
class WrittenEventsTest {
  private static WrittenEvents fill(Gen g, WrittenEvents written) {
    for (int i = g.length(8); i >= 0; i--) {
      written.any();
    }
    return written;
  }

  /** Shows every event of a recording, and says of how many more records it is. */
  private static void walk(byte[] file, UserSchemas user, int cores, Consumer<EventReader> each) {
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(file, "written")))) {
      Events events = Events.of(recording, new SchemaSources(user), cores);
      try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
        while (walk.next()) {
          each.accept(walk.event());
        }
      }
      assertEquals(List.of(), recording.gaps());
    }
  }

  private static void check(WrittenEvents written, int cores) {
    byte[] file = written.file();
    Map<Long, WrittenEvents.Event> left = new HashMap<>(written.expected());
    walk(
        file,
        written.user(),
        cores,
        event -> {
          WrittenEvents.Event expected = left.remove(event.record().ticks());
          if (expected != null) {
            check(expected, event);
          }
        });
    assertEquals(Map.of(), left, "events that were not found");
  }

  private static void check(WrittenEvents.Event expected, EventReader event) {
    Schema schema = event.type().schema();
    assertNotNull(schema, () -> "not described: " + expected);
    assertEquals(expected.source(), schema.source());
    assertEquals(expected.provider(), event.type().provider());
    assertEquals(expected.name(), event.type().event());
    assertEquals(
        String.join("\n", Conventions.lines(expected.fields())),
        String.join("\n", Conventions.lines(event)),
        () -> expected.toString());
    assertEquals(expected.payload(), event.record().payloadLength());
    assertEquals(0, event.payload().restLength());
    assertEquals(false, event.payload().isShort());
    assertEquals(expected.message(), event.message());
  }

  @Test
  void everyEventReadsAsItWasWrittenWhateverDescribesIt() {
    Property.check(g -> check(fill(g, WrittenEvents.of(g)), g.oneOf(1, 2, 3)));
  }

  @Test
  void traceLoggingReadsAsItWasWritten() {
    Property.check(g -> check(WrittenEvents.of(g).traceLogging(), 1));
  }

  @Test
  void eventMetadataReadsAsItWasWritten() {
    Property.check(g -> check(WrittenEvents.of(g).eventInfo(), 1));
  }

  @Test
  void manifestsThatSeveralThreadsSendInPiecesAreJoined() {
    Property.check(g -> check(WrittenEvents.of(g).sent().sent().sent(), g.oneOf(1, 2, 3)));
  }

  @Test
  void manifestsThatTheUserGivesReadAsTheyWereWritten() {
    Property.check(g -> check(WrittenEvents.of(g).given().given(), 1));
  }

  @Test
  void softwareTracingReadsAsItWasWritten() {
    Property.check(g -> check(WrittenEvents.of(g).wpp().wpp(), 1));
  }

  private record Place(int buffer, int offset) {}

  @Test
  void payloadsThatEndEarlyGiveTheFieldsThatFit() {
    Property.check(g -> {
      WrittenEvents written =
          fill(
              g,
              new WrittenEvents(
                  g,
                  payload -> Arrays.copyOf(payload, g.below(payload.length + 1)),
                  description -> description));
      byte[] file = written.file();
      ReferenceEventReader second = ReferenceEventReader.of(file);
      written.manifests().forEach(second::with);
      Map<Place, RawRecord> raw = new HashMap<>();
      second.records().forEach(r -> raw.put(new Place(r.buffer(), r.offset()), r));
      Map<Long, WrittenEvents.Event> all = written.expected();
      walk(
          file,
          written.user(),
          1,
          event -> {
            WrittenEvents.Event expected = all.get(event.record().ticks());
            if (expected == null) {
              return;
            }
            prefix(expected, event);
            if (expected.source() != SchemaSource.TMF) {
              RawRecord record = raw.get(place(event));
              assertNotNull(record);
              DescribedEvent described = second.read(record);
              if (described == null) {
                // testkit joins the pieces of a manifest only where the file has them in order.
                assertEquals(SchemaSource.EVENT_SOURCE, expected.source());
              } else {
                same(described, event);
              }
            }
          });
    });
  }

  private static Place place(EventReader event) {
    boolean packed = event.record().file().buffers().compressed(event.record().buffer());
    return new Place(event.record().buffer(), event.record().offset() + (packed ? 72 : 0));
  }

  /**
   * Values alone: of groups that are cut before their first value only the program says that. Half
   * a pair of surrogates, where a cut parts one, is U+FFFD for the program: no output can carry it.
   */
  private static List<FieldNode.Pair> values(List<FieldNode> nodes) {
    return FieldNode.flat(nodes).stream()
        .filter(pair -> !pair.path().endsWith("{}"))
        .map(pair ->
            new FieldNode.Pair(pair.path(), new String(pair.text().getBytes(UTF_16LE), UTF_16LE)))
        .toList();
  }

  private static void prefix(WrittenEvents.Event expected, EventReader event) {
    List<FieldNode.Pair> all = values(expected.fields());
    List<FieldNode.Pair> read = values(Conventions.fields(event));
    assertTrue(read.size() <= all.size(), () -> read + " of " + all);
    boolean cut = false;
    for (int i = 0; i < read.size(); i++) {
      assertEquals(all.get(i).path(), read.get(i).path());
      // A text without its end is what there is of it, and only what has no bytes can follow.
      assertTrue(!cut || read.get(i).text().isEmpty(), () -> read + " of " + all);
      cut |= !all.get(i).text().equals(read.get(i).text());
    }
    assertTrue(event.payload().isShort() || read.size() == all.size(), () -> read + " of " + all);
  }

  private static void same(DescribedEvent second, EventReader event) {
    List<FieldNode.Pair> theirs = values(second.fields());
    List<FieldNode.Pair> ours = values(Conventions.fields(event));
    boolean alone = event.payload().isShort() && event.payload().restLength() == 1;
    if (alone && theirs.size() == ours.size() + 1 && theirs.getLast().text().isEmpty()) {
      // Half a UTF-16 character is an empty text for testkit, and too short for the program.
      assertEquals(theirs.subList(0, ours.size()), ours);
      return;
    }
    assertEquals(theirs, ours);
    assertEquals(second.complete(), !event.payload().isShort());
    if (second.complete()) {
      assertEquals(
          second.bytesRead(), event.record().payloadLength() - event.payload().restLength());
    }
  }

  @Test
  void bytesAfterTheLastFieldAreTheRest() {
    byte[] more = {1, 2, 3, 4, 5, 6, 7};
    Property.check(g -> {
      WrittenEvents written =
          fill(
              g,
              new WrittenEvents(
                  g,
                  payload -> {
                    byte[] longer = Arrays.copyOf(payload, payload.length + more.length);
                    System.arraycopy(more, 0, longer, payload.length, more.length);
                    return longer;
                  },
                  description -> description));
      byte[] file = written.file();
      Map<Long, WrittenEvents.Event> all = written.expected();
      walk(
          file,
          written.user(),
          1,
          event -> {
            WrittenEvents.Event expected = all.get(event.record().ticks());
            if (expected != null) {
              assertEquals(Conventions.lines(expected.fields()), Conventions.lines(event));
              assertEquals(more.length, event.payload().restLength());
              assertEquals(false, event.payload().isShort());
              assertEquals(expected.message(), event.message());
            }
          });
    });
  }

  @Test
  void damagedDescriptionsNeverThrow() {
    Property.check(g -> {
      WrittenEvents written =
          fill(g, new WrittenEvents(g, payload -> payload, description -> damaged(g, description)));
      walk(written.file(), written.user(), g.oneOf(1, 2), WrittenEventsTest::readAll);
    });
  }

  @Test
  void damagedPayloadsNeverThrow() {
    Property.check(g -> {
      WrittenEvents written =
          fill(g, new WrittenEvents(g, payload -> damaged(g, payload), description -> description));
      walk(written.file(), written.user(), g.oneOf(1, 2), WrittenEventsTest::readAll);
    });
  }

  private static byte[] damaged(Gen g, byte[] bytes) {
    byte[] spoiled =
        g.below(4) == 3 ? Arrays.copyOf(bytes, g.below(bytes.length + 1)) : bytes.clone();
    for (int i = g.below(6); i > 0 && spoiled.length > 0; i--) {
      spoiled[g.below(spoiled.length)] = (byte) g.below(256);
    }
    return spoiled;
  }

  private static void readAll(EventReader event) {
    Payload payload = event.payload();
    for (int i = 0; i < payload.size(); i++) {
      if (payload.token(i) == Payload.Token.VALUE) {
        assertNotNull(event.text(i));
        event.meaning(i);
        payload.integer(i);
        payload.real(i);
      } else {
        assertTrue(payload.after(i) > i);
      }
    }
    assertTrue(payload.restLength() >= 0);
    assertNotNull(event.type().text());
    event.message();
  }
}

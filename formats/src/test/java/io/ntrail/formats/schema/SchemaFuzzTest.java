package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Arbitrary descriptions of events, each used to read a payload, and their messages filled with it:
 * nothing is thrown but the refusal of a file that the user gave.
 */
class SchemaFuzzTest {
  private static final int MAX_TOKENS = 1 << 20;

  /** The metadata itself is as good a payload as any. */
  private static void use(Schema schema, Bytes payload, MessageText.Reserved facts) {
    Payload read = new Payload();
    for (int pointerBytes = 4; pointerBytes <= 8; pointerBytes += 4) {
      read.read(schema, payload, 0, payload.length(), pointerBytes);
      assertTrue(read.size() < MAX_TOKENS && read.restLength() >= 0, "tokens or rest");
      int top = 0;
      for (int i = 0; i < read.size(); i = read.after(i)) {
        top++;
      }
      assertTrue(top <= schema.fields().size(), "more values than fields");
      for (int i = 0; i < Math.min(read.size(), 1000); i++) {
        if (read.token(i) == Payload.Token.VALUE) {
          assertTrue(read.text(i) != null);
        }
      }
      MessageText message = MessageText.of(schema);
      if (message != null) {
        assertTrue(message.fill(read, facts).length() < 1 << 19, "a message without end");
      }
    }
  }

  private static final List<Schema> ROWS =
      Stream.concat(SchemaTable.kernel().all().stream(), SchemaTable.clr().all().stream()).toList();

  /** The first two bytes choose a row of the built-in tables, the rest is its payload. */
  @FuzzTest(maxDuration = "60s")
  void tableRows(byte[] data) {
    if (data.length >= 2) {
      int row = ((data[0] & 0xFF) << 8 | data[1] & 0xFF) % ROWS.size();
      use(
          ROWS.get(row),
          Bytes.copyOf(Arrays.copyOfRange(data, 2, data.length), "fuzz"),
          name -> null);
    }
  }

  @FuzzTest(maxDuration = "60s")
  void traceLogging(byte[] data) {
    Bytes bytes = Bytes.copyOf(data, "fuzz");
    use(TraceLogging.parse(bytes, 0, data.length), bytes, name -> null);
    TraceLogging.traits(bytes, 0, data.length);
    TraceLoggingSchemas schemas = new TraceLoggingSchemas();
    Schema first = schemas.schema(bytes, 0, data.length);
    assertTrue(first.equals(schemas.schema(bytes, 0, data.length)), "parsed twice");
  }

  @FuzzTest(maxDuration = "60s")
  void eventMetadata(byte[] data) {
    Bytes bytes = Bytes.copyOf(data, "fuzz");
    EventMapInfo map = EventMapInfo.parse(bytes, 0, data.length);
    EventInfo info = EventInfo.parse(bytes, 0, data.length);
    if (info != null) {
      use(info.schema((provider, name) -> map == null ? null : map.map()), bytes, name -> null);
    }
  }

  @FuzzTest(maxDuration = "60s")
  void manifest(byte[] data) {
    Bytes bytes = Bytes.copyOf(data, "fuzz");
    try {
      for (Manifest.Provider provider : Manifest.parse(data, "fuzz").providers()) {
        provider.events().stream()
            .limit(20)
            .forEach(event -> use(event.schema(), bytes, name -> null));
      }
    } catch (CannotGoOn e) {
      assertTrue(!e.message().isEmpty());
    }
    Manifest.parseSent(new String(data, StandardCharsets.UTF_8), "fuzz");
  }

  @FuzzTest(maxDuration = "60s")
  void tmf(byte[] data) {
    Bytes bytes = Bytes.copyOf(data, "fuzz");
    try {
      Tmf tmf = Tmf.parse(new String(data, StandardCharsets.UTF_8), "fuzz");
      tmf.messages().values().stream()
          .limit(20)
          .forEach(message -> use(message.schema(), bytes, message));
    } catch (CannotGoOn e) {
      assertTrue(!e.message().isEmpty());
    }
  }
}

package io.ntrail.analysis.etw.events;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.schema.Manifest;
import io.ntrail.formats.schema.SchemaSource;
import io.ntrail.formats.schema.Tmf;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.described.EventInfoWriter;
import io.ntrail.testkit.described.FieldNode;
import io.ntrail.testkit.described.ManifestWriter;
import io.ntrail.testkit.described.RandomDescribedEvents;
import io.ntrail.testkit.described.TraceLoggingEvent;
import io.ntrail.testkit.described.TypedEvent;
import io.ntrail.testkit.described.WppMessageWriter;
import io.ntrail.testkit.etl.BufferCompression;
import io.ntrail.testkit.etl.ClassGuids;
import io.ntrail.testkit.etl.DescribedRecords;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Random described events as whole recordings, with what a reader has to find in them. The records
 * that describe and those that are described are in any order, in the buffers of several CPUs.
 */
final class WrittenEvents {
  /**
   * One event that was written.
   *
   * @param payload bytes of its payload
   * @param message its message with all values in it; null if it has none
   */
  record Event(
      String provider,
      @Nullable String name,
      SchemaSource source,
      List<FieldNode> fields,
      int payload,
      @Nullable String message) {}

  private record Entry(EtlRecords record, @Nullable Event event) {}

  /** A message with places for values, and with the values. */
  private record Message(String template, String text) {}

  private static final int EVENT_INFO = 32;
  private static final int MANIFEST = 0xFFFE;
  private static final long FIRST_TIME = 4_000_000_000_000L;

  private final Gen g;
  private final UnaryOperator<byte[]> payloads;
  private final UnaryOperator<byte[]> metadata;
  private final List<Entry> entries = new ArrayList<>();
  private final Map<Long, Event> expected = new HashMap<>();
  private final List<Manifest> manifests = new ArrayList<>();
  private final List<String> manifestTexts = new ArrayList<>();
  private final List<Tmf> formats = new ArrayList<>();
  private int providers;

  /**
   * @param payloads what becomes of every payload
   * @param metadata what becomes of every description
   */
  WrittenEvents(Gen g, UnaryOperator<byte[]> payloads, UnaryOperator<byte[]> metadata) {
    this.g = g;
    this.payloads = payloads;
    this.metadata = metadata;
  }

  /** Events as they are. */
  static WrittenEvents of(Gen g) {
    return new WrittenEvents(g, payload -> payload, description -> description);
  }

  private UUID provider() {
    return new UUID(0xA0B0_C0D0_0000_4000L + ++providers, 0x8000_0000_0000_0077L);
  }

  /** Adds an event of any kind. */
  WrittenEvents any() {
    return switch (g.below(5)) {
      case 0 -> traceLogging();
      case 1 -> eventInfo();
      case 2 -> sent();
      case 3 -> given();
      default -> wpp();
    };
  }

  /** Adds an event that describes itself. */
  WrittenEvents traceLogging() {
    int pointer = g.oneOf(8, 4);
    TraceLoggingEvent event = RandomDescribedEvents.traceLogging(g, pointer);
    // Blanks around a name are not part of it.
    String name = event.name().strip();
    byte[] payload = payloads.apply(event.payload());
    UUID provider = provider();
    EtlRecords record =
        EtlRecords.event(pointer, provider, 0)
            .descriptor(11, 0, 1)
            .item(12, metadata.apply(TraceLoggingEvent.traits("TraceLogger")))
            .item(11, metadata.apply(event.metadata()))
            .payload(payload);
    entries.add(
        new Entry(
            record,
            new Event(
                "TraceLogger",
                name.isEmpty() ? null : name,
                SchemaSource.TRACE_LOGGING,
                event.expected(),
                payload.length,
                null)));
    return this;
  }

  /** Adds an event whose description a merge has put into the recording, maybe after it. */
  WrittenEvents eventInfo() {
    RandomDescribedEvents.Typed typed = RandomDescribedEvents.eventInfo(g);
    UUID provider = provider();
    int version = g.below(3);
    Message message = message(typed.event());
    EventInfoWriter writer =
        new EventInfoWriter(provider, "Merged", 7, version)
            .names("win:Informational", "Order", "Pay", "")
            .message(message.template);
    EtlRecords blob =
        EtlRecords.full(8, ClassGuids.EVENT_METADATA)
            .opcode(EVENT_INFO)
            .payload(metadata.apply(writer.write(typed.event())));
    entries.add(new Entry(blob, null));
    // Bits are named in the order of the map, which is ascending wherever people made it.
    typed
        .maps()
        .forEach((name, texts) ->
            entries.add(
                new Entry(
                    DescribedRecords.mapInfo(
                        provider, name, name.startsWith("bits"), new TreeMap<>(texts)),
                    null)));
    typed("Merged", provider, version, SchemaSource.EVENT_METADATA, typed, message);
    return this;
  }

  /** Adds an event whose provider sent its manifest: from one thread, or from several. */
  WrittenEvents sent() {
    RandomDescribedEvents.Typed typed = RandomDescribedEvents.manifest(g);
    UUID provider = provider();
    int version = g.below(3);
    Message message = message(typed.event());
    String xml = manifest(typed, "Source", provider, version, message.template);
    int size = (int) g.between(100, 1500);
    for (int times = 1 + g.below(3); times > 0; times--) {
      int thread = 1000 + entries.size();
      for (byte[] chunk : ManifestWriter.chunks(xml, size)) {
        EtlRecords piece =
            EtlRecords.event(typed.pointer(), provider, MANIFEST)
                .version(1)
                .opcode(0xFE)
                .descriptor(0, MANIFEST, 0)
                .thread(500, thread)
                .payload(metadata.apply(chunk));
        entries.add(new Entry(piece, null));
      }
    }
    typed("Source", provider, version, SchemaSource.EVENT_SOURCE, typed, message);
    return this;
  }

  /** Adds an event whose manifest the user gives. */
  WrittenEvents given() {
    RandomDescribedEvents.Typed typed = RandomDescribedEvents.manifest(g);
    UUID provider = provider();
    int version = g.below(3);
    Message message = message(typed.event());
    String xml = manifest(typed, "Outside", provider, version, message.template);
    byte[] bytes = metadata.apply(xml.getBytes(StandardCharsets.UTF_8));
    try {
      manifests.add(Manifest.parse(bytes, "given"));
      manifestTexts.add(new String(bytes, StandardCharsets.UTF_8));
    } catch (CannotGoOn e) {
      // Damage may leave nothing of it.
      manifestTexts.clear();
    }
    typed("Outside", provider, version, SchemaSource.MANIFEST, typed, message);
    return this;
  }

  /** Adds messages of software tracing. */
  WrittenEvents wpp() {
    UUID trace = provider();
    List<WppMessageWriter> messages = new ArrayList<>();
    for (int i = g.below(3); i >= 0; i--) {
      messages.add(RandomDescribedEvents.wpp(g, trace, 10 + i));
    }
    String text = WppMessageWriter.tmf("shop", "shop.c", messages);
    byte[] bytes = metadata.apply(text.getBytes(StandardCharsets.UTF_8));
    try {
      formats.add(Tmf.parse(new String(bytes, StandardCharsets.UTF_8), "given"));
    } catch (CannotGoOn e) {
      // Damage may leave nothing of it.
      formats.clear();
    }
    for (WppMessageWriter message : messages) {
      byte[] payload = payloads.apply(message.payload());
      entries.add(
          new Entry(
              DescribedRecords.message(message).payload(payload),
              new Event(
                  "shop",
                  "any_c" + message.number(),
                  SchemaSource.TMF,
                  message.expected().stream().map(WrittenEvents::signed).toList(),
                  payload.length,
                  message.text())));
    }
    return this;
  }

  /** Returns a number as signed, as TMF files have those that messages show in hexadecimal. */
  private static FieldNode signed(FieldNode node) {
    String value = node.value();
    boolean hex = value != null && value.startsWith("0x");
    return hex ? FieldNode.leaf(node.name(), "" + (int) Long.decode(value).longValue()) : node;
  }

  private static String manifest(
      RandomDescribedEvents.Typed typed, String name, UUID provider, int version, String message) {
    ManifestWriter writer = new ManifestWriter(name, provider);
    typed
        .maps()
        .forEach((map, texts) -> writer.map(map, map.startsWith("bits"), new TreeMap<>(texts)));
    return writer.event(7, version, "Symbol", "Order", "Pay", message, typed.event()).write();
  }

  private void typed(
      String provider,
      UUID guid,
      int version,
      SchemaSource source,
      RandomDescribedEvents.Typed typed,
      Message message) {
    for (int times = g.below(2); times >= 0; times--) {
      byte[] payload = payloads.apply(typed.event().payload());
      EtlRecords record =
          DescribedRecords.typed(typed.pointer(), guid, 7, version, typed.event()).payload(payload);
      entries.add(
          new Entry(
              record,
              new Event(
                  provider,
                  "Order/Pay",
                  source,
                  typed.event().expected(),
                  payload.length,
                  message.text)));
    }
  }

  /** A message about those fields of which testkit and people write the same text. */
  private static Message message(TypedEvent event) {
    StringBuilder template = new StringBuilder("all%").append("%:");
    StringBuilder text = new StringBuilder("all%:");
    for (int i = 0; i < event.specs().size(); i++) {
      TypedEvent.Spec spec = event.specs().get(i);
      FieldNode node = event.expected().get(i);
      boolean number = spec.in() >= 3 && spec.in() <= 10 && spec.out() == 0;
      if (node.value() != null && (number || spec.in() == 1 || spec.in() == 15)) {
        template.append(" [%").append(i + 1).append("]");
        text.append(" [").append(node.meaning() == null ? node.value() : node.meaning());
        text.append(']');
      }
    }
    return new Message(template.toString(), text.toString());
  }

  /** The recording's bytes. */
  byte[] file() {
    List<Entry> shuffled = new ArrayList<>(entries);
    shuffle(shuffled);
    EtlSettings settings =
        switch (g.below(3)) {
          case 0 -> EtlSettings.windows11();
          case 1 -> EtlSettings.windows7(4);
          default -> EtlSettings.compressed(BufferCompression.XPRESS);
        };
    List<EtlBuffer> done = new ArrayList<>();
    Map<Integer, EtlBuffer> open = new TreeMap<>();
    long time = Math.max(FIRST_TIME, settings.startTicks());
    expected.clear();
    for (Entry entry : shuffled) {
      time += 1 + g.below(100);
      if (entry.event != null) {
        expected.put(time, entry.event);
      }
      int cpu = g.below(4);
      EtlBuffer buffer = open.get(cpu);
      if (buffer == null || buffer.used() > 40_000 || g.below(8) == 7) {
        buffer = EtlBuffer.of(cpu, 0x1C, done.size() + 1);
        open.put(cpu, buffer);
        done.add(buffer);
      }
      buffer.add(entry.record.time(time).build());
    }
    shuffle(done);
    EtlWriter writer = new EtlWriter(settings);
    done.forEach(writer::buffer);
    return writer.toByteArray();
  }

  private <T> void shuffle(List<T> list) {
    for (int i = list.size() - 1; i > 0; i--) {
      // The simplest choice leaves everything in its place.
      int other = i - g.below(i + 1);
      T kept = list.get(i);
      list.set(i, list.get(other));
      list.set(other, kept);
    }
  }

  /** The events of {@link #file} by their raw times. */
  Map<Long, Event> expected() {
    return Map.copyOf(expected);
  }

  /** Returns the schemas given by the user. */
  UserSchemas user() {
    return new UserSchemas(manifests, formats);
  }

  /** The manifests that the user gives. */
  List<String> manifests() {
    return List.copyOf(manifestTexts);
  }
}

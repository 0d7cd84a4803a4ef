package io.ntrail.testkit.described;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the described events of a whole recording: first every description that the file has, then
 * the events. The event's own description comes before EventMetadata, that before the provider's
 * manifest in the file, that before manifests from outside, that before the string-only flag.
 *
 * <pre>{@code
 * ReferenceEventReader reader = ReferenceEventReader.of(bytes);
 * for (RawRecord record : reader.records()) {
 *   Described event = reader.read(record); // null: nothing describes it
 * }
 * }</pre>
 */
public final class ReferenceEventReader {
  private static final String EVENT_METADATA = "bbccf6c1-6cd1-48c4-80ff-839482e37671";
  private static final int MANIFEST_EVENT = 0xFFFE;

  private final List<RawRecord> records;
  private final Map<EventInfoReader.Key, EventInfoReader> infos = new HashMap<>();
  private final Map<String, Map<String, EventMap>> maps = new HashMap<>();
  private final Map<String, ManifestParser> sent = new HashMap<>();
  private final Map<String, ManifestParser> given = new HashMap<>();

  private ReferenceEventReader(List<RawRecord> records) {
    this.records = List.copyOf(records);
    ManifestJoiner chunks = new ManifestJoiner();
    for (RawRecord record : records) {
      if (record.classic() && record.provider().equals(EVENT_METADATA)) {
        metadata(record);
      } else if (!record.classic() && record.id() == MANIFEST_EVENT) {
        String xml =
            chunks.add(record.provider(), record.pid(), record.tid(), record.payload().bytes());
        if (xml != null) {
          for (ManifestParser manifest : ManifestParser.parse(xml)) {
            sent.put(manifest.guid(), manifest);
          }
        }
      }
    }
  }

  /** A reader of an undamaged recording, its buffers plain or XPRESS. */
  public static ReferenceEventReader of(byte[] file) {
    return new ReferenceEventReader(RawRecord.all(file));
  }

  /** Also reads what the providers of this manifest sent. */
  public ReferenceEventReader with(String manifestXml) {
    for (ManifestParser manifest : ManifestParser.parse(manifestXml)) {
      given.put(manifest.guid(), manifest);
    }
    return this;
  }

  private void metadata(RawRecord record) {
    if (record.opcode() == 32) {
      EventInfoReader info = EventInfoReader.of(record.payload().bytes());
      infos.put(info.key(), info);
    } else if (record.opcode() == 33) {
      EventMap map = EventInfoReader.map(record.payload().bytes());
      maps.computeIfAbsent(
              EventInfoReader.mapProvider(record.payload().bytes()), p -> new HashMap<>())
          .put(map.name(), map);
    }
  }

  /** The event and class records in the order of the file. */
  public List<RawRecord> records() {
    return records;
  }

  /** The names of the providers that sent manifests. */
  public Set<String> manifestProviders() {
    Set<String> names = new HashSet<>();
    sent.values().forEach(manifest -> names.add(manifest.name()));
    return names;
  }

  /** The records of one provider that something describes, read. */
  public List<DescribedEvent> readAll(String providerGuid) {
    List<DescribedEvent> out = new ArrayList<>();
    for (RawRecord record : records) {
      DescribedEvent read = record.provider().equals(providerGuid) ? read(record) : null;
      if (read != null) {
        out.add(read);
      }
    }
    return out;
  }

  /**
   * Returns the name of an event by its task and opcode, for readers that prefer them to the symbol
   * in the source code; null if it is not described by a manifest in the file.
   */
  public @Nullable String task(RawRecord record) {
    ManifestParser own = sent.get(record.provider());
    return own == null ? null : own.task(record.id(), record.version());
  }

  /** Returns the decoded event of a record, or null if nothing describes it. */
  public @Nullable DescribedEvent read(RawRecord record) {
    byte[] payload = record.payload().bytes();
    int pointer = record.pointer();
    if (record.schema().size() > 0) {
      return TraceLoggingReader.read(
          record.traits().bytes(), record.schema().bytes(), payload, pointer);
    }
    EventInfoReader.Key key =
        record.classic()
            ? new EventInfoReader.Key(record.provider(), -1, record.opcode(), record.version())
            : new EventInfoReader.Key(record.provider(), record.id(), -1, record.version());
    EventInfoReader info = infos.get(key);
    if (info != null) {
      return info.read(maps.getOrDefault(info.provider(), Map.of()), payload, pointer);
    }
    if (record.classic()) {
      return null;
    }
    ManifestParser own = sent.get(record.provider());
    DescribedEvent read =
        own == null
            ? null
            : own.read(
                DescribedEvent.By.EVENT_SOURCE, record.id(), record.version(), payload, pointer);
    ManifestParser other = given.get(record.provider());
    if (read == null && other != null) {
      read =
          other.read(DescribedEvent.By.MANIFEST, record.id(), record.version(), payload, pointer);
    }
    if (read == null && (record.flags() & 4) != 0) {
      List<FieldDescription> text =
          List.of(FieldDescription.of("Message", "Message", 1, DisplayFormat.DEFAULT));
      read = FieldReader.read(DescribedEvent.By.STRING_ONLY, "", "", "", text, payload, pointer);
    }
    return read;
  }
}

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
 * SecondReader reader = SecondReader.of(bytes);
 * for (RawRecord record : reader.records()) {
 *   Described event = reader.read(record); // null: nothing describes it
 * }
 * }</pre>
 */
public final class SecondReader {
  private static final String EVENT_METADATA = "bbccf6c1-6cd1-48c4-80ff-839482e37671";
  private static final int MANIFEST_EVENT = 0xFFFE;

  private final List<RawRecord> records;
  private final Map<EventInfo.Key, EventInfo> infos = new HashMap<>();
  private final Map<String, Map<String, ValueMap>> maps = new HashMap<>();
  private final Map<String, Manifest> sent = new HashMap<>();
  private final Map<String, Manifest> given = new HashMap<>();

  private SecondReader(List<RawRecord> records) {
    this.records = List.copyOf(records);
    ManifestChunks chunks = new ManifestChunks();
    for (RawRecord record : records) {
      if (record.classic() && record.provider().equals(EVENT_METADATA)) {
        metadata(record);
      } else if (!record.classic() && record.id() == MANIFEST_EVENT) {
        String xml =
            chunks.add(record.provider(), record.pid(), record.tid(), record.payload().bytes());
        if (xml != null) {
          for (Manifest manifest : Manifest.parse(xml)) {
            sent.put(manifest.guid(), manifest);
          }
        }
      }
    }
  }

  /** A reader of an undamaged recording, its buffers plain or XPRESS. */
  public static SecondReader of(byte[] file) {
    return new SecondReader(RawRecord.all(file));
  }

  /** Also reads what the providers of this manifest sent. */
  public SecondReader with(String manifestXml) {
    for (Manifest manifest : Manifest.parse(manifestXml)) {
      given.put(manifest.guid(), manifest);
    }
    return this;
  }

  private void metadata(RawRecord record) {
    if (record.opcode() == 32) {
      EventInfo info = EventInfo.of(record.payload().bytes());
      infos.put(info.key(), info);
    } else if (record.opcode() == 33) {
      ValueMap map = EventInfo.map(record.payload().bytes());
      maps.computeIfAbsent(EventInfo.mapProvider(record.payload().bytes()), p -> new HashMap<>())
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
  public List<Described> readAll(String providerGuid) {
    List<Described> out = new ArrayList<>();
    for (RawRecord record : records) {
      Described read = record.provider().equals(providerGuid) ? read(record) : null;
      if (read != null) {
        out.add(read);
      }
    }
    return out;
  }

  /**
   * What an event is called by its task and opcode, for readers that prefer them to the symbol in
   * the source code; null if it is not described by a manifest in the file.
   */
  public @Nullable String task(RawRecord record) {
    Manifest own = sent.get(record.provider());
    return own == null ? null : own.task(record.id(), record.version());
  }

  /** What a record says, or null if nothing describes it. */
  public @Nullable Described read(RawRecord record) {
    byte[] payload = record.payload().bytes();
    int pointer = record.pointer();
    if (record.schema().size() > 0) {
      return TraceLogging.read(record.traits().bytes(), record.schema().bytes(), payload, pointer);
    }
    EventInfo.Key key =
        record.classic()
            ? new EventInfo.Key(record.provider(), -1, record.opcode(), record.version())
            : new EventInfo.Key(record.provider(), record.id(), -1, record.version());
    EventInfo info = infos.get(key);
    if (info != null) {
      return info.read(maps.getOrDefault(info.provider(), Map.of()), payload, pointer);
    }
    if (record.classic()) {
      return null;
    }
    Manifest own = sent.get(record.provider());
    Described read =
        own == null
            ? null
            : own.read(Described.By.EVENT_SOURCE, record.id(), record.version(), payload, pointer);
    Manifest other = given.get(record.provider());
    if (read == null && other != null) {
      read = other.read(Described.By.MANIFEST, record.id(), record.version(), payload, pointer);
    }
    if (read == null && (record.flags() & 4) != 0) {
      List<Field> text = List.of(Field.of("Message", "Message", 1, Shown.DEFAULT));
      read = FieldReader.read(Described.By.STRING_ONLY, "", "", "", text, payload, pointer);
    }
    return read;
  }
}

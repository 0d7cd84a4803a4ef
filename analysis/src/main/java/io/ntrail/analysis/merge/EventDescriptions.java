package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.events.UserSchemas.Described;
import io.ntrail.analysis.merge.Additions.Missing;
import io.ntrail.analysis.merge.Additions.SystemFacts;
import io.ntrail.formats.etl.ClassRecord;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Manifest;
import io.ntrail.formats.schema.SchemaSource;
import io.ntrail.formats.schema.ValueMap;
import io.ntrail.formats.schema.write.EventInfoEncoder;
import io.ntrail.formats.schema.write.EventInfoEncoder.Descriptor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Descriptions of events that manifests have and a recording lacks. With them the recording is
 * decoded where the manifests are not at hand.
 *
 * <p>Each has time, process and thread of the first event that it is for, and the names of values
 * follow it, as in recordings that Windows' own tools have merged. Source: facts on the container
 * of {@code .etl} files, section 9.
 */
public final class EventDescriptions {
  private static final Guid EVENT_METADATA = Guid.parse("bbccf6c1-6cd1-48c4-80ff-839482e37671");
  private static final int EVENT_INFO = 32;
  private static final int EVENT_MAP = 33;
  private static final String TOO_LARGE = "does not fit in a record";

  /** Descriptions that are added: who reads the recording has a limit for them, too. */
  private static final long MOST_BYTES = 8L << 20;

  private final Events events;
  private final UserSchemas manifests;
  private final Set<EventType> done = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<MapName> maps = new HashSet<>();
  private final List<AddedRecord> added = new ArrayList<>();
  private final List<Missing> missing = new ArrayList<>();
  private int descriptions;
  private long bytes;

  private record MapName(Guid provider, String name) {}

  private EventDescriptions(Events events, UserSchemas manifests) {
    this.events = events;
    this.manifests = manifests;
  }

  /**
   * Describes the events that only manifests describe.
   *
   * @param events of the recording, made with the manifests
   * @param manifests that the user gave
   */
  public static Additions of(Events events, UserSchemas manifests) {
    return new EventDescriptions(events, manifests).find();
  }

  private Additions find() {
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
      while (walk.next()) {
        EventType type = walk.event().type();
        if (type.source() == SchemaSource.MANIFEST && done.add(type)) {
          RecordCursor record = walk.event().record();
          manifests
              .described(type, record.kind().isClassic())
              .ifPresent(described -> add(type, described, record));
        }
      }
    }
    return new Additions(added, 0, SystemFacts.NONE, descriptions, 0, missing);
  }

  private void add(EventType type, Described described, RecordCursor record) {
    Manifest.Provider provider = described.provider();
    Manifest.Event event = described.event();
    boolean isClassic = record.kind().isClassic();
    Descriptor descriptor =
        new Descriptor(
            isClassic ? 0 : record.id(),
            record.version(),
            isClassic ? 0 : record.channel(),
            record.level(),
            record.opcode(),
            isClassic ? 0 : record.task(),
            isClassic ? 0 : record.keyword());
    Optional<byte[]> info = EventInfoEncoder.event(provider, event, descriptor);
    if (info.isEmpty() || bytes + info.get().length > MOST_BYTES) {
      missing.add(
          new Missing(
              "event schema",
              type.text(),
              info.isEmpty() ? TOO_LARGE : "schemas of more than 8 MiB"));
      return;
    }
    descriptions++;
    add(record, EVENT_INFO, info.get());
    for (Map.Entry<String, ValueMap> map : EventInfoEncoder.maps(event.schema()).entrySet()) {
      if (maps.add(new MapName(provider.guid(), map.getKey()))) {
        EventInfoEncoder.map(provider.guid(), map.getValue())
            .ifPresentOrElse(
                payload -> add(record, EVENT_MAP, payload),
                () ->
                    missing.add(
                        new Missing("value map", type.text() + ", " + map.getKey(), TOO_LARGE)));
      }
    }
  }

  private void add(RecordCursor of, int opcode, byte[] payload) {
    bytes += payload.length;
    ClassRecord record =
        new ClassRecord(
            EVENT_METADATA,
            opcode,
            0,
            of.ticks(),
            of.processId(),
            of.threadId(),
            of.pointerBytes());
    added.add(new AddedRecord(of.ticks(), record.bytes(payload)));
  }
}

package io.ntrail.analysis.events;

import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.EventInfo;
import io.ntrail.formats.schema.EventMapInfo;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.ValueMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Descriptions of events that the recording has: TRACE_EVENT_INFO that a merge added, and manifests
 * that EventSources sent. What is described more than once counts as its first place in the
 * recording says, so that it does not depend on who read what first.
 */
final class Descriptions {
  private static final int EVENT_INFO = 32;
  private static final int EVENT_MAP = 33;

  private record Key(Guid guid, int id, int version, boolean classic) {}

  private record MapKey(Guid provider, String name) {}

  private record Placed<T>(long place, T what) {
    static <T> Placed<T> first(Placed<T> a, Placed<T> b) {
      return a.place <= b.place ? a : b;
    }
  }

  private final Map<Key, Placed<EventInfo>> infos = new HashMap<>();
  private final Map<MapKey, Placed<ValueMap>> maps = new HashMap<>();
  private final Map<Guid, String> providers = new HashMap<>();

  void metadata(int file, RecordCursor record) {
    // Files and buffers have fewer than 2^20 and 2^28 each in practice; more only share a place.
    long place =
        ((long) file << 44) + ((long) record.buffer() << 24) + (record.offset() & 0xFF_FFFF);
    if (record.opcode() == EVENT_INFO) {
      EventInfo info =
          EventInfo.parse(record.bytes(), record.payloadOffset(), record.payloadLength());
      if (info != null) {
        infos.merge(key(info), new Placed<>(place, info), Placed::first);
      }
    } else if (record.opcode() == EVENT_MAP) {
      EventMapInfo map =
          EventMapInfo.parse(record.bytes(), record.payloadOffset(), record.payloadLength());
      if (map != null) {
        maps.merge(
            new MapKey(map.provider(), map.map().name()),
            new Placed<>(place, map.map()),
            Placed::first);
      }
    }
  }

  private static Key key(EventInfo info) {
    return info.isClassic()
        ? new Key(info.event(), info.opcode(), info.version(), true)
        : new Key(info.provider(), info.id(), info.version(), false);
  }

  void chunk(int file, RecordCursor record) {
    // Joined later.
  }

  void merge(Descriptions other) {
    other.infos.forEach((key, info) -> infos.merge(key, info, Placed::first));
    other.maps.forEach((key, map) -> maps.merge(key, map, Placed::first));
  }

  void settle() {
    infos.values().stream()
        .sorted((a, b) -> Long.compare(a.place, b.place))
        .forEach(info -> {
          String name = info.what.names().provider();
          if (name != null) {
            providers.putIfAbsent(info.what.provider(), name);
          }
        });
  }

  private @Nullable ValueMap map(Guid provider, String name) {
    Placed<ValueMap> map = maps.get(new MapKey(provider, name));
    return map == null ? null : map.what;
  }

  @Nullable Schema schema(Guid provider, int id, int version) {
    Placed<EventInfo> info = infos.get(new Key(provider, id, version, false));
    return info == null ? null : info.what.schema(this::map);
  }

  @Nullable Schema classic(Guid classGuid, int opcode, int version) {
    Placed<EventInfo> info = infos.get(new Key(classGuid, opcode, version, true));
    return info == null ? null : info.what.schema(this::map);
  }

  @Nullable String provider(Guid guid) {
    return providers.get(guid);
  }
}

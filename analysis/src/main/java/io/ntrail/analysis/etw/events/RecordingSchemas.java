package io.ntrail.analysis.etw.events;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.EventInfo;
import io.ntrail.formats.schema.EventMapInfo;
import io.ntrail.formats.schema.Manifest;
import io.ntrail.formats.schema.ManifestChunks;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.ValueMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Descriptions of events that the recording has: TRACE_EVENT_INFO that a merge added, and manifests
 * that EventSources sent. Of several descriptions the first in the recording counts, so that the
 * result does not depend on the order of reading.
 */
final class RecordingSchemas {
  private static final int EVENT_INFO = 32;
  private static final int EVENT_MAP = 33;

  // A record's own hashCode and equals, made by the JVM at the first call, cost milliseconds at the
  // start.

  private record Key(Guid guid, int id, int version, boolean classic) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Key key
          && key.id == id
          && key.version == version
          && key.classic == classic
          && key.guid.equals(guid);
    }

    @Override
    public int hashCode() {
      return ((guid.hashCode() * 31 + id) * 31 + version) * 31 + Boolean.hashCode(classic);
    }
  }

  /**
   * Memory for pieces of manifests. Programs send theirs at the start and again at the end, and
   * every process the same: equal pieces are kept once.
   */
  private static final long MOST_CHUNK_BYTES = 32L << 20;

  private static final int MOST_CHUNKS = 1 << 18;

  /** Bytes of TRACE_EVENT_INFO and of names of values that are kept. */
  private static final long MOST_INFO_BYTES = 16L << 20;

  /** The bytes of a piece, equal to those of others. */
  private static final class Content {
    final byte[] bytes;
    private final int hash;

    Content(byte[] bytes) {
      this.bytes = bytes;
      this.hash = Arrays.hashCode(bytes);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Content content
          && hash == content.hash
          && Arrays.equals(bytes, content.bytes);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** A piece of a manifest. */
  private record Chunk(
      long ticks, long place, Guid provider, int process, int thread, Content content) {}

  private record MapKey(Guid provider, String name) {
    // Written out: those that a record makes of itself at run time cost a start milliseconds.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof MapKey that
          && name.equals(that.name)
          && provider.equals(that.provider);
    }

    @Override
    public int hashCode() {
      return 31 * provider.hashCode() + name.hashCode();
    }
  }

  private record Placed<T>(long place, T what) {
    static <T> Placed<T> first(Placed<T> a, Placed<T> b) {
      return a.place <= b.place ? a : b;
    }
  }

  private final Map<Key, Placed<EventInfo>> infos = new HashMap<>();
  private final Map<MapKey, Placed<ValueMap>> maps = new HashMap<>();
  private final Map<Guid, String> providers = new HashMap<>();
  private final List<Chunk> chunks = new ArrayList<>();
  private final Map<Content, Content> pieces = new HashMap<>();
  private long chunkBytes;
  private long infoBytes;
  private long leftOut;
  private final Map<Guid, Manifest.Provider> manifests = new HashMap<>();
  private final List<String> problems = new ArrayList<>();

  void metadata(int file, RecordCursor record) {
    long place = place(file, record);
    if (infoBytes + record.payloadLength() > MOST_INFO_BYTES) {
      leftOut++;
      return;
    }
    infoBytes += record.payloadLength();
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

  /** Returns the position of a record; files and buffers have fewer than 2^20 each in practice. */
  private static long place(int file, RecordCursor record) {
    return ((long) file << 44) + ((long) record.buffer() << 24) + (record.offset() & 0xFF_FFFF);
  }

  private static Key key(EventInfo info) {
    return info.isClassic()
        ? new Key(info.event(), info.opcode(), info.version(), true)
        : new Key(info.provider(), info.id(), info.version(), false);
  }

  /** Keeps a piece of a manifest: pieces are joined in time order, which nobody knows yet. */
  void chunk(int file, RecordCursor record) {
    keep(
        new Chunk(
            record.ticks(),
            place(file, record),
            record.provider(),
            record.processId(),
            record.threadId(),
            new Content(record.bytes().array(record.payloadOffset(), record.payloadLength()))));
  }

  private void keep(Chunk chunk) {
    Content known = pieces.get(chunk.content);
    int more = known == null ? chunk.content.bytes.length : 0;
    if (chunks.size() == MOST_CHUNKS || chunkBytes + more > MOST_CHUNK_BYTES) {
      leftOut++;
      return;
    }
    if (known == null) {
      known = chunk.content;
      pieces.put(known, known);
      chunkBytes += more;
    }
    chunks.add(
        new Chunk(chunk.ticks, chunk.place, chunk.provider, chunk.process, chunk.thread, known));
  }

  void merge(RecordingSchemas other) {
    other.infos.forEach((key, info) -> infos.merge(key, info, Placed::first));
    other.maps.forEach((key, map) -> maps.merge(key, map, Placed::first));
    infoBytes += other.infoBytes;
    leftOut += other.leftOut;
    for (Chunk chunk : other.chunks) {
      keep(chunk);
    }
  }

  void settle() {
    join();
    infos.values().stream()
        .sorted((a, b) -> Long.compare(a.place, b.place))
        .forEach(info -> {
          String name = info.what.names().provider();
          if (name != null) {
            providers.putIfAbsent(info.what.provider(), name);
          }
        });
  }

  private static int byTime(Chunk a, Chunk b) {
    int byTicks = Long.compare(a.ticks, b.ticks);
    return byTicks != 0 ? byTicks : Long.compare(a.place, b.place);
  }

  private void join() {
    ManifestChunks joined = new ManifestChunks();
    chunks.sort(RecordingSchemas::byTime);
    for (Chunk chunk : chunks) {
      Bytes bytes = Bytes.copyOf(chunk.content.bytes, "manifest of provider " + chunk.provider);
      joined.add(chunk.provider, chunk.process, chunk.thread, bytes, 0, bytes.length());
    }
    chunks.clear();
    pieces.clear();
    for (ManifestChunks.Text text : joined.finished()) {
      Manifest.Result result = Manifest.parseSent(text.xml(), text.provider().toString());
      Manifest manifest = result.manifest();
      if (manifest == null) {
        problems.add("manifest of provider " + text.provider() + ": " + result.reason());
      } else {
        problems.addAll(manifest.problems());
        for (Manifest.Provider provider : manifest.providers()) {
          if (provider.guid().equals(text.provider())) {
            manifests.putIfAbsent(provider.guid(), provider);
          }
        }
      }
    }
    problems.addAll(joined.problems());
    if (leftOut > 0) {
      problems.add(leftOut + " event schemas skipped: there are too many");
    }
  }

  /** Returns the problems with the recording's own descriptions. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  private @Nullable ValueMap map(Guid provider, String name) {
    Placed<ValueMap> map = maps.get(new MapKey(provider, name));
    return map == null ? null : map.what;
  }

  @Nullable Schema schema(Guid provider, int id, int version) {
    Placed<EventInfo> info = infos.get(new Key(provider, id, version, false));
    return info == null ? null : info.what.schema(this::map);
  }

  /** Returns the schema of an event by its EventSource's own manifest. */
  @Nullable Schema sent(Guid provider, int id, int version) {
    Manifest.Provider manifest = manifests.get(provider);
    Manifest.Event event = manifest == null ? null : manifest.event(id, version);
    return event == null ? null : event.schema();
  }

  /** Returns true if a provider is an EventSource that sent its manifest. */
  boolean hasSent(Guid provider) {
    return manifests.containsKey(provider);
  }

  @Nullable Schema classic(Guid classGuid, int opcode, int version) {
    Placed<EventInfo> info = infos.get(new Key(classGuid, opcode, version, true));
    return info == null ? null : info.what.schema(this::map);
  }

  @Nullable String provider(Guid guid) {
    Manifest.Provider manifest = manifests.get(guid);
    return manifest == null || manifest.name().isEmpty() ? providers.get(guid) : manifest.name();
  }
}

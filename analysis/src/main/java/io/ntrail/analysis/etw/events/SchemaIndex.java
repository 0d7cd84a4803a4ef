package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.ProviderList;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.InType;
import io.ntrail.formats.schema.ManifestChunks;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaSource;
import io.ntrail.formats.schema.SchemaTable;
import io.ntrail.formats.schema.Tmf;
import io.ntrail.formats.schema.TraceLoggingSchemas;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All that is known about types of events: the built-in tables, what the recording brings along
 * (EventMetadata, EventSource manifests, TraceLogging) and what the user gives (manifests, TMF).
 *
 * <p>Which schema serves a record, first one wins: the kernel's table for its classes, TraceLogging
 * in the event, the .NET runtime's table (so that its events are called the same in every
 * recording, merged or not; and what merges add about its stacks is wrong), EventMetadata, an
 * EventSource manifest of the recording, the user's files, the flag that says that the payload is
 * one text.
 *
 * <p>A provider is named by what describes its event, else by the recording (TraceLogging,
 * manifests of EventSources, EventMetadata), the .NET runtime's table, the user's manifests; last
 * by the list of well-known providers, which the type of event then says.
 *
 * <p>Filled as a part of the survey, then asked by one thread at a time.
 */
public final class SchemaIndex implements SurveyPart<SchemaIndex> {
  private static final int STRING_ONLY = 4;
  private static final int MANIFEST_OPCODE = 0xFE;

  /** The event 0 of every EventSource: a text. Older runtimes leave it out of their manifests. */
  private static final String EVENT_SOURCE_MESSAGE = "EventSourceMessage";

  /** Types that are remembered: a hostile recording may have a new one in every event. */
  private static final int MOST_TYPES = 1 << 16;

  private static final Schema TEXT =
      new Schema(
          SchemaSource.STRING_ONLY,
          null,
          null,
          null,
          List.of(Field.of("Message", InType.UNICODE_STRING)));

  /** A piece of the manifest that an EventSource sends. */
  private static final Schema MANIFEST_DATA =
      new Schema(
          SchemaSource.EVENT_SOURCE,
          null,
          "ManifestData",
          null,
          List.of(
              Field.of("Format", InType.UINT8),
              Field.of("MajorVersion", InType.UINT8),
              Field.of("MinorVersion", InType.UINT8),
              Field.of("Magic", InType.UINT8),
              Field.of("TotalChunks", InType.UINT16),
              Field.of("ChunkNumber", InType.UINT16),
              Field.of("Data", InType.UNTERMINATED_ANSI)));

  private final KernelEvents kernel;
  private final SchemaTable kernelTable;
  private final ClrTables clrTables;
  private final UserSchemas user;
  private final ProviderList list;

  private final ProviderNames names = new ProviderNames();
  private final RecordingSchemas descriptions = new RecordingSchemas();
  private final TraceLoggingSchemas traceLogging = new TraceLoggingSchemas();

  private final EventType[][] byHook = new EventType[1 << 16][];
  private EventTypeTable rows = new EventTypeTable();
  private final List<EventType> types = new ArrayList<>();
  private final Map<EventType, EventType> texts = new HashMap<>();
  private final Map<Schema, EventType> told = new HashMap<>();

  /** Tables of the events of the .NET runtime's providers. */
  interface ClrTables {
    /** The table that has the provider; null if none does. */
    @Nullable SchemaTable of(Guid provider);
  }

  /** Knows the built-in tables and the user's files; to be filled by a survey. */
  public SchemaIndex(
      KernelEvents kernel,
      SchemaTable kernelTable,
      ClrTables clrTables,
      UserSchemas user,
      ProviderList list) {
    this.kernel = kernel;
    this.kernelTable = kernelTable;
    this.clrTables = clrTables;
    this.user = user;
    this.list = list;
  }

  @Override
  public void visit(int fileNumber, RecordCursor record) {
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      return;
    }
    if (kind.isEvent()) {
      if (record.id() == ManifestChunks.ID) {
        descriptions.chunk(fileNumber, record);
      }
      if (record.hasExtendedItems() && !names.tells(record.providerLow(), record.providerHigh())) {
        names.learnFromTraits(record);
      }
    } else if (ProviderNames.isMetadata(record)) {
      descriptions.metadata(fileNumber, record);
    }
  }

  /** Returns true if no event of a type tells it anything, unless by extended items. */
  static boolean isPlain(RecordCursor event) {
    return event.id() != ManifestChunks.ID;
  }

  @Override
  public SchemaIndex merge(SchemaIndex other) {
    names.merge(other.names);
    descriptions.merge(other.descriptions);
    return this;
  }

  @Override
  public void settle() {
    descriptions.settle();
    // Types that were looked up on the way may lack names that were only learned later.
    told.clear();
    texts.clear();
  }

  /** Returns the problems with the recording's own descriptions. */
  List<String> problems() {
    return descriptions.problems();
  }

  /** Returns true if a record describes events, so that its texts are names of theirs. */
  public static boolean isDescription(RecordCursor record) {
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      return false;
    }
    return kind.isEvent()
        ? record.id() == ManifestChunks.ID && record.opcode() == MANIFEST_OPCODE
        : ProviderNames.isMetadata(record);
  }

  /** The type of a record. */
  public EventType type(RecordCursor record) {
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      return hook(record.hookId(), record.version());
    }
    if (kind.isEvent()) {
      if (record.hasExtendedItems()) {
        EventType type = traceLogging(record);
        if (type != null) {
          return type;
        }
      }
      EventType type =
          row(
              record.providerLow(),
              record.providerHigh(),
              record.id(),
              record.opcode(),
              record.version(),
              kind);
      if (type.schema() == null && (record.eventFlags() & STRING_ONLY) != 0) {
        if (texts.size() >= MOST_TYPES) {
          texts.clear();
        }
        return texts.computeIfAbsent(type, this::asText);
      }
      return type;
    }
    Guid guid = record.provider();
    int id = record.id();
    if (kind.isClassic()) {
      id = Math.max(0, kernel.hookId(guid, record.opcode()));
    }
    return row(guid.low(), guid.high(), id, record.opcode(), record.version(), kind);
  }

  private EventType asText(EventType type) {
    String event = type.event();
    if (event == null && type.id() == 0 && descriptions.hasSent(type.guid())) {
      event = EVENT_SOURCE_MESSAGE;
    }
    return named(type.guid(), null, event, type.id(), type.opcode(), type.version(), TEXT);
  }

  /** Returns a type with the name of its provider, wherever that is from. */
  private EventType named(
      Guid guid,
      @Nullable String provider,
      @Nullable String event,
      int id,
      int opcode,
      int version,
      @Nullable Schema schema) {
    String known = provider == null ? providerName(guid) : provider;
    EventType type = new EventType(guid, known, event, id, opcode, version, schema);
    String listed = known == null ? list.name(guid) : null;
    return listed == null ? type : type.withListedProvider(listed);
  }

  private EventType hook(int hook, int version) {
    EventType[] versions = byHook[hook];
    if (versions != null) {
      for (EventType type : versions) {
        if (type.version() == version) {
          return type;
        }
      }
    }
    EventType type = kernelType(kernel.classGuid(hook), hook, version);
    int known = versions == null ? 0 : versions.length;
    // A hostile file may have every version of every hook: what is kept has a bound.
    if (known < 16) {
      EventType[] more = new EventType[known + 1];
      if (versions != null) {
        System.arraycopy(versions, 0, more, 0, known);
      }
      more[known] = type;
      byHook[hook] = more;
    }
    return type;
  }

  private EventType kernelType(Guid guid, int hook, int version) {
    String event = kernelTable.event(guid, hook, version);
    return new EventType(
        guid,
        EventDisplayName.KERNEL,
        event == null ? kernel.task(hook) + "/" + (hook & 0xFF) : event,
        hook,
        hook & 0xFF,
        version,
        kernelTable.schema(guid, hook, version));
  }

  private EventType row(long low, long high, int id, int opcode, int version, RecordKind kind) {
    if (types.size() >= MOST_TYPES) {
      rows = new EventTypeTable();
      types.clear();
    }
    int row = rows.row(low, high, EventTypeTable.pack(id, opcode, version));
    if (row == types.size()) {
      types.add(described(new Guid(low, high), id, opcode, version, kind));
    }
    return types.get(row);
  }

  /** Returns the type of an event that does not describe itself. */
  private EventType described(Guid guid, int id, int opcode, int version, RecordKind kind) {
    if (kind.isClassic()) {
      int hook = kernel.hookId(guid, opcode);
      if (hook >= 0) {
        return kernelType(guid, hook, version);
      }
      String provider = kernelTable.provider(guid);
      if (provider != null) {
        return new EventType(
            guid,
            provider,
            kernelTable.event(guid, opcode, version),
            id,
            opcode,
            version,
            kernelTable.schema(guid, opcode, version));
      }
    }
    if (kind == RecordKind.MESSAGE) {
      return message(guid, id);
    }
    SchemaTable clr = kind.isEvent() ? clrTables.of(guid) : null;
    Schema schema = clr == null ? null : clr.schema(guid, id, version);
    if (schema == null) {
      schema = recorded(guid, id, opcode, version, kind);
    }
    String event =
        schema != null ? schema.event() : clr == null ? null : clr.event(guid, id, version);
    String provider = schema == null ? null : schema.provider();
    if (schema == null) {
      schema = given(guid, id, opcode, version, kind);
      event = schema == null ? event : schema.event();
      provider = schema == null ? provider : schema.provider();
    }
    return named(guid, provider, event, id, opcode, version, schema);
  }

  private EventType message(Guid guid, int number) {
    Tmf.Message message = user.message(guid, number);
    return message == null
        ? named(guid, null, null, number, 0, 0, null)
        : new EventType(
            guid, message.component(), message.place(), number, 0, 0, message.schema(), message);
  }

  private @Nullable Schema recorded(Guid guid, int id, int opcode, int version, RecordKind kind) {
    if (kind.isClassic()) {
      return descriptions.classic(guid, opcode, version);
    }
    if (!kind.isEvent()) {
      return null;
    }
    if (id == ManifestChunks.ID && opcode == MANIFEST_OPCODE) {
      return MANIFEST_DATA;
    }
    Schema schema = descriptions.schema(guid, id, version);
    return schema == null ? descriptions.sent(guid, id, version) : schema;
  }

  private @Nullable Schema given(Guid guid, int id, int opcode, int version, RecordKind kind) {
    if (kind.isClassic()) {
      return user.classic(guid, opcode, version);
    }
    return kind.isEvent() ? user.event(guid, id, version) : null;
  }

  private @Nullable EventType traceLogging(RecordCursor record) {
    // A chain of items that is broken becomes a gap when the payload after it is looked for.
    record.payloadOffset();
    Bytes bytes = record.bytes();
    for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
      if (record.itemType(item) == ExtendedItem.EVENT_SCHEMA_TL.number()) {
        Schema schema = traceLogging.schema(bytes, record.itemData(item), record.itemLength(item));
        return told(record, schema);
      }
    }
    return null;
  }

  /** Returns the name in a TraceLogging event; null for other events. Safe for several threads. */
  synchronized @Nullable String toldName(RecordCursor record) {
    EventType type = traceLogging(record);
    return type == null ? null : type.event() == null ? "" : type.event();
  }

  private EventType told(RecordCursor record, Schema schema) {
    EventType known = told.get(schema);
    if (known != null
        && known.guid().low() == record.providerLow()
        && known.guid().high() == record.providerHigh()
        && known.id() == record.id()
        && known.opcode() == record.opcode()
        && known.version() == record.version()) {
      return known;
    }
    Guid guid = record.provider();
    if (names.of(guid).isEmpty()) {
      names.learnFromTraits(record);
    }
    EventType type =
        named(guid, null, schema.event(), record.id(), record.opcode(), record.version(), schema);
    if (told.size() >= 1 << 14) {
      told.clear();
    }
    told.put(schema, type);
    return type;
  }

  private @Nullable String providerName(Guid guid) {
    String name = names.of(guid).orElse(null);
    if (name == null) {
      name = descriptions.provider(guid);
    }
    if (name == null) {
      SchemaTable clr = clrTables.of(guid);
      name = clr == null ? null : clr.provider(guid);
    }
    return name == null ? user.provider(guid) : name;
  }

  /**
   * The type of events of which only the identity is known; those of TraceLogging have their names
   * in the events.
   */
  EventType typeOf(Guid guid, int id, int opcode, int version, RecordKind kind) {
    int hook = kernel.hookId(guid, opcode);
    return hook >= 0 && hook == id
        ? kernelType(guid, hook, version)
        : described(guid, id, opcode, version, kind);
  }

  /** Types that each of several threads remembers. */
  private static final int MOST_OF_THREAD = 1 << 14;

  /** Returns the types for one of several threads that ask at once. */
  Function<RecordCursor, EventType> forThread() {
    return new OfThread()::type;
  }

  /** Types of events that a thread has asked for before are known without asking all. */
  private final class OfThread {
    private static final EventType[] NONE = {};

    private final EventType[][] hooks = new EventType[byHook.length][];
    private EventTypeTable known = new EventTypeTable();
    private final List<EventType> seen = new ArrayList<>();

    private OfThread() {
      Arrays.fill(hooks, NONE);
    }

    /** The type of a record. */
    EventType type(RecordCursor record) {
      if (record.kind().isHook()) {
        return hook(record);
      }
      boolean isPlain =
          record.kind().isEvent()
              && !record.hasExtendedItems()
              && (record.eventFlags() & STRING_ONLY) == 0;
      return isPlain ? event(record) : ask(record);
    }

    private EventType ask(RecordCursor record) {
      synchronized (SchemaIndex.this) {
        return SchemaIndex.this.type(record);
      }
    }

    private EventType hook(RecordCursor record) {
      int hook = record.hookId();
      int version = record.version();
      EventType[] versions = hooks[hook];
      for (EventType type : versions) {
        if (type.version() == version) {
          return type;
        }
      }
      EventType type = ask(record);
      // A hostile file may have every version of every hook.
      if (versions.length < 16) {
        EventType[] more = Arrays.copyOf(versions, versions.length + 1);
        more[versions.length] = type;
        hooks[hook] = more;
      }
      return type;
    }

    private EventType event(RecordCursor record) {
      if (seen.size() >= MOST_OF_THREAD) {
        known = new EventTypeTable();
        seen.clear();
      }
      int row =
          known.row(
              record.providerLow(),
              record.providerHigh(),
              EventTypeTable.pack(record.id(), record.opcode(), record.version()));
      if (row == seen.size()) {
        seen.add(ask(record));
      }
      return seen.get(row);
    }
  }
}

package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.cli.common.EventIds;
import io.ntrail.cli.text.JsonRow;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.etl.WppMessage;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Payload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Objects of JSON of events, each of which it writes anew over the one before. Most events have
 * members of numbers only; so that few methods are compiled, and soon, those are written one after
 * the other, and what is the same in all events of a type is made once.
 */
final class EventObjects {
  /** Types of which members are kept. */
  private static final int MOST_TYPES = 1 << 12;

  /** Types of which members of fields are kept. */
  private static final int MOST_RECENT = 1 << 8;

  /** Owners of which members are kept, a power of two. */
  private static final int OWNERS = 1 << 10;

  /** The part that all events of a type have in common. */
  private static final class Kind {
    final EventType type;

    /** Members from the provider to the version. */
    final byte[] identity;

    /** The source of its schema, if that is told, and the beginning of its fields. */
    final byte[] toFields;

    final EventMembers fields;
    final boolean isToldByFields;

    /** Length of the payload of most records. */
    int length = -1;

    /** Members from the provider to the beginning of the fields of records of this length. */
    byte[] head = {};

    Kind(EventType type, byte[] identity, byte[] toFields, EventMembers fields) {
      this.type = type;
      this.identity = identity;
      this.toFields = toFields;
      this.fields = fields;
      this.isToldByFields = type.schema() != null && !type.hasMessage();
    }
  }

  /**
   * Members that tell the owner of an event.
   *
   * @param process its id, or {@link RecordCursor#NO_ID}
   * @param thread its id, or {@link RecordCursor#NO_ID}
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Owner(int process, int thread, @Nullable String name, byte[] members) {}

  private final JsonRow row;
  private final boolean withSource;
  private final Map<EventType, Kind> kinds = new HashMap<>();
  private final @Nullable Owner[] owners = new Owner[OWNERS];
  private @Nullable Kind last;
  private final JsonRow.Key timeNanos;
  private final JsonRow.Key utc;
  private final JsonRow.Key cpu;
  private final JsonRow.Key pid;
  private final JsonRow.Key tid;
  private final JsonRow.Key process;
  private final JsonRow.Key level;
  private final JsonRow.Key keywords;
  private final JsonRow.Key activityId;
  private final JsonRow.Key sequence;
  private final JsonRow.Key dataLength;
  private final JsonRow.Key fields;

  /**
   * @param row where objects are written
   * @param withSource whether they say where names and fields came from
   */
  EventObjects(JsonRow row, boolean withSource) {
    this.row = row;
    this.withSource = withSource;
    timeNanos = row.newKey("timeNanos");
    utc = row.newKey("utc");
    cpu = row.newKey("cpu");
    pid = row.newKey("pid");
    tid = row.newKey("tid");
    process = row.newKey("process");
    level = row.newKey("level");
    keywords = row.newKey("keywords");
    activityId = row.newKey("activityId");
    sequence = row.newKey("sequence");
    dataLength = row.newKey("dataLength");
    fields = row.newKey("fields");
  }

  /** Returns the object of the event that a walk stands on; valid until the next one. */
  JsonRow of(Events.Walk walk) {
    EventReader event = walk.event();
    RecordCursor record = event.record();
    Kind kind = kind(event.type());
    row.begin();
    place(event, record);
    row.members(owner(event).members);
    head(record, kind);
    kind.fields.write(event);
    row.endObject();
    if (!kind.isToldByFields || event.payload().restLength() > 0) {
      further(event);
    }
    if (walk.knowsStacks()) {
      stack(walk.stack());
    }
    return row.endObject();
  }

  /** Returns all fields of an event as a text of JSON; valid until the next object. */
  String fields(EventReader event) {
    Kind kind = kind(event.type());
    row.begin();
    kind.fields.write(event);
    return row.endObject().toString();
  }

  // There is one object a type.
  @SuppressWarnings("ReferenceEquality")
  private Kind kind(EventType type) {
    Kind known = last;
    if (known == null || known.type != type) {
      known = kinds.get(type);
      if (known == null) {
        known = learn(type);
      }
      last = known;
    }
    return known;
  }

  private Kind learn(EventType type) {
    if (kinds.size() == MOST_TYPES) {
      kinds.clear();
    }
    row.begin();
    row.number(cpu, 0);
    int begin = row.size();
    text("providerGuid", type.guidText());
    text("provider", type.provider());
    if (type.isProviderListed()) {
      text("providerSource", EventIds.PROVIDER_LIST);
    }
    text("event", type.event());
    row.key("id").number(type.id());
    row.key("opcode").number(type.opcode());
    row.key("version").number(type.version());
    int end = row.size();
    byte[] identity = row.from(begin);
    if (withSource) {
      text("source", type.schema() == null ? null : type.schema().source().text());
    }
    row.key(fields).object();
    boolean withRecent = kinds.size() < MOST_RECENT;
    EventMembers members = new EventMembers(row, type, withRecent);
    Kind made = new Kind(type, identity, row.from(end), members);
    kinds.put(type, made);
    return made;
  }

  private void text(String key, @Nullable String value) {
    row.key(key).text(value);
  }

  private void place(EventReader event, RecordCursor record) {
    row.number(timeNanos, event.nanos());
    row.utc(utc, record.file().clock().fileTime(record.ticks()));
    row.number(cpu, record.cpu());
  }

  // Names are the same object as long as the process lives, and are written anew otherwise.
  @SuppressWarnings("ReferenceEquality")
  private Owner owner(EventReader event) {
    int processId = event.processId();
    int threadId = event.threadId();
    String name = event.process();
    // Ids are multiples of four.
    int slot = (processId << 3 ^ threadId >> 2) & OWNERS - 1;
    Owner known = owners[slot];
    if (known == null
        || known.process != processId
        || known.thread != threadId
        || known.name != name) {
      known = new Owner(processId, threadId, name, owner(processId, threadId, name));
      owners[slot] = known;
    }
    return known;
  }

  private byte[] owner(int processId, int threadId, @Nullable String name) {
    int begin = row.size();
    id(pid, processId);
    id(tid, threadId);
    row.key(process).name(name);
    return row.take(begin);
  }

  private void id(JsonRow.Key key, int id) {
    if (id == RecordCursor.NO_ID) {
      row.key(key).unknown();
    } else {
      row.number(key, Integer.toUnsignedLong(id));
    }
  }

  /** Writes all from the provider to the beginning of the fields. */
  private void head(RecordCursor record, Kind kind) {
    int length = record.payloadLength();
    boolean isHook = record.kind().isHook();
    if (isHook && length == kind.length) {
      row.members(kind.head);
      return;
    }
    int begin = row.size();
    row.members(kind.identity);
    header(record);
    row.number(dataLength, length);
    row.members(kind.toFields);
    if (isHook && kind.length < 0) {
      kind.length = length;
      kind.head = row.from(begin);
    }
  }

  /** Writes what a record's header has beside a time and a thread. */
  private void header(RecordCursor record) {
    RecordKind kind = record.kind();
    if (kind.isEvent() || kind.isClassic()) {
      row.number(level, record.level());
    }
    if (kind.isEvent()) {
      row.key(keywords).hex(record.keyword());
      Guid activity = record.activityId();
      row.key(activityId).text(EventIds.guid(activity));
    }
    if (kind == RecordKind.MESSAGE) {
      long number = record.message().sequence();
      if (number != WppMessage.NO_SEQUENCE) {
        row.number(sequence, number);
      }
    }
  }

  /** Writes what is not told by fields; bytes are written as they are: nothing is hidden. */
  private void further(EventReader event) {
    String message = event.message();
    if (message != null) {
      text("message", message);
    }
    RecordCursor record = event.record();
    Payload payload = event.payload();
    if (event.type().schema() == null) {
      if (record.payloadLength() > 0) {
        row.key("payload").bytes(record.bytes(), record.payloadOffset(), record.payloadLength());
      }
    } else if (payload.restLength() > 0) {
      row.key("rest").bytes(payload.bytes(), payload.restOffset(), payload.restLength());
    }
  }

  /** Writes frames, innermost first. */
  private void stack(List<NamedFrame> frames) {
    if (frames.isEmpty()) {
      return;
    }
    row.key("stack").array();
    for (NamedFrame frame : frames) {
      row.element().object();
      row.key("address").hex(frame.ip());
      row.key("module").name(frame.module());
      row.key("rva");
      if (frame.rva() < 0) {
        row.unknown();
      } else {
        row.hex(frame.rva());
      }
      row.key("function").name(frame.function());
      row.key("file").text(frame.file());
      row.key("line");
      if (frame.line() == 0) {
        row.unknown();
      } else {
        row.number(frame.line());
      }
      row.key("inline").bool(frame.isInlined());
      row.key("trust").name(frame.trust().word());
      row.endObject();
    }
    row.endArray();
  }
}

package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.cli.common.EventIds;
import io.ntrail.cli.text.JsonRow;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
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

  /** The part that all events of a type have in common. */
  private static final class Kind {
    final EventType type;

    /** Members from the provider to the version. */
    final byte[] identity;

    /** The source of its schema; empty if that is not told. */
    final byte[] source;

    final EventMembers fields;
    final boolean isToldByFields;

    Kind(EventType type, byte[] identity, byte[] source, EventMembers fields) {
      this.type = type;
      this.identity = identity;
      this.source = source;
      this.fields = fields;
      this.isToldByFields = type.schema() != null && !type.hasMessage();
    }
  }

  private final JsonRow row;
  private final boolean withSource;
  private final Map<EventType, Kind> kinds = new HashMap<>();
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
    owner(event);
    row.members(kind.identity);
    header(record);
    row.number(dataLength, record.payloadLength());
    row.members(kind.source);
    row.key(fields).object();
    kind.fields.write(event);
    row.endObject();
    if (!kind.isToldByFields || event.payload().restLength() > 0) {
      further(event);
    }
    List<NamedFrame> frames = walk.stack();
    if (!frames.isEmpty()) {
      stack(frames);
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
    Kind made = new Kind(type, identity, row.from(end), new EventMembers(row, type));
    kinds.put(type, made);
    return made;
  }

  private void text(String key, @Nullable String value) {
    row.key(key).text(value);
  }

  private void place(EventReader event, RecordCursor record) {
    row.number(timeNanos, event.nanos());
    row.key(utc).utc(record.file().clock().fileTime(record.ticks()));
    row.number(cpu, record.cpu());
  }

  private void owner(EventReader event) {
    int processId = event.processId();
    if (processId == RecordCursor.NO_ID) {
      row.key(pid).unknown();
    } else {
      row.number(pid, Integer.toUnsignedLong(processId));
    }
    int threadId = event.threadId();
    if (threadId == RecordCursor.NO_ID) {
      row.key(tid).unknown();
    } else {
      row.number(tid, Integer.toUnsignedLong(threadId));
    }
    row.key(process).name(event.process());
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
      row.number(sequence, record.message().sequence());
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

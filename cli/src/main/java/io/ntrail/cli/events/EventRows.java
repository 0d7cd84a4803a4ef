package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.StackFrame;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Payload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes events in time order for programs: JSON Lines, one JSON object, CSV. */
final class EventRows {
  private static final String[] HEADINGS = {
    "timeNanos",
    "utc",
    "cpu",
    "pid",
    "tid",
    "process",
    "providerGuid",
    "provider",
    "event",
    "id",
    "opcode",
    "version",
    "dataLength",
    "fields"
  };

  private final Terminal terminal;
  private final boolean withSource;
  private final boolean withStacks;

  /**
   * @param withSource whether rows say where names and fields came from
   * @param withStacks whether rows have the stacks of events
   */
  EventRows(Terminal terminal, boolean withSource, boolean withStacks) {
    this.terminal = terminal;
    this.withSource = withSource;
    this.withStacks = withStacks;
  }

  void jsonl(Events.Walk walk, long limit) {
    long shown = 0;
    try (Json json = new Json(terminal.out())) {
      while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && walk.next()) {
        object(json, walk);
      }
    }
  }

  void json(Events events, Events.Walk walk, long limit) {
    long shown = 0;
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.events/1").array("events");
      while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && walk.next()) {
        object(json, walk);
      }
      json.endArray()
          .lost(Losses.events(events.recording()), Losses.buffers(events.recording()))
          .gaps(events.recording().gaps())
          .endObject();
    }
  }

  private void object(Json json, Events.Walk walk) {
    EventReader event = walk.event();
    RecordCursor record = event.record();
    EventType type = event.type();
    json.object()
        .number("timeNanos", event.nanos())
        .text("utc", utc(record))
        .number("cpu", record.cpu());
    id(json, "pid", event.processId());
    id(json, "tid", event.threadId());
    json.name("process", event.process())
        .name("providerGuid", type.guidText())
        .name("provider", type.provider())
        .name("event", type.event())
        .number("id", type.id())
        .number("opcode", type.opcode())
        .number("version", type.version());
    RecordKind kind = record.kind();
    if (kind.isEvent()) {
      json.number("level", record.level())
          .text("keywords", Numbers.hex(record.keyword()))
          .text("activityId", activity(record));
    } else if (kind.isClassic()) {
      json.number("level", record.level());
    } else if (kind == RecordKind.MESSAGE) {
      json.number("sequence", record.message().sequence());
    }
    json.number("dataLength", record.payloadLength());
    if (withSource) {
      json.name("source", type.schema() == null ? null : type.schema().source().text());
    }
    json.object("fields");
    EventFields.json(json, event);
    json.endObject();
    String message = event.message();
    if (message != null) {
      json.text("message", message);
    }
    undescribed(json, event);
    stack(json, walk.stack());
    json.endObject();
  }

  /** The frames, innermost first; nothing for an event without a stack. */
  private static void stack(Json json, List<StackFrame> frames) {
    if (frames.isEmpty()) {
      return;
    }
    json.array("stack");
    for (StackFrame frame : frames) {
      json.object()
          .text("address", Numbers.hex(frame.address()))
          .name("module", frame.module())
          .text("rva", frame.rva() < 0 ? null : Numbers.hex(frame.rva()))
          .name("function", frame.function())
          .text("file", frame.file());
      if (frame.line() == 0) {
        json.unknown("line");
      } else {
        json.number("line", frame.line());
      }
      json.bool("inline", frame.isInlined())
          .name("trust", frame.isInlined() ? "inline" : "recorded")
          .endObject();
    }
    json.endArray();
  }

  /** What no field describes, as it is: nothing is hidden. */
  private static void undescribed(Json json, EventReader event) {
    RecordCursor record = event.record();
    if (event.type().schema() == null) {
      if (record.payloadLength() > 0) {
        json.text(
            "payload",
            Numbers.hex(record.bytes().array(record.payloadOffset(), record.payloadLength())));
      }
      return;
    }
    Payload payload = event.payload();
    if (payload.restLength() > 0) {
      json.text(
          "rest", Numbers.hex(payload.bytes().array(payload.restOffset(), payload.restLength())));
    }
  }

  private static @Nullable String utc(RecordCursor record) {
    return Numbers.utc(record.file().clock().fileTime(record.ticks()));
  }

  private static @Nullable String activity(RecordCursor record) {
    Guid activity = record.activityId();
    return activity.equals(Guid.ZERO) ? null : activity.toString();
  }

  private static void id(Json json, String key, int id) {
    if (id == RecordCursor.NO_ID) {
      json.unknown(key);
    } else {
      json.number(key, id & 0xFFFF_FFFFL);
    }
  }

  void csv(Events.Walk walk, long limit) {
    Csv csv = new Csv(terminal.out());
    row(csv, HEADINGS, withStacks ? "stack" : null);
    long shown = 0;
    while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && walk.next()) {
      EventReader event = walk.event();
      RecordCursor record = event.record();
      EventType type = event.type();
      String[] cells = {
        Long.toString(event.nanos()),
        Csv.orEmpty(utc(record)),
        Integer.toString(record.cpu()),
        number(event.processId()),
        number(event.threadId()),
        Csv.orEmpty(event.process()),
        Csv.orEmpty(type.guidText()),
        Csv.orEmpty(type.provider()),
        Csv.orEmpty(type.event()),
        Integer.toString(type.id()),
        Integer.toString(type.opcode()),
        Integer.toString(type.version()),
        Integer.toString(record.payloadLength()),
        Json.of(json -> EventFields.json(json, event))
      };
      row(csv, cells, withStacks ? collapsed(walk.stack()) : null);
    }
  }

  private static void row(Csv csv, String[] cells, @Nullable String last) {
    List<String> row = new ArrayList<>(Arrays.asList(cells));
    if (last != null) {
      row.add(last);
    }
    csv.row(row.toArray(String[]::new));
  }

  private static String collapsed(List<StackFrame> frames) {
    return frames.stream().map(StackFrame::text).collect(Collectors.joining(";"));
  }

  private static String number(int id) {
    return id == RecordCursor.NO_ID ? "" : Integer.toUnsignedString(id);
  }
}

package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.cli.common.EventIds;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.JsonTexts;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Payload;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes events in time order for programs: JSON Lines, one JSON object, CSV. */
final class EventRows {
  private final Terminal terminal;
  private final ListingColumns<Events.Walk> columns;
  private final EventMembers members = new EventMembers();
  private final JsonTexts texts = new JsonTexts();

  /**
   * @param withSource whether rows say where names and fields came from
   * @param withStacks whether rows have the stacks of events
   */
  EventRows(Terminal terminal, boolean withSource, boolean withStacks) {
    this.terminal = terminal;
    this.columns = columns(withSource, withStacks);
  }

  void jsonl(Events.Walk walk, long limit) {
    long shown = 0;
    try (Json json = new Json(terminal.out())) {
      while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && walk.next()) {
        columns.object(json, walk);
      }
    }
  }

  /** Writes the event that a walk stands on. */
  void object(Json json, Events.Walk walk) {
    columns.object(json, walk);
  }

  void json(Events events, Events.Walk walk, long limit) {
    long shown = 0;
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.events/1").array("events");
      while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && walk.next()) {
        columns.object(json, walk);
      }
      Losses.json(json.endArray(), events.recording());
      json.gaps(events.recording().gaps()).endObject();
    }
  }

  private ListingColumns<Events.Walk> columns(boolean withSource, boolean withStacks) {
    ListingColumns<Events.Walk> columns =
        new ListingColumns<Events.Walk>()
            .count("timeNanos", walk -> walk.event().nanos())
            .value("utc", (walk, cell) -> utc(walk.event().record(), cell))
            .count("cpu", walk -> walk.event().record().cpu())
            .knownCount("pid", walk -> id(walk.event().processId()))
            .knownCount("tid", walk -> id(walk.event().threadId()))
            .shared(
                walk -> walk.event().process(),
                process -> process.name("process", walk -> walk.event().process()))
            .shared(walk -> walk.event().type(), EventRows::typeColumns)
            .where(EventRows::hasHeader, EventRows::headerColumns)
            .count("dataLength", walk -> walk.event().record().payloadLength());
    if (withSource) {
      columns.name("source", walk -> source(walk.event().type())).onlyJson();
    }
    columns
        .value("fields", (walk, cell) -> fields(walk.event(), cell))
        .where(EventRows::hasMore, EventRows::furtherColumns)
        .value("stack", (walk, cell) -> stack(walk.stack(), cell));
    return withStacks ? columns : columns.onlyJson();
  }

  private static void typeColumns(ListingColumns<Events.Walk> columns) {
    columns
        .name("providerGuid", walk -> walk.event().type().guidText())
        .name("provider", walk -> walk.event().type().provider())
        .value("providerSource", EventRows::providerSource)
        .onlyJson()
        .name("event", walk -> walk.event().type().event())
        .count("id", walk -> walk.event().type().id())
        .count("opcode", walk -> walk.event().type().opcode())
        .count("version", walk -> walk.event().type().version());
  }

  private static void providerSource(Events.Walk walk, CellWriter cell) {
    EventIds.providerSource(walk.event().type().isProviderListed(), cell);
  }

  /** Returns true of records whose header has more than a time and a thread. */
  private static boolean hasHeader(Events.Walk walk) {
    RecordKind kind = walk.event().record().kind();
    return kind.isEvent() || kind.isClassic() || kind == RecordKind.MESSAGE;
  }

  private static void headerColumns(ListingColumns<Events.Walk> columns) {
    columns
        .value("level", (walk, cell) -> level(walk.event().record(), cell))
        .onlyJson()
        .value("keywords", (walk, cell) -> keywords(walk.event().record(), cell))
        .onlyJson()
        .value("activityId", (walk, cell) -> activity(walk.event().record(), cell))
        .onlyJson()
        .value("sequence", (walk, cell) -> sequence(walk.event().record(), cell))
        .onlyJson();
  }

  /** Returns true of events that are not told by their fields alone. */
  private static boolean hasMore(Events.Walk walk) {
    EventType type = walk.event().type();
    return type.schema() == null || type.hasMessage() || walk.event().payload().restLength() > 0;
  }

  private static void furtherColumns(ListingColumns<Events.Walk> columns) {
    columns
        .value("message", (walk, cell) -> present(walk.event().message(), cell))
        .onlyJson()
        .value("payload", (walk, cell) -> payload(walk.event(), cell))
        .onlyJson()
        .value("rest", (walk, cell) -> rest(walk.event(), cell))
        .onlyJson();
  }

  private static void level(RecordCursor record, CellWriter cell) {
    if (record.kind().isEvent() || record.kind().isClassic()) {
      cell.count(record.level());
    } else {
      cell.absent();
    }
  }

  private static void keywords(RecordCursor record, CellWriter cell) {
    if (record.kind().isEvent()) {
      cell.hex(record.keyword());
    } else {
      cell.absent();
    }
  }

  private static void activity(RecordCursor record, CellWriter cell) {
    if (record.kind().isEvent()) {
      Guid activity = record.activityId();
      cell.text(activity.equals(Guid.ZERO) ? null : activity.toString());
    } else {
      cell.absent();
    }
  }

  private static void sequence(RecordCursor record, CellWriter cell) {
    if (record.kind() == RecordKind.MESSAGE) {
      cell.count(record.message().sequence());
    } else {
      cell.absent();
    }
  }

  private static @Nullable String source(EventType type) {
    return type.schema() == null ? null : type.schema().source().text();
  }

  private void fields(EventReader event, CellWriter cell) {
    cell.shaped(event, this::text, this::object);
  }

  private String text(EventReader event) {
    return texts.object(json -> members.write(json, event));
  }

  private void object(EventReader event, Json json) {
    json.object();
    members.write(json, event);
    json.endObject();
  }

  private static void present(@Nullable String text, CellWriter cell) {
    if (text == null) {
      cell.absent();
    } else {
      cell.text(text);
    }
  }

  /** Writes the frames, innermost first; nothing for an event without a stack. */
  private static void stack(List<NamedFrame> frames, CellWriter cell) {
    if (frames.isEmpty()) {
      cell.absent();
    } else {
      cell.shaped(
          () -> frames.stream().map(NamedFrame::text).collect(Collectors.joining(";")),
          json -> stack(json, frames));
    }
  }

  private static void stack(Json json, List<NamedFrame> frames) {
    json.array();
    for (NamedFrame frame : frames) {
      json.object()
          .text("address", Numbers.hex(frame.ip()))
          .name("module", frame.module())
          .text("rva", frame.rva() < 0 ? null : Numbers.hex(frame.rva()))
          .name("function", frame.function())
          .text("file", frame.file());
      if (frame.line() == 0) {
        json.unknown("line");
      } else {
        json.number("line", frame.line());
      }
      json.bool("inline", frame.isInlined()).name("trust", frame.trust().word()).endObject();
    }
    json.endArray();
  }

  /** Writes the bytes of an event without a schema, as they are: nothing is hidden. */
  private static void payload(EventReader event, CellWriter cell) {
    RecordCursor record = event.record();
    if (event.type().schema() == null && record.payloadLength() > 0) {
      cell.bytes(record.bytes(), record.payloadOffset(), record.payloadLength());
    } else {
      cell.absent();
    }
  }

  /** Writes the bytes after the last field; nothing if there are none. */
  private static void rest(EventReader event, CellWriter cell) {
    Payload payload = event.payload();
    if (event.type().schema() != null && payload.restLength() > 0) {
      cell.bytes(payload.bytes(), payload.restOffset(), payload.restLength());
    } else {
      cell.absent();
    }
  }

  private static void utc(RecordCursor record, CellWriter cell) {
    cell.utc(record.file().clock().fileTime(record.ticks()));
  }

  private static long id(int id) {
    return id == RecordCursor.NO_ID ? -1 : Integer.toUnsignedLong(id);
  }

  void csv(Events.Walk walk, long limit) {
    Csv csv = new Csv(terminal.out());
    columns.head(csv);
    long shown = 0;
    while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && walk.next()) {
      columns.row(csv, walk);
    }
  }
}

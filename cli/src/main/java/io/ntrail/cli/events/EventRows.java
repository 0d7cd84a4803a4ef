package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSourceCounts;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.cli.common.EventIds;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.JsonLines;
import io.ntrail.cli.text.JsonRow;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.schema.Payload;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes events in time order for programs: JSON Lines, one JSON object, CSV. */
final class EventRows {
  private final Terminal terminal;
  private final boolean withSource;
  private final boolean withStacks;

  /**
   * @param withSource whether objects say where names and fields came from
   * @param withStacks whether rows of CSV have the stacks of events
   */
  EventRows(Terminal terminal, boolean withSource, boolean withStacks) {
    this.terminal = terminal;
    this.withSource = withSource;
    this.withStacks = withStacks;
  }

  void jsonl(Events.Walk walk, long limit) {
    PrintStream out = terminal.out();
    EventObjects objects = new EventObjects(JsonRow.of(out), withSource);
    long shown = 0;
    try (JsonLines lines = new JsonLines(out)) {
      while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && walk.next()) {
        objects.of(walk).line(lines);
      }
    }
  }

  void json(Events events, EventFilter filter, Events.Walk walk, long limit) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.events/1").array("events");
      EventObjects objects = new EventObjects(JsonRow.of(terminal.out()), withSource);
      long shown = 0;
      while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && walk.next()) {
        json.row(objects.of(walk));
      }
      json.endArray();
      SchemaSourceCounts all = events.all();
      if (all != null && all.events() > limit) {
        json.number("rowsLeftOut", all.events() - limit);
      }
      EventRemarks.json(json, walk.sources(), filter.undecided());
      Losses.json(json, events.recording());
      json.gaps(events.recording().gaps()).endObject();
    }
  }

  void csv(Events.Walk walk, long limit) {
    ListingColumns<Events.Walk> columns = columns();
    Csv csv = new Csv(terminal.out());
    columns.head(csv);
    long shown = 0;
    while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && walk.next()) {
      columns.row(csv, walk);
    }
  }

  private ListingColumns<Events.Walk> columns() {
    EventObjects objects = new EventObjects(new JsonRow(), false);
    ListingColumns<Events.Walk> columns =
        new ListingColumns<Events.Walk>()
            .count("timeNanos", walk -> walk.event().nanos())
            .text("utc", walk -> utc(walk.event().record()))
            .count("cpu", walk -> walk.event().record().cpu())
            .knownCount("pid", walk -> id(walk.event().processId()))
            .knownCount("tid", walk -> id(walk.event().threadId()))
            .name("process", walk -> walk.event().process())
            .name("providerGuid", walk -> walk.event().type().guidText())
            .name("provider", walk -> walk.event().type().provider())
            .name("event", walk -> walk.event().type().event())
            .count("id", walk -> walk.event().type().id())
            .count("opcode", walk -> walk.event().type().opcode())
            .count("version", walk -> walk.event().type().version())
            .count("dataLength", walk -> walk.event().record().payloadLength())
            .text("fields", walk -> objects.fields(walk.event()));
    if (withStacks) {
      columns.text("stack", walk -> stack(walk.stack()));
    }
    return furtherColumns(columns);
  }

  /** Adds what only some kinds of records have, and what no field tells: behind what all have. */
  private static ListingColumns<Events.Walk> furtherColumns(ListingColumns<Events.Walk> columns) {
    return columns
        .knownCount("level", walk -> level(walk.event().record()))
        .value("keywords", (walk, cell) -> keywords(walk.event().record(), cell))
        .text("activityId", walk -> activity(walk.event().record()))
        .knownCount("sequence", walk -> sequence(walk.event().record()))
        .text("message", walk -> walk.event().message())
        .value("payload", (walk, cell) -> payload(walk.event(), cell))
        .value("rest", (walk, cell) -> rest(walk.event(), cell));
  }

  private static long level(RecordCursor record) {
    return record.kind().isEvent() || record.kind().isClassic() ? record.level() : -1;
  }

  private static void keywords(RecordCursor record, CellWriter cell) {
    if (record.kind().isEvent()) {
      cell.hex(record.keyword());
    } else {
      cell.unknown();
    }
  }

  private static @Nullable String activity(RecordCursor record) {
    return record.kind().isEvent() ? EventIds.guid(record.activityId()) : null;
  }

  private static long sequence(RecordCursor record) {
    // A message that has none has a negative one.
    return record.kind() == RecordKind.MESSAGE ? record.message().sequence() : -1;
  }

  private static void payload(EventReader event, CellWriter cell) {
    RecordCursor record = event.record();
    if (event.type().schema() == null && record.payloadLength() > 0) {
      cell.bytes(record.bytes(), record.payloadOffset(), record.payloadLength());
    } else {
      cell.unknown();
    }
  }

  private static void rest(EventReader event, CellWriter cell) {
    Payload payload = event.payload();
    if (event.type().schema() != null && payload.restLength() > 0) {
      cell.bytes(payload.bytes(), payload.restOffset(), payload.restLength());
    } else {
      cell.unknown();
    }
  }

  private static @Nullable String stack(List<NamedFrame> frames) {
    return frames.isEmpty()
        ? null
        : frames.stream().map(NamedFrame::text).collect(Collectors.joining(";"));
  }

  private static @Nullable String utc(RecordCursor record) {
    return Numbers.utc(record.file().clock().fileTime(record.ticks()));
  }

  private static long id(int id) {
    return id == RecordCursor.NO_ID ? -1 : Integer.toUnsignedLong(id);
  }
}

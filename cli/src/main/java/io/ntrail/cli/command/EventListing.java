package io.ntrail.cli.command;

import io.ntrail.analysis.recording.EventIdentity;
import io.ntrail.analysis.recording.OrderedCursor;
import io.ntrail.analysis.recording.Recording;
import io.ntrail.cli.command.Options.Format;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.identity.Guid;
import org.jspecify.annotations.Nullable;

/** Lists records in time order with what their headers say. */
final class EventListing {
  /** Rows of a long table that are held before they are printed. */
  private static final int TABLE_PART = 1_000;

  private final Recording recording;
  private final Terminal terminal;
  private final boolean wide;
  private EventIdentity identity = new EventIdentity();

  EventListing(Recording recording, Terminal terminal, boolean wide) {
    this.recording = recording;
    this.terminal = terminal;
    this.wide = wide;
  }

  static String names(Recording recording) {
    String first = recording.files().getFirst().name();
    int more = recording.files().size() - 1;
    return more == 0 ? first : first + " and " + Numbers.counted(more, "more file");
  }

  void print(TimeRange range, long limit, Format format, int cores, boolean quiet) {
    try (Progress _ =
        Progress.start(
            terminal,
            quiet,
            recording.files().getFirst().name(),
            recording::bytesVisited,
            recording.size())) {
      identity = new EventIdentity(recording.survey(cores));
    }
    try (OrderedCursor cursor = recording.inOrder(range.fromNanos(), range.toNanos())) {
      switch (format) {
        case TEXT -> text(cursor, range, limit);
        case JSONL -> jsonl(cursor, limit);
        case CSV -> csv(cursor, limit);
        case JSON -> json(cursor, limit);
      }
    }
  }

  private void text(OrderedCursor cursor, TimeRange range, long limit) {
    Table table =
        new Table()
            .number("time (s)")
            .number("cpu")
            .number("pid")
            .number("tid")
            .number("bytes")
            .name("event");
    long total = count(range);
    long shown = limit > 0 ? Math.min(limit, total) : total;
    terminal
        .out()
        .println(
            names(recording)
                + ": "
                + scope(range)
                + ": "
                + (shown < total ? "first " + Numbers.count(shown) + " of " : "")
                + Numbers.counted(total, "record")
                + ", "
                + Losses.state(recording));
    int width = wide || !terminal.outIsTerminal() ? 0 : terminal.width();
    for (long i = 0; i < shown && !terminal.outClosed() && cursor.next(); i++) {
      RecordCursor record = cursor.record();
      table.row(
          Numbers.seconds(cursor.nanos()),
          Integer.toString(record.cpu()),
          id(record.processId()),
          id(record.threadId()),
          Numbers.count(record.payloadLength()),
          identity.text(record));
      if (table.waiting() == TABLE_PART) {
        table.print(terminal.out(), 0, width);
      }
    }
    if (table.waiting() > 0) {
      table.print(terminal.out(), 0, width);
    }
    if (shown < total) {
      terminal
          .out()
          .println(Numbers.count(total - shown) + " more records not shown (-n 0 shows all)");
    }
  }

  private long count(TimeRange range) {
    if (range.whole()) {
      return recording.survey(1).records();
    }
    long count = 0;
    try (OrderedCursor cursor = recording.inOrder(range.fromNanos(), range.toNanos())) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
  }

  private static String scope(TimeRange range) {
    if (range.whole()) {
      return "whole recording";
    }
    if (range.fromNanos() == Long.MIN_VALUE) {
      return "before " + Numbers.seconds(range.toNanos()) + " s";
    }
    String from = Numbers.seconds(range.fromNanos());
    return range.toNanos() == Long.MAX_VALUE
        ? "from " + from + " s"
        : from + " .. " + Numbers.seconds(range.toNanos()) + " s";
  }

  private static String id(int id) {
    return id == RecordCursor.NO_ID ? "-" : Long.toString(id & 0xFFFF_FFFFL);
  }

  private void jsonl(OrderedCursor cursor, long limit) {
    long shown = 0;
    while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && cursor.next()) {
      try (Json json = new Json(terminal.out())) {
        object(json, cursor);
      }
    }
  }

  private void json(OrderedCursor cursor, long limit) {
    long shown = 0;
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.events/1").array("events");
      while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && cursor.next()) {
        object(json, cursor);
      }
      json.endArray()
          .lost(Losses.events(recording), Losses.buffers(recording))
          .gaps(recording.gaps())
          .endObject();
    }
  }

  private void object(Json json, OrderedCursor cursor) {
    RecordCursor record = cursor.record();
    json.object()
        .number("timeNanos", cursor.nanos())
        .text("utc", utc(record))
        .number("cpu", record.cpu());
    id(json, "pid", record.processId());
    id(json, "tid", record.threadId());
    json.text("providerGuid", guid(identity.providerGuid(record)))
        .text("provider", identity.provider(record))
        .text("event", named(identity.event(record)))
        .number("id", identity.id(record))
        .number("opcode", record.opcode())
        .number("version", record.version());
    if (record.kind().isEvent()) {
      json.number("level", record.level())
          .text("keywords", Numbers.hex(record.keyword()))
          .text("activityId", activity(record));
    } else if (record.kind().isClassic()) {
      json.number("level", record.level());
    } else if (record.kind() == RecordKind.MESSAGE) {
      // What the arguments of a WPP message mean only its TMF file tells.
      json.number("sequence", record.message().sequence())
          .text(
              "arguments",
              Numbers.hex(record.bytes().array(record.payloadOffset(), record.payloadLength())));
    }
    json.number("dataLength", record.payloadLength()).endObject();
  }

  /** An event without a name has none; it is not called "". */
  static @Nullable String named(@Nullable String event) {
    return event == null || event.isEmpty() ? null : event;
  }

  private @Nullable String utc(RecordCursor record) {
    return Numbers.utc(record.file().clock().fileTime(record.ticks()));
  }

  /** Records without a provider have none. */
  static @Nullable String guid(Guid guid) {
    return guid.equals(Guid.ZERO) ? null : guid.toString();
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

  private void csv(OrderedCursor cursor, long limit) {
    Csv csv = new Csv(terminal.out());
    csv.row(
        "timeNanos",
        "utc",
        "cpu",
        "pid",
        "tid",
        "providerGuid",
        "provider",
        "event",
        "id",
        "opcode",
        "version",
        "dataLength");
    long shown = 0;
    while (!terminal.outClosed() && (limit == 0 || shown++ < limit) && cursor.next()) {
      RecordCursor record = cursor.record();
      csv.row(
          Long.toString(cursor.nanos()),
          Csv.orEmpty(utc(record)),
          Integer.toString(record.cpu()),
          number(record.processId()),
          number(record.threadId()),
          identity.providerGuid(record).toString(),
          Csv.orEmpty(identity.provider(record)),
          Csv.orEmpty(named(identity.event(record))),
          Integer.toString(identity.id(record)),
          Integer.toString(record.opcode()),
          Integer.toString(record.version()),
          Integer.toString(record.payloadLength()));
    }
  }

  private static String number(int id) {
    return id == RecordCursor.NO_ID ? "" : Long.toString(id & 0xFFFF_FFFFL);
  }
}

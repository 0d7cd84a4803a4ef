package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventStretches;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSourceCounts;
import io.ntrail.analysis.etw.events.StackStatistics;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.EventTotals;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Lists events in time order for people. */
final class EventListing {
  /** Rows of a long table that are held before they are printed. */
  private static final int TABLE_PART = 1_000;

  /** Rows that are held while those that are not shown are counted. */
  private static final int HELD = 10_000;

  /** Number of rows with stacks that are held while those that are not shown are counted. */
  private static final int HELD_STACKS = 200;

  /** Memory of the heap for each thread: open buffers, and lines that are held. */
  private static final long THREAD_BYTES = 96L << 20;

  /** A row, and what is below it. */
  private record Line(List<String> cells, List<String> below) {
    void addTo(Table table) {
      table.row(cells);
      table.below(below);
    }
  }

  /** The events of a stretch of time: how many there are, and the lines of the first. */
  private final class Selected implements EventStretches.Part {
    /** Lines that are still wanted when all before the stretch are known; it only gets less. */
    private final AtomicInteger wanted;

    private final SchemaSourceCounts sources = new SchemaSourceCounts();
    private final List<Line> lines = new ArrayList<>();

    /** Lines whose event ends before its last field, by their places. */
    private final Map<Integer, Gap> shortEvents = new HashMap<>();

    Selected(AtomicInteger wanted) {
      this.wanted = wanted;
    }

    @Override
    public void add(EventReader event, boolean hasStack) {
      sources.add(event.type());
      if (lines.size() < wanted.get()) {
        Gap end = event.unreported(() -> lines.add(line(event, List.of())));
        if (end != null) {
          shortEvents.put(lines.size() - 1, end);
        }
      }
    }

    /** Returns the lines that are wanted when all before the stretch are known. */
    private List<Line> taken() {
      List<Line> taken = lines.subList(0, Math.min(lines.size(), wanted.get()));
      for (int i = 0; i < taken.size(); i++) {
        Gap end = shortEvents.get(i);
        if (end != null) {
          events.recording().shortEvents().add(end);
        }
      }
      wanted.addAndGet(-taken.size());
      return taken;
    }
  }

  private final Events events;
  private final EventFilter filter;
  private final TimeRange range;
  private final Terminal terminal;
  private final int width;
  private final @Nullable RecordingSymbols symbols;
  private final boolean withStacks;
  private final boolean isLong;
  private StackStatistics stackCounts = StackStatistics.NONE;
  private EventFilter.Undecided undecided = EventFilter.Undecided.NONE;

  EventListing(
      Events events,
      EventFilter filter,
      TimeRange range,
      Terminal terminal,
      boolean wide,
      boolean isLong,
      @Nullable RecordingSymbols symbols) {
    this.isLong = isLong;
    this.symbols = symbols;
    this.withStacks = symbols != null;
    this.events = events;
    this.filter = filter;
    this.range = range;
    this.terminal = terminal;
    this.width = wide || !terminal.outIsTerminal() ? 0 : terminal.width();
  }

  /**
   * Prints the first events, at most {@code limit} unless it is 0.
   *
   * @return what describes the selected events, also those that are not shown
   */
  SchemaSourceCounts print(long limit, String asked) {
    SchemaSourceCounts sources =
        limit > 0 && limit <= (withStacks ? HELD_STACKS : HELD)
            ? held((int) limit, asked)
            : streamed(limit, asked);
    EventRemarks.undescribed(sources, terminal);
    return sources;
  }

  /** One walk: the lines are held until it is known how many more there are. */
  private SchemaSourceCounts held(int limit, String asked) {
    List<Line> lines = new ArrayList<>();
    SchemaSourceCounts all = filter.passesAll() && range.whole() ? events.all() : null;
    SchemaSourceCounts sources;
    if (all == null && !withStacks) {
      sources = selected(limit, lines);
    } else {
      try (Events.Walk walk = walk()) {
        while ((all == null || lines.size() < limit) && walk.next()) {
          if (lines.size() < limit) {
            lines.add(line(walk));
          }
        }
        sources = all == null ? walk.sources() : all;
        stackCounts = walk.stackCounts();
      }
    }
    undecided = filter.undecided();
    EventTotals totals = totals(sources);
    head(lines.size(), totals, asked);
    if (!lines.isEmpty()) {
      Table table = table();
      lines.forEach(line -> line.addTo(table));
      table.print(terminal.out(), 0, width);
    }
    rest(lines.size(), totals);
    return sources;
  }

  /** Two walks: one that counts, one that prints. */
  private SchemaSourceCounts streamed(long limit, String asked) {
    SchemaSourceCounts sources = counted();
    long total = sources.events();
    long shown = limit > 0 ? Math.min(limit, total) : total;
    EventTotals totals = totals(sources);
    head(shown, totals, asked);
    if (shown == 0) {
      return sources;
    }
    Table table = table();
    try (Events.Walk walk = walk()) {
      for (long i = 0; i < shown && !terminal.outClosed() && walk.next(); i++) {
        line(walk).addTo(table);
        if (table.waiting() == TABLE_PART) {
          table.print(terminal.out(), 0, width);
        }
      }
      stackCounts = walk.stackCounts();
    }
    if (table.waiting() > 0) {
      table.print(terminal.out(), 0, width);
    }
    rest(shown, totals);
    return sources;
  }

  private SchemaSourceCounts counted() {
    SchemaSourceCounts all = filter.passesAll() && range.whole() ? events.all() : null;
    if (all != null) {
      return all;
    }
    SchemaSourceCounts sources = selected(0, new ArrayList<>());
    undecided = filter.undecided();
    return sources;
  }

  /**
   * Counts the selected events, on all cores.
   *
   * @param limit number of lines that are wanted
   * @param lines receives those of the first events
   */
  private SchemaSourceCounts selected(int limit, List<Line> lines) {
    SchemaSourceCounts sources = new SchemaSourceCounts();
    AtomicInteger wanted = new AtomicInteger(limit);
    new EventStretches(events, filter, range.fromNanos(), range.toNanos())
        .run(
            false,
            THREAD_BYTES,
            () -> new Selected(wanted),
            part -> {
              sources.add(part.sources);
              lines.addAll(part.taken());
            });
    return sources;
  }

  /** Adds the event that a walk stands on to a table. */
  void addTo(Table table, Events.Walk walk) {
    line(walk).addTo(table);
  }

  /** Returns a table without rows. */
  static Table table() {
    return new Table()
        .number("time (s)")
        .number("cpu")
        .number("pid")
        .number("tid")
        .name("event")
        .fields("fields")
        .spare(1);
  }

  private Events.Walk walk() {
    return symbols != null
        ? events.walkWithStacks(filter, range.fromNanos(), range.toNanos(), symbols)
        : events.walk(filter, range.fromNanos(), range.toNanos());
  }

  /** Returns the statistics of the stacks of the events that are shown. */
  StackStatistics stackCounts() {
    return stackCounts;
  }

  /** Returns which events the filter could not decide about, also of those not shown. */
  EventFilter.Undecided undecided() {
    return undecided;
  }

  private Line line(Events.Walk walk) {
    return line(walk.event(), walk.stack());
  }

  private Line line(EventReader event, List<NamedFrame> stack) {
    RecordCursor record = event.record();
    String message = event.message();
    String fields = EventFields.text(event, width == 0);
    String told = message == null ? fields : message + (fields.isEmpty() ? "" : "  " + fields);
    if (event.type().schema() == null && record.payloadLength() > 0) {
      told = "(" + Numbers.counted(record.payloadLength(), "byte") + ", no schema)";
    }
    List<String> cells =
        List.of(
            Numbers.seconds(event.nanos()),
            Integer.toString(record.cpu()),
            id(event.processId()),
            id(event.threadId()),
            event.type().text(),
            told);
    List<String> frames = stack.stream().map(NamedFrame::text).toList();
    if (!isLong || event.payload().size() == 0) {
      return new Line(cells, frames);
    }
    List<String> head = new ArrayList<>(cells);
    head.set(head.size() - 1, message == null ? "" : message);
    List<String> below = new ArrayList<>();
    EventFields.lines(event).forEach(line -> wrap(line, below));
    below.addAll(frames);
    return new Line(head, below);
  }

  /** Adds a text that is as wide as it is in as many lines as it takes. */
  private void wrap(String text, List<String> lines) {
    String one = TextSanitizer.one(text);
    int room = width == 0 ? one.length() : Math.max(2 * Table.BELOW, width - Table.BELOW);
    for (int at = 0; at == 0 || at < one.length(); at += room) {
      lines.add(one.substring(at, Math.min(one.length(), at + room)));
    }
  }

  private static EventTotals totals(SchemaSourceCounts sources) {
    return new EventTotals(sources.events(), sources.stackRecords());
  }

  private void head(long shown, EventTotals totals, String asked) {
    terminal
        .out()
        .println(
            Headings.files(events.recording())
                + ": "
                + asked
                + ": "
                + (shown < totals.records() ? "first " + Numbers.count(shown) + " of " : "")
                + totals.text()
                + ", "
                + Losses.state(events.recording()));
  }

  private void rest(long shown, EventTotals totals) {
    if (shown < totals.records()) {
      terminal
          .out()
          .println(
              Numbers.counted(totals.records() - shown, "more " + totals.noun())
                  + " not shown (-n 0 shows all)");
    }
  }

  private static String id(int id) {
    return id == RecordCursor.NO_ID ? "-" : Integer.toUnsignedString(id);
  }
}

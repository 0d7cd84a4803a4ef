package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventGroups;
import io.ntrail.analysis.etw.events.FieldSum;
import io.ntrail.analysis.etw.events.SchemaSourceCounts;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.EventTotals;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Prints how many events there are by process, thread, type, CPU, provider, file or a field. */
final class EventGroupsView {
  /** Owners of events that groups can be of; their rows have ids. */
  private enum Owner {
    PROCESS("pid"),
    THREAD("tid"),
    /** Rows are of a type, a CPU, a provider or a field. */
    NO_OWNER("");

    private final String id;

    Owner(String id) {
      this.id = id;
    }

    static Owner of(String by) {
      return Arrays.stream(values())
          .filter(owner -> owner.name().equalsIgnoreCase(by))
          .findFirst()
          .orElse(NO_OWNER);
    }
  }

  private final EtwRecording recording;
  private final EventGroups groups;
  private final SchemaSourceCounts sources;
  private final String by;
  private final Owner owner;
  private final List<EventGroups.Row> rows;
  private final EventFilter.Undecided undecided;
  private final EventTotals totals;
  private final Terminal terminal;

  /**
   * @param undecided events that the filter could not decide about
   * @param limit rows to print; 0 for all
   */
  EventGroupsView(
      EtwRecording recording,
      EventGroups groups,
      SchemaSourceCounts sources,
      String by,
      EventFilter.Undecided undecided,
      long limit,
      Terminal terminal) {
    this.recording = recording;
    this.undecided = undecided;
    this.sources = sources;
    this.groups = groups;
    this.by = by;
    this.owner = Owner.of(by);
    this.rows =
        limit > 0 && limit < groups.rows().size()
            ? groups.rows().subList(0, (int) limit)
            : groups.rows();
    this.totals = new EventTotals(groups.records(), groups.stackRecords());
    this.terminal = terminal;
  }

  void print(Format format, String asked, boolean wide) {
    Listing<EventGroups.Row> listing = new Listing<>("groups", columns(), rows::forEach);
    listing.print(
        format,
        terminal.out(),
        () -> text(asked, wide),
        json -> {
          json.text("schema", "ntrail.event-groups/1")
              .text("by", by)
              .number("records", groups.records());
          listing.json(json);
          json.number("rowsLeftOut", groups.rows().size() - rows.size())
              .number("notKeptApart", groups.others());
          EventRemarks.json(json, sources, undecided);
          Losses.json(json, recording).gaps(recording.gaps());
        });
  }

  private ListingColumns<EventGroups.Row> columns() {
    ListingColumns<EventGroups.Row> columns =
        new ListingColumns<EventGroups.Row>()
            .text(owner == Owner.NO_OWNER ? "key" : "process", EventGroups.Row::key);
    if (owner != Owner.NO_OWNER) {
      columns.knownCount(owner.id, EventGroups.Row::id);
    }
    columns
        .count("count", EventGroups.Row::count)
        .titled(totals.noun() + "s")
        .figure("%", row -> Numbers.percent(row.count(), groups.records()));
    SumColumns.add(columns, groups.sums(), sums(0), EventGroups.Row::sums);
    return columns
        .count("bytes", EventGroups.Row::bytes)
        .titled("bytes each")
        .shown(row ->
            row.count() == 0 ? "-" : Numbers.count(Math.round((double) row.bytes() / row.count())))
        .label(by, this::name)
        .optional("bytes", "%");
  }

  private void text(String asked, boolean wide) {
    List<FieldSum> total = sums(0);
    terminal
        .out()
        .println(
            Headings.files(recording)
                + ": "
                + asked
                + ": "
                + totals.text()
                + SumColumns.heading(groups.sums(), total)
                + ", "
                + Losses.state(recording));
    ListingColumns<EventGroups.Row> columns = columns();
    Table table = columns.table();
    long shown = 0;
    long shownBytes = 0;
    for (EventGroups.Row row : rows) {
      shown += row.count();
      shownBytes += row.bytes();
      columns.row(table, row);
    }
    long bytes = groups.bytes();
    long left = groups.records() - shown;
    if (left > 0) {
      columns.closing(
          table,
          new EventGroups.Row(null, -1, left, bytes - shownBytes, sums(rows.size())),
          Numbers.count(groups.rows().size() - rows.size())
              + " more"
              + (groups.others() > 0
                  ? ", and those beyond the first " + Numbers.count(EventGroups.MOST)
                  : "")
              + " (-n 0 shows all)");
    }
    columns.closing(table, new EventGroups.Row(null, -1, groups.records(), bytes, total), "total");
    table.print(terminal.out(), 0, wide || !terminal.outIsTerminal() ? 0 : terminal.width());
    EventRemarks.undescribed(sources, terminal);
  }

  /** Returns the sums of the fields in the rows from one on, and in what was not kept apart. */
  private List<FieldSum> sums(int first) {
    Stream<List<FieldSum>> listed = groups.rows().stream().skip(first).map(EventGroups.Row::sums);
    return FieldSum.together(
        groups.sums().size(), Stream.concat(listed, Stream.of(groups.otherSums())).toList());
  }

  private String name(EventGroups.Row row) {
    String key = row.key();
    if (owner == Owner.NO_OWNER) {
      return key == null ? "(none)" : key.isEmpty() ? "(empty)" : key;
    }
    if (row.id() < 0) {
      return "(unknown)";
    }
    if (owner == Owner.THREAD) {
      return row.id() + (key == null ? "" : " of " + key);
    }
    return (key == null ? "process" : key) + " (" + row.id() + ")";
  }
}

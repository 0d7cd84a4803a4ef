package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.text.JsonLines;
import io.ntrail.cli.text.JsonRow;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.etl.EtlFile;

/** Lines of events that come part by part, as {@code ntrail events} prints them. */
public final class NewEvents {
  private final EventFilter filter;
  private final Format format;
  private final Terminal terminal;
  private final Table table = EventListing.table();

  /**
   * Prints events.
   *
   * @param filter of those that are printed
   * @param format text or JSON Lines
   */
  public NewEvents(EventFilter filter, Format format, Terminal terminal) {
    this.filter = filter;
    this.format = format;
    this.terminal = terminal;
  }

  /**
   * Prints the events of a recording's last file, in order of time; the others tell of what was
   * before.
   *
   * @param most lines
   * @return the number of lines
   */
  public long print(EtwRecording recording, long most) {
    SchemaSources sources = new SchemaSources(UserSchemas.NONE);
    Events events = Events.of(recording, sources, 1);
    EtlFile part = recording.files().getLast();
    EventListing listing =
        new EventListing(events, filter, TimeRange.parse(".."), terminal, false, false, null);
    long printed = 0;
    EventObjects objects = new EventObjects(JsonRow.of(terminal.out()), false);
    try (JsonLines lines = new JsonLines(terminal.out());
        Events.Walk walk = events.walk(filter)) {
      while (printed < most && !terminal.outClosed() && walk.next()) {
        // The first buffer is the file's header, which each part has.
        boolean isNew = walk.event().record().file() == part && walk.event().record().buffer() > 0;
        if (isNew && format == Format.TEXT) {
          listing.addTo(table, walk);
        } else if (isNew) {
          objects.of(walk).line(lines);
        }
        printed += isNew ? 1 : 0;
      }
    }
    if (table.waiting() > 0) {
      table.print(terminal.out(), 0, terminal.outIsTerminal() ? terminal.width() : 0);
    }
    terminal.out().flush();
    return printed;
  }
}

package io.ntrail.cli.command;

import io.ntrail.analysis.recording.EventCounts;
import io.ntrail.formats.identity.Guid;

/** What a type of event is called on the screen. */
final class EventNames {
  private EventNames() {}

  /** Where it comes from: the task of kernel events, else the provider. */
  static String source(EventCounts.Row row) {
    String event = row.event();
    String provider = row.provider();
    if (event != null && "Windows Kernel".equals(provider)) {
      int slash = event.indexOf('/');
      return slash < 0 ? event : event.substring(0, slash);
    }
    if (provider != null) {
      return provider;
    }
    return row.providerGuid().equals(Guid.ZERO) ? "(no provider)" : row.providerGuid().toString();
  }

  /** The type: {@code FileIo/Read}, {@code Provider/Event}, {@code Provider/143 v2}. */
  static String event(EventCounts.Row row) {
    String event = row.event();
    if (event != null && "Windows Kernel".equals(row.provider())) {
      return event;
    }
    StringBuilder name = new StringBuilder(source(row)).append('/');
    if (event != null) {
      return name.append(event).toString();
    }
    if (row.names().size() > 1) {
      return name.append("(").append(row.names().size()).append(" names)").toString();
    }
    name.append(row.id());
    if (row.opcode() != 0) {
      name.append(" opcode ").append(row.opcode());
    }
    if (row.version() != 0) {
      name.append(" v").append(row.version());
    }
    return name.toString();
  }
}

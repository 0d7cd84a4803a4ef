package io.ntrail.analysis.etw.events;

import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Events by where they come from: tasks of the kernel and of what a merge adds, else providers.
 * Every record is an event but stack records of the kernel logger: they belong to their events.
 *
 * @param rows by count, most first; types of a source that nothing describes have a row of their
 *     own
 * @param events number of events: the sum of the rows
 * @param bytes bytes of their records
 * @param stackRecords number of stack records
 * @param stackBytes bytes of them
 */
public record ProviderCounts(
    List<Row> rows, long events, long bytes, long stackRecords, long stackBytes) {
  /**
   * One source.
   *
   * @param name task or provider; its GUID if it has no name
   * @param providerGuid provider or class; zero for record headers that have none
   * @param provider name of the provider; null if unknown
   * @param providerListed whether that is only from the list of well-known providers
   * @param task whether the name is that of a task, not of the provider
   * @param described whether something describes these events, so that their fields are known
   * @param traceLogging whether all of them describe themselves
   * @param opcodes of a task: what its events are called after it, most frequent first
   * @param types number of types of events
   * @param events number of events
   * @param bytes bytes of their records
   * @param withStack how many have a stack
   */
  public record Row(
      String name,
      Guid providerGuid,
      @Nullable String provider,
      boolean providerListed,
      boolean task,
      boolean described,
      boolean traceLogging,
      List<String> opcodes,
      int types,
      long events,
      long bytes,
      long withStack) {}

  private static final class Sum {
    final String name;
    final EventCounts.Row first;
    final boolean described;
    final Map<String, long[]> opcodes = new LinkedHashMap<>();
    boolean traceLogging = true;
    int types;
    long events;
    long bytes;
    long withStack;

    Sum(String name, EventCounts.Row first, boolean described) {
      this.name = name;
      this.first = first;
      this.described = described;
    }

    void add(EventCounts.Row row) {
      types++;
      events += row.count();
      bytes += row.bytes();
      withStack += row.withStack();
      traceLogging &= !row.names().isEmpty();
      String event = row.event();
      int slash = event == null ? -1 : event.indexOf('/');
      if (event != null && slash >= 0) {
        opcodes.computeIfAbsent(event.substring(slash + 1), e -> new long[1])[0] += row.count();
      }
    }

    Row row() {
      boolean task = EventDisplayName.byTask(first.provider());
      List<String> names = new ArrayList<>();
      if (task) {
        names.addAll(opcodes.keySet());
        names.sort((a, b) -> Long.compare(count(b), count(a)));
      }
      return new Row(
          name,
          first.providerGuid(),
          first.provider(),
          first.providerListed(),
          task,
          described,
          traceLogging,
          List.copyOf(names),
          types,
          events,
          bytes,
          withStack);
    }

    private long count(String opcode) {
      long[] count = opcodes.get(opcode);
      return count == null ? 0 : count[0];
    }
  }

  /** Sums up the types of a count. */
  static ProviderCounts of(EventCounts counts) {
    Map<String, Sum> sums = new LinkedHashMap<>();
    long stackRecords = 0;
    long stackBytes = 0;
    for (EventCounts.Row row : counts.rows()) {
      if (row.isStackRecord()) {
        stackRecords += row.count();
        stackBytes += row.bytes();
        continue;
      }
      boolean described = row.described() > 0;
      String name = EventDisplayName.source(row.providerGuid(), row.provider(), row.event());
      String key = row.providerGuid() + (described ? "+" : "-") + name;
      sums.computeIfAbsent(key, k -> new Sum(name, row, described)).add(row);
    }
    List<Row> rows = new ArrayList<>();
    for (Sum sum : sums.values()) {
      rows.add(sum.row());
    }
    rows.sort((a, b) -> Long.compare(b.events, a.events));
    return new ProviderCounts(
        List.copyOf(rows),
        counts.records() - stackRecords,
        counts.bytes() - stackBytes,
        stackRecords,
        stackBytes);
  }
}

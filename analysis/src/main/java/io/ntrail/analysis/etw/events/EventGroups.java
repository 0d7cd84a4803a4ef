package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of events by process, thread, type, CPU, provider or a field. Every event is in one row;
 * those that do not have it are in the row whose key is null.
 *
 * @param records number of records
 * @param stackRecords how many of them are stack records, which are no events themselves
 * @param bytes bytes of their records
 * @param rows by count, most first
 * @param others events of the groups that were not kept apart, since there were more than {@link
 *     #MOST}
 * @param unmatched the field, if no event has one of this name
 */
public record EventGroups(
    long records,
    long stackRecords,
    long bytes,
    List<Row> rows,
    long others,
    @Nullable UnmatchedTerm unmatched) {
  private static final List<String> KEYS = List.of("process", "thread", "event", "cpu", "provider");

  /** Groups that are kept apart; what more there are, is counted together. */
  public static final int MOST = 1 << 18;

  /**
   * One group.
   *
   * @param key what its events share, as text; null for those that do not have it
   * @param id process or thread id, where it is counted by them; else -1
   * @param count number of events
   * @param bytes bytes of their records
   */
  public record Row(@Nullable String key, long id, long count, long bytes) {}

  /** Key of a group; processes of one id are distinguished by their image, too. */
  private record Key(@Nullable String text, long id) {}

  /** Counts what a filter lets through. */
  public static EventGroups of(Events.Walk walk, String by) {
    Map<Key, long[]> groups = new HashMap<>();
    long[] others = new long[2];
    long records = 0;
    long stackRecords = 0;
    long bytes = 0;
    FieldNames fields = new FieldNames();
    while (walk.next()) {
      EventReader event = walk.event();
      fields.meet(event.type());
      records++;
      stackRecords += event.type().isStackRecord() ? 1 : 0;
      int size = event.record().size();
      bytes += size;
      Key key = key(event, by);
      long[] sum = groups.get(key);
      if (sum == null) {
        if (groups.size() < MOST) {
          sum = new long[2];
          groups.put(key, sum);
        } else {
          sum = others;
        }
      }
      sum[0]++;
      sum[1] += size;
    }
    List<Row> rows = new ArrayList<>();
    groups.forEach((key, sum) -> rows.add(new Row(key.text, key.id, sum[0], sum[1])));
    rows.sort(
        Comparator.comparingLong((Row row) -> -row.count)
            .thenComparing(row -> row.key == null ? "" : row.key)
            .thenComparingLong(Row::id));
    return new EventGroups(
        records, stackRecords, bytes, List.copyOf(rows), others[0], unmatched(by, fields));
  }

  private static @Nullable UnmatchedTerm unmatched(String by, FieldNames fields) {
    if (KEYS.contains(by.toLowerCase(Locale.ROOT)) || !fields.lacks(by)) {
      return null;
    }
    UnmatchedTerm field = fields.unmatched(by);
    if (field.what() == UnmatchedTerm.What.GROUP) {
      return field;
    }
    TreeSet<String> known = new TreeSet<>(fields.known());
    known.addAll(KEYS);
    return UnmatchedTerm.of(UnmatchedTerm.What.FIELD, by, known);
  }

  private static Key key(EventReader event, String by) {
    return switch (by.toLowerCase(Locale.ROOT)) {
      case "process" -> {
        ProcessInstance life = event.processLife();
        yield new Key(life == null ? null : life.image(), id(event.processId()));
      }
      case "thread" -> new Key(event.process(), id(event.threadId()));
      case "event" -> new Key(event.type().text(), -1);
      case "cpu" -> new Key(Integer.toString(event.record().cpu()), -1);
      case "provider" ->
          new Key(EventDisplayName.source(event.type().guid(), event.type().provider(), null), -1);
      default -> {
        FilterExpression.Value value = new EventValues(event).value(by);
        yield new Key(
            value == null
                ? null
                : value.meaning() == null
                    ? value.text()
                    : value.text() + " (" + value.meaning() + ")",
            -1);
      }
    };
  }

  private static long id(int id) {
    return id == RecordCursor.NO_ID ? -1 : id & 0xFFFF_FFFFL;
  }
}

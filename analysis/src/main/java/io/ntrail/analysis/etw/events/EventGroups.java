package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of events by process, thread, type, CPU, provider, file or a field, and sums of fields.
 * Every event is in one row; those that do not have it are in the row whose key is null.
 *
 * @param records number of records
 * @param stackRecords how many of them are stack records, which are no events themselves
 * @param bytes bytes of their records
 * @param rows by count, most first
 * @param others events of the groups that were not kept apart, since there were more than {@link
 *     #MOST}
 * @param otherSums sums of the fields in those
 * @param sums the fields that are added up in each row
 * @param unmatched fields of which no event has one of this name
 */
public record EventGroups(
    long records,
    long stackRecords,
    long bytes,
    List<Row> rows,
    long others,
    List<FieldSum> otherSums,
    List<String> sums,
    List<UnmatchedTerm> unmatched) {
  private static final List<String> KEYS =
      List.of("process", "thread", "event", "cpu", "provider", "file");

  /** Groups that are kept apart; what more there are, is counted together. */
  public static final int MOST = 1 << 18;

  /**
   * One group.
   *
   * @param key what its events share, as text; null for those that do not have it
   * @param id process or thread id, where it is counted by them; else -1
   * @param count number of events
   * @param bytes bytes of their records
   * @param sums sums of {@link EventGroups#sums}, in their order
   */
  public record Row(@Nullable String key, long id, long count, long bytes, List<FieldSum> sums) {}

  /** Key of a group; processes of one id are distinguished by their image, too. */
  private record Key(@Nullable String text, long id) {}

  /** Sums of one group while it is counted. */
  private static final class Sum {
    final List<FieldSum> fields;
    long count;
    long bytes;

    Sum(int fields) {
      this.fields = FieldSum.none(fields);
    }

    List<FieldSum> kept(int[] numbers) {
      return Arrays.stream(numbers).mapToObj(fields::get).toList();
    }
  }

  /** Fields that say how many bytes of its file an operation read or wrote. */
  private static final List<String> FILE_SIZES = List.of("IoSize", "TransferSize");

  /** Counts what a filter lets through, most events first. */
  public static EventGroups of(Events.Walk walk, String by) {
    return of(walk, by, List.of());
  }

  /**
   * Counts what a filter lets through, and adds up fields.
   *
   * @param added names of the fields; rows are sorted by the first one, the largest first, or
   *     without one by their counts. By file without any: the sizes that events have
   */
  public static EventGroups of(Events.Walk walk, String by, List<String> added) {
    return added.isEmpty() && by.equalsIgnoreCase("file")
        ? of(walk, by, FILE_SIZES, false)
        : of(walk, by, added, true);
  }

  private static EventGroups of(Events.Walk walk, String by, List<String> added, boolean asked) {
    Map<Key, Sum> groups = new HashMap<>();
    Sum others = new Sum(added.size());
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
      Sum sum = groups.get(key);
      if (sum == null) {
        if (groups.size() < MOST) {
          sum = new Sum(added.size());
          groups.put(key, sum);
        } else {
          sum = others;
        }
      }
      sum.count++;
      sum.bytes += size;
      FieldSum.add(sum.fields, added, event);
    }
    List<String> there = asked ? added : added.stream().filter(fields::has).toList();
    int[] kept = there.stream().mapToInt(added::indexOf).toArray();
    boolean bySum = asked && !added.isEmpty();
    List<Row> rows = new ArrayList<>();
    groups.forEach(
        (key, sum) -> rows.add(new Row(key.text, key.id, sum.count, sum.bytes, sum.kept(kept))));
    rows.sort(
        Comparator.comparingDouble((Row row) -> bySum ? -row.sums.getFirst().size() : 0)
            .thenComparingLong(row -> -row.count)
            .thenComparing(row -> row.key == null ? "" : row.key)
            .thenComparingLong(Row::id));
    return new EventGroups(
        records,
        stackRecords,
        bytes,
        List.copyOf(rows),
        others.count,
        others.kept(kept),
        List.copyOf(there),
        unmatched(by, there, fields));
  }

  private static List<UnmatchedTerm> unmatched(String by, List<String> added, FieldNames fields) {
    List<UnmatchedTerm> terms = new ArrayList<>(fields.unmatched(added));
    if (!KEYS.contains(by.toLowerCase(Locale.ROOT)) && fields.lacks(by)) {
      UnmatchedTerm field = fields.unmatched(by);
      TreeSet<String> known = new TreeSet<>(fields.known());
      known.addAll(KEYS);
      terms.add(
          field.what() == UnmatchedTerm.What.GROUP
              ? field
              : UnmatchedTerm.of(UnmatchedTerm.What.FIELD, by, known));
    }
    return terms;
  }

  private static Key key(EventReader event, String by) {
    return switch (by.toLowerCase(Locale.ROOT)) {
      case "process" -> {
        ProcessInstance life = event.processLife();
        yield new Key(life == null ? null : life.image(), id(event.processId()));
      }
      case "thread" -> new Key(event.process(), id(event.threadId()));
      case "event" -> new Key(event.type().text(), -1);
      case "file" -> new Key(event.file(), -1);
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

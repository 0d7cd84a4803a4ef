package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
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
 * @param sources where the names and fields of the events came from
 */
public record EventGroups(
    long records,
    long stackRecords,
    long bytes,
    List<Row> rows,
    long others,
    List<FieldSum> otherSums,
    List<String> sums,
    List<UnmatchedTerm> unmatched,
    SchemaSourceCounts sources) {
  private static final List<String> KEYS =
      List.of("process", "thread", "event", "cpu", "provider", "file");

  /** Memory of the heap for each thread: open buffers, and groups of stretches that are done. */
  private static final long THREAD_BYTES = 256L << 20;

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

  /** Fields that say how many bytes of its file an operation read or wrote. */
  private static final List<String> FILE_SIZES = List.of("IoSize", "TransferSize");

  /** Sums of one group while it is counted. */
  private static final class Sum {
    final List<FieldSum> fields;
    long count;
    long bytes;

    Sum(int fields) {
      this.fields = FieldSum.none(fields);
    }

    void add(Sum other) {
      count += other.count;
      bytes += other.bytes;
      FieldSum.add(fields, other.fields);
    }

    List<FieldSum> kept(int[] numbers) {
      return Arrays.stream(numbers).mapToObj(fields::get).toList();
    }
  }

  /** The events of a stretch of time, and then of all before it. */
  private static final class Part implements EventStretches.Part {
    /** Groups in the order of their first events, of which the first are kept apart. */
    final Map<Key, Sum> groups = new LinkedHashMap<>();

    final SchemaSourceCounts sources = new SchemaSourceCounts();
    final FieldNames fields = new FieldNames();
    final Sum others;
    private final Request request;
    long records;
    long stackRecords;
    long bytes;

    Part(Request request) {
      this.request = request;
      this.others = new Sum(request.added.size());
    }

    @Override
    public void add(EventReader event, boolean hasStack) {
      fields.meet(event.type());
      records++;
      stackRecords += event.type().isStackRecord() ? 1 : 0;
      sources.add(event.type());
      int size = event.record().size();
      bytes += size;
      Key key = key(event, request);
      Sum sum = groups.get(key);
      if (sum == null) {
        sum = groups.size() < MOST ? new Sum(request.added.size()) : others;
        if (sum != others) {
          groups.put(key, sum);
        }
      }
      sum.count++;
      sum.bytes += size;
      FieldSum.add(sum.fields, request.added, event);
    }

    void add(Part later) {
      fields.addSeen(later.fields);
      records += later.records;
      stackRecords += later.stackRecords;
      bytes += later.bytes;
      sources.add(later.sources);
      others.add(later.others);
      later.groups.forEach((key, sum) -> {
        Sum known = groups.get(key);
        if (known != null) {
          known.add(sum);
        } else if (groups.size() < MOST) {
          groups.put(key, sum);
        } else {
          others.add(sum);
        }
      });
    }
  }

  /**
   * Choice of groups, and of fields that are added up.
   *
   * @param by what the events of a group share, as it was asked for
   * @param key the same in lower case
   * @param added names of fields that are added up
   */
  private record Request(String by, String key, List<String> added) {}

  /**
   * Returns true if groups or sums are of fields, which are not known of events without a schema.
   */
  public static boolean asksFields(String by, List<String> added) {
    String key = by.toLowerCase(Locale.ROOT);
    return !added.isEmpty() || key.equals("file") || !KEYS.contains(key);
  }

  /**
   * Counts events, and adds up fields, on as many cores as the events may use.
   *
   * @param added names of the fields; rows are sorted by the first one, the largest first, or
   *     without one by their counts. By file without any: the sizes that events have
   */
  public static EventGroups of(EventStretches events, String by, List<String> added) {
    String key = by.toLowerCase(Locale.ROOT);
    boolean asked = !added.isEmpty() || !key.equals("file");
    Request request = new Request(by, key, asked ? added : FILE_SIZES);
    Part all = new Part(request);
    events.run(false, THREAD_BYTES, () -> new Part(request), all::add);
    return all(all, request, asked);
  }

  private static EventGroups all(Part part, Request request, boolean asked) {
    List<String> added = request.added;
    List<String> there = asked ? added : added.stream().filter(part.fields::has).toList();
    int[] kept = there.stream().mapToInt(added::indexOf).toArray();
    boolean bySum = asked && !added.isEmpty();
    List<Row> rows = new ArrayList<>();
    part.groups.forEach(
        (key, sum) -> rows.add(new Row(key.text, key.id, sum.count, sum.bytes, sum.kept(kept))));
    rows.sort(
        Comparator.comparingDouble((Row row) -> bySum ? -row.sums.getFirst().size() : 0)
            .thenComparingLong(row -> -row.count)
            .thenComparing(row -> row.key == null ? "" : row.key)
            .thenComparingLong(Row::id));
    return new EventGroups(
        part.records,
        part.stackRecords,
        part.bytes,
        List.copyOf(rows),
        part.others.count,
        part.others.kept(kept),
        List.copyOf(there),
        unmatched(request.by, there, part.fields),
        part.sources);
  }

  private static List<UnmatchedTerm> unmatched(String by, List<String> added, FieldNames fields) {
    List<UnmatchedTerm> terms = new ArrayList<>(fields.unmatched(added));
    if (KEYS.contains(by.toLowerCase(Locale.ROOT))) {
      return terms;
    }
    if (fields.isOwnToo(by)) {
      terms.addAll(fields.unmatched(List.of(by)));
    } else if (fields.lacks(by)) {
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

  private static Key key(EventReader event, Request request) {
    return switch (request.key) {
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
        FilterExpression.Value value = new EventValues(event).value(request.by);
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

package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.ReadingState;
import io.ntrail.analysis.etw.recording.Stretches;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.analysis.parallel.OrderedTasks;
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

  /** Bytes of a stretch at least: each opens the buffers again that it shares with others. */
  private static final long STRETCH_BYTES = 4 * Stretches.LEAST;

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
  private static final class Part {
    /** Groups in the order of their first events, of which the first are kept apart. */
    final Map<Key, Sum> groups = new LinkedHashMap<>();

    final SchemaSourceCounts sources = new SchemaSourceCounts();
    final Sum others;
    final long from;
    long records;
    long stackRecords;
    long bytes;

    Part(long from, int fields) {
      this.from = from;
      this.others = new Sum(fields);
    }

    void add(EventReader event, Request request) {
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
   * Choice of events, their groups, and fields that are added up.
   *
   * @param by what the events of a group share, as it was asked for
   * @param key the same in lower case
   * @param added names of fields that are added up
   */
  private record Request(
      EventFilter filter,
      long fromNanos,
      long toNanos,
      String by,
      String key,
      List<String> added,
      FieldNames fields) {
    boolean isWhole() {
      return fromNanos == Long.MIN_VALUE && toNanos == Long.MAX_VALUE;
    }

    boolean contains(long nanos) {
      return nanos >= fromNanos && (nanos < toNanos || toNanos == Long.MAX_VALUE);
    }
  }

  /** Counts stretch after stretch, for one of several threads. */
  private static final class Counter implements OrderedTasks.Worker<Part> {
    private final EtwRecording recording;
    private final Stretches stretches;
    private final Events.Stretch stretch;
    private final boolean canSkip;
    private final Request request;
    private final EventFilter filter;
    private final FieldNames fields = new FieldNames();

    Counter(Events events, Stretches stretches, Request request) {
      this.recording = events.recording();
      this.stretches = stretches;
      this.stretch = events.stretch();
      this.canSkip = events.knowsSwitches();
      this.request = request;
      this.filter = request.filter.copy();
    }

    @Override
    public Part result(int task) {
      Part part = new Part(stretches.from(task), request.added.size());
      if (isOutside(task)) {
        return part;
      }
      boolean isWhole = request.isWhole();
      boolean passesAll = filter.passesAll();
      stretch.begin(stretches.from(task), stretches.to(task));
      EventReader event = stretch.event();
      while (stretch.next()) {
        if ((isWhole || request.contains(event.nanos())) && (passesAll || filter.passes(event))) {
          fields.meet(event.type());
          part.add(event, request);
        }
      }
      return part;
    }

    private boolean isOutside(int task) {
      boolean isAfter =
          task > 0
              && request.toNanos < Long.MAX_VALUE
              && recording.nanosOf(stretches.from(task)) >= request.toNanos;
      return isAfter
          || canSkip
              && task + 1 < stretches.count()
              && recording.nanosOf(stretches.to(task)) < request.fromNanos;
    }

    @Override
    public void close() {
      stretch.close();
      request.filter.addSeen(filter);
      request.fields.addSeen(fields);
    }
  }

  /**
   * Returns true if groups or sums are of fields, which are not known of events without a schema.
   */
  public static boolean asksFields(String by, List<String> added) {
    String key = by.toLowerCase(Locale.ROOT);
    return !added.isEmpty() || key.equals("file") || !KEYS.contains(key);
  }

  /**
   * Returns what a survey must learn so that as many threads can count as there are cores.
   *
   * @param cores number of threads
   */
  public static Events.Learn[] learned(EtwRecording recording, int cores) {
    return cores > 1 && recording.size() > STRETCH_BYTES
        ? new Events.Learn[] {Events.Learn.SWITCHES}
        : new Events.Learn[0];
  }

  /**
   * Counts what a filter lets through, and adds up fields, on as many cores as the events may use.
   *
   * @param events those of one thread, unless {@link #learned} was learned for more
   * @param fromNanos the first time
   * @param toNanos the time before which it ends
   * @param added names of the fields; rows are sorted by the first one, the largest first, or
   *     without one by their counts. By file without any: the sizes that events have
   */
  public static EventGroups of(
      Events events,
      EventFilter filter,
      long fromNanos,
      long toNanos,
      String by,
      List<String> added) {
    return of(events, filter, fromNanos, toNanos, by, added, STRETCH_BYTES);
  }

  /**
   * Counts in stretches of a length.
   *
   * @param stretchBytes bytes of a stretch at least
   */
  static EventGroups of(
      Events events,
      EventFilter filter,
      long fromNanos,
      long toNanos,
      String by,
      List<String> added,
      long stretchBytes) {
    String key = by.toLowerCase(Locale.ROOT);
    boolean asked = !added.isEmpty() || !key.equals("file");
    List<String> sums = asked ? added : FILE_SIZES;
    Request request = new Request(filter, fromNanos, toNanos, by, key, sums, new FieldNames());
    Part all = counted(events, request, stretchBytes);
    filter.finished();
    return all(all, request, asked);
  }

  private static Part counted(Events events, Request request, long stretchBytes) {
    EtwRecording recording = events.recording();
    ReadingState reading = recording.reading();
    Stretches stretches = Stretches.of(recording, events.cores(), stretchBytes);
    int threads = threads(events, stretches);
    Part all = new Part(Long.MIN_VALUE, request.added.size());
    reading.begin(ReadingState.Pass.IN_ORDER, stretches.count());
    OrderedTasks.run(
        threads,
        stretches.count(),
        threads + 1,
        () -> new Counter(events, stretches, request),
        part -> {
          // Where reading was stopped, all that is counted ends: others may have been further.
          if (recording.isRead(part.from)) {
            all.add(part);
          }
          reading.done(1);
        });
    return all;
  }

  private static int threads(Events events, Stretches stretches) {
    long room = Runtime.getRuntime().maxMemory() / THREAD_BYTES;
    return events.knowsSwitches() && room > 1
        ? (int) Math.min(stretches.threads(events.cores()), room)
        : 0;
  }

  private static EventGroups all(Part part, Request request, boolean asked) {
    List<String> added = request.added;
    List<String> there = asked ? added : added.stream().filter(request.fields::has).toList();
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
        unmatched(request.by, there, request.fields),
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

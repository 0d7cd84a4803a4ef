package io.ntrail.testkit.etl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sums of a {@link BigProfile}, kept while it was written: over the whole recording, and over ten
 * slices of equal length that follow each other and cover all of it.
 */
public final class ProfileTruth {
  private static final int SLICES = 10;
  private static final int BUCKETS = 4096;
  private static final long NANOS_OF_TICK = 100;

  private static final int NAMES = ProfileStacks.NAMES.size();
  private static final int MODULES = ProfileStacks.MODULES + 1;
  private static final int BUSY = 0;
  private static final int IDLE = 1;
  private static final int DISK_COUNT = 2;
  private static final int DISK_NANOS = 3;
  private static final int DISK_BYTES = 4;
  private static final int PROCESS = 5;
  private static final int SELF = PROCESS + NAMES;
  private static final int INCLUSIVE = SELF + MODULES;
  private static final int COLUMNS = INCLUSIVE + MODULES;

  /**
   * Sums over the events with {@code fromNanos <= time < toNanos}, times counted from the header
   * record's. Names with nothing are left out.
   *
   * @param busy samples that are not idle
   * @param samplesByProcess busy samples by the process's name
   * @param selfByModule busy samples by the file name of the innermost frame's image
   * @param inclusiveByModule busy samples by the file name of any frame's image, once per sample
   * @param diskCount completions
   */
  public record Sums(
      long fromNanos,
      long toNanos,
      long busy,
      long idle,
      Map<String, Long> samplesByProcess,
      Map<String, Long> selfByModule,
      Map<String, Long> inclusiveByModule,
      long diskCount,
      long diskNanos,
      long diskBytes) {}

  private final String[] moduleNames = ProfileStacks.moduleNames();
  private final long startTicks;
  private final Map<String, Long> counts = new LinkedHashMap<>();
  private final long[] diskNanosOf = new long[NAMES];
  private final long[] waitNanosOf = new long[NAMES];
  private long[][] buckets = new long[BUCKETS][];
  private long waits;
  private long width = 1 << 8;
  private int last;
  private long rowFrom;
  private long rowTo;
  private long[] row = {};

  ProfileTruth(long startTicks) {
    this.startTicks = startTicks;
  }

  /** Makes the row of a time the current one; times come in order. */
  private long[] row(long time) {
    if (time < rowFrom || time >= rowTo) {
      while ((time - startTicks) / width >= BUCKETS) {
        halve();
      }
      last = (int) ((time - startTicks) / width);
      rowFrom = startTicks + last * width;
      rowTo = rowFrom + width;
      if (buckets[last] == null) {
        buckets[last] = new long[COLUMNS];
      }
      row = buckets[last];
    }
    return row;
  }

  private void halve() {
    long[][] wider = new long[BUCKETS][];
    for (int i = 0; i < BUCKETS; i++) {
      if (buckets[i] != null) {
        if (wider[i / 2] == null) {
          wider[i / 2] = buckets[i];
        } else {
          add(buckets[i], wider[i / 2]);
        }
      }
    }
    buckets = wider;
    width *= 2;
  }

  private static void add(long[] from, long[] to) {
    for (int i = 0; i < COLUMNS; i++) {
      to[i] += from[i];
    }
  }

  void idle(long time) {
    row(time)[IDLE]++;
  }

  /**
   * A busy sample.
   *
   * @param name of its process, an index
   * @param self the module of its innermost frame
   * @param modules a bit for each module of its stack
   */
  void busy(long time, int name, int self, long modules) {
    long[] to = row(time);
    to[BUSY]++;
    to[PROCESS + name]++;
    to[SELF + self]++;
    for (long left = modules | 1L << self; left != 0; left &= left - 1) {
      to[INCLUSIVE + Long.numberOfTrailingZeros(left)]++;
    }
  }

  void disk(long time, int name, long ticks, long bytes) {
    long[] to = row(time);
    to[DISK_COUNT]++;
    to[DISK_NANOS] += ticks * NANOS_OF_TICK;
    to[DISK_BYTES] += bytes;
    diskNanosOf[name] += ticks * NANOS_OF_TICK;
  }

  void waited(int name, long ticks) {
    waitNanosOf[name] += ticks * NANOS_OF_TICK;
    waits++;
  }

  void count(String what, long many) {
    counts.merge(what, many, Long::sum);
  }

  /** Ends the slices after this time. */
  void end(long time) {
    row(time);
    count("waits", waits);
  }

  /** Returns the counts of the file's contents by name. */
  public Map<String, Long> counts() {
    return Map.copyOf(counts);
  }

  /** Response times of the disk by the name of the thread's process at the completion. */
  public Map<String, Long> diskNanosByProcess() {
    return byName(diskNanosOf, 0, NAMES, ProfileStacks.NAMES);
  }

  /** Times from switch-out to switch-in of threads that waited, by the name of their process. */
  public Map<String, Long> waitNanosByProcess() {
    return byName(waitNanosOf, 0, NAMES, ProfileStacks.NAMES);
  }

  /** The sums over the whole recording. */
  public Sums total() {
    return sums(0, SLICES * slice());
  }

  /** The sums of ten slices of equal length; the last one may reach beyond the last event. */
  public List<Sums> slices() {
    List<Sums> out = new ArrayList<>();
    for (int i = 0; i < SLICES; i++) {
      out.add(sums(i * slice(), (i + 1) * slice()));
    }
    return List.copyOf(out);
  }

  /** Buckets of a slice. */
  private int slice() {
    return last / SLICES + 1;
  }

  private Sums sums(int from, int to) {
    long[] sum = new long[COLUMNS];
    for (int i = from; i < to && i < BUCKETS; i++) {
      if (buckets[i] != null) {
        add(buckets[i], sum);
      }
    }
    List<String> modules = List.of(moduleNames);
    return new Sums(
        from * width * NANOS_OF_TICK,
        to * width * NANOS_OF_TICK,
        sum[BUSY],
        sum[IDLE],
        byName(sum, PROCESS, NAMES, ProfileStacks.NAMES),
        byName(sum, SELF, MODULES, modules),
        byName(sum, INCLUSIVE, MODULES, modules),
        sum[DISK_COUNT],
        sum[DISK_NANOS],
        sum[DISK_BYTES]);
  }

  private static Map<String, Long> byName(long[] sums, int from, int many, List<String> names) {
    Map<String, Long> out = new TreeMap<>();
    for (int i = 0; i < many; i++) {
      if (sums[from + i] != 0) {
        out.put(names.get(i), sums[from + i]);
      }
    }
    return out;
  }

  /** All of it as one JSON object; slice borders are decimal seconds after the header record. */
  public String json() {
    StringBuilder out = new StringBuilder(1 << 16).append("{\n");
    counts.forEach((name, value) -> member(out, "  ", name, value));
    member(out, "  ", "diskNanosByProcess", diskNanosByProcess());
    member(out, "  ", "waitNanosByProcess", waitNanosByProcess());
    out.append("  \"total\": ");
    sums(out, total());
    out.append(",\n  \"slices\": [\n");
    String comma = "";
    for (Sums slice : slices()) {
      out.append(comma).append("  ");
      sums(out, slice);
      comma = ",\n";
    }
    return out.append("\n  ]\n}\n").toString();
  }

  private static void sums(StringBuilder out, Sums sums) {
    out.append("{\n    \"from\": \"").append(seconds(sums.fromNanos));
    out.append("\",\n    \"to\": \"").append(seconds(sums.toNanos)).append("\",\n");
    member(out, "    ", "busy", sums.busy);
    member(out, "    ", "idle", sums.idle);
    member(out, "    ", "diskCount", sums.diskCount);
    member(out, "    ", "diskNanos", sums.diskNanos);
    member(out, "    ", "diskBytes", sums.diskBytes);
    member(out, "    ", "samplesByProcess", sums.samplesByProcess);
    member(out, "    ", "selfByModule", sums.selfByModule);
    member(out, "    ", "inclusiveByModule", sums.inclusiveByModule);
    out.setLength(out.length() - 2);
    out.append("\n  }");
  }

  /** Seconds with nine digits after the point, exactly. */
  static String seconds(long nanos) {
    String digits = Long.toString(1_000_000_000 + nanos % 1_000_000_000);
    return nanos / 1_000_000_000 + "." + digits.substring(1);
  }

  private static void member(StringBuilder out, String indent, String name, long value) {
    out.append(indent).append('"').append(name).append("\": ").append(value).append(",\n");
  }

  private static void member(
      StringBuilder out, String indent, String name, Map<String, Long> values) {
    out.append(indent).append('"').append(name).append("\": {");
    String comma = "";
    for (Map.Entry<String, Long> value : values.entrySet()) {
      out.append(comma).append('"').append(value.getKey()).append("\": ").append(value.getValue());
      comma = ", ";
    }
    out.append("},\n");
  }
}

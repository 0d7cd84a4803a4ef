package io.ntrail.testkit.profile;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Query of a profile; starts as the whole recording by function in the metric's own unit.
 *
 * @param metric cpu, pmc, wait, ready, disk, file, fault or alloc
 * @param unit null: the metric's own
 * @param source of pmc a number, of alloc gc, heap, virtual or pool; null: the default
 * @param fromNanos where the range begins, null: at the beginning
 * @param toNanos before which time it ends, null: at the end
 * @param pid the only process that counts, or null
 * @param by function, module, process, thread or cpu
 */
public record ProfileQuery(
    String metric,
    @Nullable String unit,
    @Nullable String source,
    @Nullable Long fromNanos,
    @Nullable Long toNanos,
    @Nullable Long pid,
    String by) {

  /** The whole recording by function. */
  public static ProfileQuery of(String metric) {
    return new ProfileQuery(metric, null, null, null, null, null, "function");
  }

  /** In another unit. */
  public ProfileQuery unit(String value) {
    return new ProfileQuery(metric, value, source, fromNanos, toNanos, pid, by);
  }

  /** Of another source. */
  public ProfileQuery source(String value) {
    return new ProfileQuery(metric, unit, value, fromNanos, toNanos, pid, by);
  }

  /** Of a range of time. */
  public ProfileQuery time(@Nullable Long from, @Nullable Long to) {
    return new ProfileQuery(metric, unit, source, from, to, pid, by);
  }

  /** Of one process id. */
  public ProfileQuery process(long value) {
    return new ProfileQuery(metric, unit, source, fromNanos, toNanos, value, by);
  }

  /** With other rows. */
  public ProfileQuery by(String value) {
    return new ProfileQuery(metric, unit, source, fromNanos, toNanos, pid, value);
  }

  /** The words of the command line that ask the same, after the name of the file. */
  public List<String> words() {
    List<String> words = new ArrayList<>(List.of("--metric", metric, "--by", by));
    if (unit != null) {
      words.addAll(List.of("--unit", unit));
    }
    if (source != null) {
      words.addAll(List.of("--source", source));
    }
    if (fromNanos != null || toNanos != null) {
      String from = fromNanos == null ? "" : fromNanos + "ns";
      String to = toNanos == null ? "" : toNanos + "ns";
      words.addAll(List.of("--time", from + ".." + to));
    }
    if (pid != null) {
      words.addAll(List.of("-p", String.valueOf(pid)));
    }
    return words;
  }
}

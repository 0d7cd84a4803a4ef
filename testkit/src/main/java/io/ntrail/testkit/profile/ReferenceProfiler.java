package io.ntrail.testkit.profile;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The profile of a recording as docs/profile.md has it, worked out plainly: everything is held in
 * memory and every question goes through all of it.
 *
 * <pre>{@code
 * ProfileTable table = ReferenceProfiler.of(bytes).table(ProfileQuery.of("wait").by("thread"));
 * }</pre>
 */
public final class ReferenceProfiler {
  final ReferenceEtlReader file;
  final ProcessLifetimes lives;
  final StackMatcher stacks;
  private final LoadedCode code;

  private ReferenceProfiler(byte[] bytes) {
    file = new ReferenceEtlReader(bytes);
    lives = new ProcessLifetimes(file.records);
    code = new LoadedCode(file, lives);
    stacks = new StackMatcher(file.records, lives, code);
  }

  /** The profile of an undamaged recording with the performance counter's clock. */
  public static ReferenceProfiler of(byte[] file) {
    return new ReferenceProfiler(file);
  }

  private Weight.Found found(ProfileQuery query) {
    String unit = query.unit();
    return switch (query.metric()) {
      case "cpu" -> new SampleMetrics(this, unit).cpu();
      case "pmc" -> new SampleMetrics(this, unit).pmc(query.source());
      case "wait" -> SwitchMetrics.of(this, true);
      case "ready" -> SwitchMetrics.of(this, false);
      case "disk" -> TransferMetrics.disk(this, unit);
      case "file" -> TransferMetrics.file(this, unit);
      case "fault" -> new SampleMetrics(this, unit).faults();
      case "alloc" -> new SampleMetrics(this, unit).allocations(query.source());
      default -> throw new IllegalArgumentException(query.metric());
    };
  }

  private boolean inRange(ProfileQuery query, Weight weight) {
    long time = file.sinceStart(weight.at());
    Long from = query.fromNanos();
    Long to = query.toNanos();
    Long pid = query.pid();
    return (from == null || from <= time)
        && (to == null || time < to)
        && (pid == null || pid == weight.pid());
  }

  /** The answer to a question. */
  public ProfileTable table(ProfileQuery query) {
    Weight.Found found = found(query);
    BigInteger total = BigInteger.ZERO;
    BigInteger idle = BigInteger.ZERO;
    Map<String, BigInteger> self = new TreeMap<>();
    Map<String, BigInteger> inclusive = new TreeMap<>();
    for (Weight weight : found.weights()) {
      if (!inRange(query, weight)) {
        continue;
      }
      BigInteger raw = BigInteger.valueOf(weight.value());
      // Each weight is whole nanoseconds, so that rows add up to the total.
      BigInteger value = found.ticks() ? BigInteger.valueOf(file.nanos(raw)) : raw;
      if (weight.idle()) {
        idle = idle.add(value);
        continue;
      }
      total = total.add(value);
      String innermost = null;
      Set<String> names = new HashSet<>();
      if (query.by().equals("function") || query.by().equals("module")) {
        for (long address : weight.stack().frames()) {
          LoadedCode.Place place = code.at(weight.stack().pid(), address, weight.stack().ordinal());
          String name = query.by().equals("module") ? place.module() : place.function();
          innermost = innermost == null ? name : innermost;
          names.add(name);
        }
      } else {
        innermost = key(query.by(), weight);
        names.add(innermost);
      }
      if (innermost != null) {
        self.merge(innermost, value, BigInteger::add);
      }
      names.forEach(name -> inclusive.merge(name, value, BigInteger::add));
    }
    ProfileTable table = new ProfileTable(total.longValueExact(), idle.longValueExact());
    inclusive.forEach((name, sum) ->
        table.row(
            name, self.getOrDefault(name, BigInteger.ZERO).longValueExact(), sum.longValueExact()));
    found.counters().forEach(table::counter);
    return table.counter("unmatched", stacks.unmatched).counter("missing", stacks.missing);
  }

  private String key(String by, Weight weight) {
    String pid = weight.pid() == OrderedRecord.NONE ? "?" : String.valueOf(weight.pid());
    String tid = weight.tid() == OrderedRecord.NONE ? "?" : String.valueOf(weight.tid());
    return switch (by) {
      case "process" -> lives.name(weight.pid(), weight.since().ordinal) + ":" + pid;
      case "thread" -> pid + "/" + tid;
      case "cpu" -> String.valueOf(weight.at().cpu);
      default -> throw new IllegalArgumentException(by);
    };
  }
}

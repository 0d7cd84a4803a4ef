package io.ntrail.analysis.profile;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Weights by whose they are: process, thread or CPU. */
public final class OwnerProfile implements ProfileAggregator {
  /** What weights can be put together by. */
  public enum By {
    PROCESS,
    THREAD,
    CPU
  }

  /**
   * @param number of the process, since ids are used again; -1 if nobody tells it
   */
  private record Owner(int number, int process, int thread, int cpu) {}

  private static final class Sum {
    long weight;
  }

  private final Machine machine;
  private final By by;
  private final Map<Owner, Sum> sums = new HashMap<>();

  /** Empty. */
  public OwnerProfile(Machine machine, By by) {
    this.machine = machine;
    this.by = by;
  }

  @Override
  public void add(WeightedStack stack) {
    sums.computeIfAbsent(owner(stack), _ -> new Sum()).weight += stack.weight;
  }

  private Owner owner(WeightedStack stack) {
    if (by == By.CPU) {
      return new Owner(-1, RecordCursor.NO_ID, RecordCursor.NO_ID, stack.cpu);
    }
    int number =
        stack.process == RecordCursor.NO_ID ? -1 : machine.processNumber(stack.process, stack.key);
    int thread = by == By.THREAD ? stack.thread : RecordCursor.NO_ID;
    return new Owner(number, stack.process, thread, -1);
  }

  /** The rows, heaviest first. */
  public List<ProfileRow> rows() {
    List<ProfileRow> rows = new ArrayList<>();
    sums.forEach((owner, sum) -> {
      if (sum.weight != 0) {
        rows.add(row(owner, sum.weight));
      }
    });
    rows.sort(ProfileRow.order(true));
    return rows;
  }

  private ProfileRow row(Owner owner, long weight) {
    if (by == By.CPU) {
      return new ProfileRow(null, null, null, owner.cpu, null, null, null, -1, weight, weight);
    }
    return new ProfileRow(
        name(machine, owner.number, owner.process),
        id(owner.process),
        by == By.THREAD ? id(owner.thread) : null,
        null,
        null,
        null,
        null,
        -1,
        weight,
        weight);
  }

  private static @Nullable Integer id(int id) {
    return id == RecordCursor.NO_ID ? null : id;
  }

  static @Nullable String name(Machine machine, int number, int process) {
    if (number >= 0) {
      return machine.processOfNumber(number).image();
    }
    ProcessInstance life = process == 0 ? machine.process(0, Long.MIN_VALUE) : null;
    return life == null ? null : life.image();
  }
}

package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.ProcessNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Weights by process, thread or CPU. */
public final class OwnerProfile implements ProfileAggregator {
  /** Owner that weights are summed by. */
  public enum By {
    PROCESS,
    THREAD,
    CPU
  }

  /**
   * Owner of weights.
   *
   * @param number of the process, since ids are used again; -1 if unknown
   */
  private record Owner(int number, int process, int thread, int cpu) {}

  private static final class Sum {
    long weight;
  }

  private final ProcessNames names;
  private final By by;
  private final Map<Owner, Sum> sums = new HashMap<>();

  /** Creates a profile without weights. */
  public OwnerProfile(ProcessNames names, By by) {
    this.names = names;
    this.by = by;
  }

  @Override
  public void add(WeightedStack stack) {
    sums.computeIfAbsent(owner(stack), _ -> new Sum()).weight += stack.weight();
  }

  private Owner owner(WeightedStack stack) {
    if (by == By.CPU) {
      return new Owner(-1, ProcessNames.NO_ID, ProcessNames.NO_ID, stack.cpu());
    }
    int number =
        stack.process() == ProcessNames.NO_ID
            ? -1
            : names.processNumber(stack.process(), stack.key());
    int thread = by == By.THREAD ? stack.thread() : ProcessNames.NO_ID;
    return new Owner(number, stack.process(), thread, -1);
  }

  /** Returns the rows, heaviest first. */
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
        names.processName(owner.number, owner.process),
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
    return id == ProcessNames.NO_ID ? null : id;
  }
}

package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.ProcessNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Weights by process, thread, CPU, or by what their events are about. */
public final class OwnerProfile implements ProfileAggregator {
  /** Owner that weights are summed by. */
  public enum By {
    PROCESS,
    THREAD,
    CPU,
    /** By file: {@link WeightSubject#FILE}. */
    FILE,
    /** By type of object: {@link WeightSubject#TYPE}. */
    TYPE;

    /** Returns what weights must be told apart by. */
    public WeightSubject subject() {
      return switch (this) {
        case PROCESS, THREAD, CPU -> WeightSubject.NONE;
        case FILE -> WeightSubject.FILE;
        case TYPE -> WeightSubject.TYPE;
      };
    }
  }

  /** Rows that are kept; what more there are, is one row. */
  private static final int MOST = 1 << 18;

  private static final String BEYOND = "(beyond the first %,d)".formatted(MOST);

  /**
   * Owner of weights.
   *
   * @param number of the process, since ids are used again; -1 if unknown
   */
  private record Owner(int number, int process, int thread, int cpu, @Nullable String subject) {
    static Owner of(@Nullable String subject) {
      return new Owner(-1, ProcessNames.NO_ID, ProcessNames.NO_ID, -1, subject);
    }
  }

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
    Owner owner = owner(stack);
    if (by.subject() != WeightSubject.NONE && sums.size() >= MOST && !sums.containsKey(owner)) {
      owner = Owner.of(BEYOND);
    }
    sums.computeIfAbsent(owner, _ -> new Sum()).weight += stack.weight();
  }

  private Owner owner(WeightedStack stack) {
    if (by == By.CPU) {
      return new Owner(-1, ProcessNames.NO_ID, ProcessNames.NO_ID, stack.cpu(), null);
    }
    if (by.subject() != WeightSubject.NONE) {
      return Owner.of(stack.subject());
    }
    int number =
        stack.process() == ProcessNames.NO_ID
            ? -1
            : names.processNumber(stack.process(), stack.key());
    int thread = by == By.THREAD ? stack.thread() : ProcessNames.NO_ID;
    return new Owner(number, stack.process(), thread, -1, null);
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
    if (by.subject() != WeightSubject.NONE) {
      return new ProfileRow(owner.subject, weight);
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

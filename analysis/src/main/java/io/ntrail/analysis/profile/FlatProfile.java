package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.FunctionIndex.SourceLine;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Weights by function or module: of stacks whose innermost frame is one of it, and of stacks that
 * it is in at all. A stack counts once, however often it goes through it.
 */
public final class FlatProfile implements SharedShape {
  private final FunctionIndex functions;
  private final boolean byModule;
  private final Columns sums = new Columns(256);
  private final LongColumn self = sums.longs();
  private final LongColumn inclusive = sums.longs();

  /** Number of the last stack that went through each. */
  private final IntColumn seen = sums.ints();

  private int stacks;
  private @Nullable StackPartSums keyed;

  /** Number of profiles of the same stacks, which share the memory. */
  private final int sharers;

  /** Creates an empty profile by function, or by module. */
  public FlatProfile(FunctionIndex functions, boolean byModule) {
    this(functions, byModule, 1);
  }

  private FlatProfile(FunctionIndex functions, boolean byModule, int sharers) {
    this.functions = functions;
    this.byModule = byModule;
    this.sharers = sharers;
  }

  /** A profile by numbers of its own. */
  private final class Part implements Share {
    private final FrameLookup names;
    private final FrameLookup ofAll;
    private final StackParts parts;
    private final FlatProfile profile;

    Part(FrameLookup ofAll, StackParts parts, int sharers) {
      this.names = ofAll.another();
      this.ofAll = ofAll;
      this.parts = parts;
      this.profile = new FlatProfile(names.functions(), byModule, sharers);
    }

    @Override
    public FrameLookup names() {
      return names;
    }

    @Override
    public void add(WeightedStack stack) {
      profile.add(stack);
    }

    @Override
    public void expect(int part) {
      profile.expect(part);
    }

    @Override
    public void finish() {
      StackPartSums others = profile.keyed;
      if (others != null) {
        StackPartSums all = keyed;
        if (all == null) {
          all = new StackPartSums(ofAll, parts, sharers);
          keyed = all;
        }
        all.addAll(others);
      }
      int[] numbers =
          byModule
              ? functions.moduleNumbers(profile.functions)
              : functions.numbers(profile.functions);
      grow();
      for (int i = 0; i < profile.sums.rows(); i++) {
        self.add(numbers[i], profile.self.get(i));
        inclusive.add(numbers[i], profile.inclusive.get(i));
      }
    }
  }

  @Override
  public Share share(FrameLookup names, StackParts parts, int sharers) {
    return new Part(names, parts, sharers);
  }

  @Override
  public void add(WeightedStack stack) {
    if (stack.parts() > 0 && stack.names().isAdditive()) {
      StackPartSums parts = keyed;
      if (parts == null) {
        parts = new StackPartSums(stack.names(), stack.stacks(), sharers);
        keyed = parts;
      }
      if (parts.add(stack)) {
        return;
      }
    }
    add(stack.functions(), stack.weight(), stack.weight());
  }

  @Override
  public void expect(int part) {
    StackPartSums parts = keyed;
    if (parts != null) {
      parts.touch(part);
    }
  }

  private void add(IntList frames, long selfWeight, long weight) {
    grow();
    int[] last = seen.array();
    if (++stacks == 0) {
      Arrays.fill(last, 0);
      stacks = 1;
    }
    if (frames.isEmpty()) {
      int none = byModule ? FunctionIndex.NO_STACK : FunctionIndex.NO_STACK_FUNCTION;
      self.add(none, selfWeight);
      inclusive.add(none, weight);
      return;
    }
    for (int i = 0; i < frames.size(); i++) {
      int number = byModule ? functions.module(frames.get(i)) : frames.get(i);
      if (last[number] != stacks) {
        last[number] = stacks;
        inclusive.add(number, weight);
      }
    }
    int innermost = frames.get(0);
    self.add(byModule ? functions.module(innermost) : innermost, selfWeight);
  }

  private void grow() {
    int needed = byModule ? functions.moduleCount() : functions.count();
    while (sums.rows() < needed) {
      sums.add();
    }
  }

  /**
   * Returns the rows, heaviest first.
   *
   * @param bySelf whether by what they weigh themselves, or else with all that they call
   */
  public List<ProfileRow> rows(boolean bySelf) {
    return rows(bySelf, 1);
  }

  /**
   * Returns the rows, heaviest first.
   *
   * @param bySelf whether by what they weigh themselves, or else with all that they call
   * @param cores threads to use
   */
  public List<ProfileRow> rows(boolean bySelf, int cores) {
    settle(cores);
    List<ProfileRow> rows = new ArrayList<>();
    for (int i = 0; i < sums.rows(); i++) {
      if (inclusive.get(i) != 0 || self.get(i) != 0) {
        rows.add(row(i));
      }
    }
    rows.sort(ProfileRow.order(bySelf));
    return rows;
  }

  /** Adds what was summed by parts of stacks. */
  private void settle(int cores) {
    StackPartSums summed = keyed;
    if (summed == null) {
      return;
    }
    Queue<Part> others = new ConcurrentLinkedQueue<>();
    summed.settle(
        this::add,
        cores,
        () -> {
          Part other = new Part(summed.names(), summed.stacks(), 1);
          others.add(other);
          return new StackPartSums.Naming(other.names, other.profile::add);
        });
    others.forEach(Part::finish);
  }

  private ProfileRow row(int i) {
    String module = functions.moduleName(byModule ? i : functions.module(i));
    @Nullable String function = byModule ? null : functions.name(i);
    long rva = byModule ? -1 : functions.rva(i);
    @Nullable SourceLine line = byModule ? null : functions.line(i);
    return new ProfileRow(
        null, null, null, null, module, function, line, rva, self.get(i), inclusive.get(i));
  }
}

package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.FunctionIndex.SourceLine;
import io.ntrail.analysis.naming.FunctionList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Weights by function or module: of stacks whose innermost frame is one of it, and of stacks that
 * it is in at all. A stack counts once, however often it goes through it.
 */
public final class FlatProfile implements ProfileAggregator {
  private final FunctionIndex functions;
  private final boolean byModule;
  private long[] self = new long[256];
  private long[] inclusive = new long[256];
  private int[] seen = new int[256];
  private int stacks;
  private @Nullable StackPartSums keyed;

  /** Creates an empty profile by function, or by module. */
  public FlatProfile(FunctionIndex functions, boolean byModule) {
    this.functions = functions;
    this.byModule = byModule;
  }

  @Override
  public void add(WeightedStack stack) {
    if (stack.parts() > 0 && stack.names().isAdditive()) {
      StackPartSums sums = keyed;
      if (sums == null) {
        sums = new StackPartSums(stack.names(), stack.stacks(), this::add);
        keyed = sums;
      }
      if (sums.add(stack)) {
        return;
      }
    }
    add(stack.functions(), stack.weight(), stack.weight());
  }

  private void add(FunctionList frames, long selfWeight, long weight) {
    int needed = byModule ? functions.moduleCount() : functions.count();
    if (needed > self.length) {
      int capacity = Math.max(needed, 2 * self.length);
      self = Arrays.copyOf(self, capacity);
      inclusive = Arrays.copyOf(inclusive, capacity);
      seen = Arrays.copyOf(seen, capacity);
    }
    if (++stacks == 0) {
      Arrays.fill(seen, 0);
      stacks = 1;
    }
    if (frames.count() == 0) {
      int none = byModule ? FunctionIndex.NO_STACK : FunctionIndex.NO_STACK_FUNCTION;
      self[none] += selfWeight;
      inclusive[none] += weight;
      return;
    }
    for (int i = 0; i < frames.count(); i++) {
      int number = byModule ? functions.module(frames.get(i)) : frames.get(i);
      if (seen[number] != stacks) {
        seen[number] = stacks;
        inclusive[number] += weight;
      }
    }
    int innermost = frames.get(0);
    self[byModule ? functions.module(innermost) : innermost] += selfWeight;
  }

  /**
   * Returns the rows, heaviest first.
   *
   * @param bySelf whether by what they weigh themselves, or else with all that they call
   */
  public List<ProfileRow> rows(boolean bySelf) {
    if (keyed != null) {
      keyed.settle();
    }
    List<ProfileRow> rows = new ArrayList<>();
    for (int i = 0; i < self.length; i++) {
      if (inclusive[i] != 0 || self[i] != 0) {
        rows.add(row(i));
      }
    }
    rows.sort(ProfileRow.order(bySelf));
    return rows;
  }

  private ProfileRow row(int i) {
    String module = functions.moduleName(byModule ? i : functions.module(i));
    @Nullable String function = byModule ? null : functions.name(i);
    long rva = byModule ? -1 : functions.rva(i);
    @Nullable SourceLine line = byModule ? null : functions.line(i);
    return new ProfileRow(
        null, null, null, null, module, function, line, rva, self[i], inclusive[i]);
  }
}

package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.formats.collections.LongLongMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Callers of some functions, and what these call. A stack counts once: its caller is that of the
 * outermost of the functions, what it calls is what the innermost of them calls.
 */
public final class CallerCalleeProfile implements ProfileAggregator {
  private static final int NOBODY = -1;
  private static final int SELF = -2;

  /**
   * Neighbour of the functions in stacks.
   *
   * @param function as people read it; null for the end of the stack
   * @param weight of the stacks that go over it
   */
  public record Neighbour(@Nullable String function, long weight) {
    private String name() {
      return function == null ? "" : function;
    }
  }

  private final FunctionIndex functions;
  private final MeantFunctions meant;
  private final LongLongMap callers = new LongLongMap();
  private final LongLongMap callees = new LongLongMap();
  private long inclusive;

  /**
   * Creates a profile of the functions that patterns mean: {@code module!function}, {@code
   * module+0x1200}, a module.
   */
  public CallerCalleeProfile(FunctionIndex functions, List<NamePattern> patterns) {
    this.functions = functions;
    this.meant = new MeantFunctions(functions, patterns);
  }

  @Override
  public void add(WeightedStack stack) {
    int innermost = -1;
    int outermost = -1;
    for (int i = 0; i < stack.count(); i++) {
      if (meant.has(stack.function(i))) {
        innermost = innermost < 0 ? i : innermost;
        outermost = i;
      }
    }
    if (innermost < 0) {
      return;
    }
    inclusive += stack.weight();
    int caller = outermost + 1 < stack.count() ? stack.function(outermost + 1) : NOBODY;
    int callee = innermost > 0 ? stack.function(innermost - 1) : SELF;
    callers.add(caller, stack.weight());
    callees.add(callee, stack.weight());
  }

  /** Returns the names of the functions that were meant and seen. */
  public List<String> names() {
    return meant.names();
  }

  /** Returns the patterns that mean no function. */
  public List<UnmatchedTerm> unmatched() {
    return meant.unmatched(UnmatchedTerm.What.FUNCTION);
  }

  /** Returns the weight of the stacks that go through them. */
  public long inclusive() {
    return inclusive;
  }

  /** Returns the weight of the stacks that end in them. */
  public long self() {
    return callees.get(SELF);
  }

  /** Returns their callers, heaviest first; stacks that begin with them last. Sums up to all. */
  public List<Neighbour> callers() {
    return neighbours(callers);
  }

  /** Returns what they call, heaviest first. Sums up to all but {@link #self}. */
  public List<Neighbour> callees() {
    return neighbours(callees);
  }

  private List<Neighbour> neighbours(LongLongMap weights) {
    List<Neighbour> result = new ArrayList<>();
    weights.forEach((function, weight) -> {
      if (function >= 0) {
        result.add(new Neighbour(functions.text((int) function), weight));
      }
    });
    result.sort((a, b) ->
        a.weight != b.weight ? Long.compare(b.weight, a.weight) : a.name().compareTo(b.name()));
    if (weights.containsKey(NOBODY)) {
      result.add(new Neighbour(null, weights.get(NOBODY)));
    }
    return result;
  }
}

package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.UnmatchedTerm;
import java.util.ArrayList;
import java.util.List;

/**
 * Filter of stacks by the functions that they go through. A stack without frames goes through none.
 *
 * @param only functions of which a stack must have one; all stacks if empty
 * @param hidden functions of which a stack must have none
 */
public record StackFilter(List<NamePattern> only, List<NamePattern> hidden) {
  /** Lets all stacks through. */
  public static final StackFilter ALL = new StackFilter(List.of(), List.of());

  /** Copies the lists. */
  public StackFilter {
    only = List.copyOf(only);
    hidden = List.copyOf(hidden);
  }

  /** Returns whether all stacks pass, whatever they go through. */
  public boolean passesAll() {
    return only.isEmpty() && hidden.isEmpty();
  }

  /** Filter at work: knows which functions are meant. */
  static final class Judge {
    private final StackFilter filter;
    private final MeantFunctions only;
    private final MeantFunctions hidden;

    Judge(StackFilter filter, FunctionIndex functions) {
      this.filter = filter;
      this.only = new MeantFunctions(functions, filter.only);
      this.hidden = new MeantFunctions(functions, filter.hidden);
    }

    boolean passes(WeightedStack stack) {
      return (filter.only.isEmpty() || only.areIn(stack))
          && (filter.hidden.isEmpty() || !hidden.areIn(stack));
    }

    List<UnmatchedTerm> unmatched() {
      List<UnmatchedTerm> terms = new ArrayList<>(only.unmatched(UnmatchedTerm.What.RULE));
      terms.addAll(hidden.unmatched(UnmatchedTerm.What.RULE));
      return terms;
    }
  }
}

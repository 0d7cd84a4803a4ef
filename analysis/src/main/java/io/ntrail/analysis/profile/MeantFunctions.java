package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.PatternSet;
import io.ntrail.analysis.naming.UnmatchedTerm;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Functions that patterns mean: {@code module!function}, {@code module+0x1200}, a module. Each is
 * judged once.
 */
final class MeantFunctions {
  private final FunctionIndex functions;
  private final PatternSet patterns;
  private final BitSet meant = new BitSet();
  private int judged;

  MeantFunctions(FunctionIndex functions, List<NamePattern> patterns) {
    this.functions = functions;
    this.patterns = new PatternSet(patterns);
  }

  boolean has(int function) {
    for (; judged < functions.count(); judged++) {
      int next = judged;
      meant.set(next, patterns.fit(pattern -> functions.isMeant(next, pattern)));
    }
    return meant.get(function);
  }

  /** Returns whether a stack goes through one of them. */
  boolean areIn(WeightedStack stack) {
    for (int i = 0; i < stack.count(); i++) {
      if (has(stack.function(i))) {
        return true;
      }
    }
    return false;
  }

  /** Returns their names. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    for (int i = meant.nextSetBit(0); i >= 0; i = meant.nextSetBit(i + 1)) {
      names.add(functions.text(i));
    }
    return names;
  }

  /** Returns the patterns that mean no function. */
  List<UnmatchedTerm> unmatched(UnmatchedTerm.What what) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < functions.count(); i++) {
      all.add(functions.text(i));
    }
    return patterns.unmatched(what, all);
  }
}

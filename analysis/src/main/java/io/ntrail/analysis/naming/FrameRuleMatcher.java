package io.ntrail.analysis.naming;

import io.ntrail.formats.collections.LongIntMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Applies rules to functions: which are folded into their callers, which are shown as a group. */
final class FrameRuleMatcher {
  private static final int FOLDED = -1;

  private final FunctionIndex functions;
  private final FrameRules rules;
  private final PatternSet folds;
  private final List<PatternSet> groups = new ArrayList<>();

  /** Number of the function shown in place of a function, plus 1. */
  private final LongIntMap known = new LongIntMap();

  FrameRuleMatcher(FunctionIndex functions, FrameRules rules) {
    this.functions = functions;
    this.rules = rules;
    this.folds = new PatternSet(rules.folds());
    rules.groups().forEach(group -> groups.add(new PatternSet(List.of(group.pattern()))));
  }

  /**
   * Returns what a function is shown as; negative if it is folded into the frame above it.
   *
   * @param image that it lies in; null if it is in none
   * @param methodModule path of the module that a method was compiled of; null if it is not a
   *     method, or unknown
   */
  int shown(@Nullable ImageFile image, @Nullable String methodModule, int function) {
    if (rules.justMyCode() && isSystem(image, methodModule)) {
      return FOLDED;
    }
    if (rules.isAdditive()) {
      return function;
    }
    int before = known.get(function);
    if (before < 0) {
      before = ruled(function) + 1;
      known.put(function, before);
    }
    return before - 1;
  }

  private static boolean isSystem(@Nullable ImageFile image, @Nullable String methodModule) {
    // Native images of any program lie under Windows: the module decides whose they are.
    String path = methodModule != null ? methodModule : image != null ? image.path() : "";
    return SystemFolders.contain(path);
  }

  private int ruled(int function) {
    if (!folds.isEmpty() && folds.fit(pattern -> functions.isMeant(function, pattern))) {
      return FOLDED;
    }
    for (int i = 0; i < groups.size(); i++) {
      if (groups.get(i).fit(pattern -> functions.isMeant(function, pattern))) {
        return functions.named(functions.module(rules.groups().get(i).name()), -1, "", null);
      }
    }
    return function;
  }

  /** Returns the patterns that mean no function. */
  List<UnmatchedTerm> unmatched() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < functions.count(); i++) {
      names.add(functions.text(i));
    }
    List<UnmatchedTerm> words = new ArrayList<>(folds.unmatched(UnmatchedTerm.What.RULE, names));
    groups.forEach(group -> words.addAll(group.unmatched(UnmatchedTerm.What.RULE, names)));
    return words;
  }
}

package io.ntrail.analysis.naming;

import java.util.List;

/**
 * Rules for the shown frames of stacks: folding, grouping, inlining.
 *
 * @param inlines whether functions that were inlined are frames of their own
 * @param lines whether lines of a function are separate
 * @param justMyCode whether code of Windows and .NET counts for the first frame above it
 * @param groups functions that are shown as one
 * @param folds functions that count for the first frame above them
 */
public record FrameRules(
    boolean inlines,
    boolean lines,
    boolean justMyCode,
    List<Group> groups,
    List<NamePattern> folds) {
  /** Functions as they are, inlined ones too. */
  public static final FrameRules USUAL = new FrameRules(true, false, false, List.of(), List.of());

  /** Copies the lists. */
  public FrameRules {
    groups = List.copyOf(groups);
    folds = List.copyOf(folds);
  }

  /**
   * Functions that are shown as one, which calls itself.
   *
   * @param pattern means them: {@code module!function}, a module, a function
   * @param name what they are shown as
   */
  public record Group(NamePattern pattern, String name) {}

  /** Returns whether the functions of a stack are those of its parts, one after the other. */
  boolean isAdditive() {
    return !justMyCode && groups.isEmpty() && folds.isEmpty();
  }
}

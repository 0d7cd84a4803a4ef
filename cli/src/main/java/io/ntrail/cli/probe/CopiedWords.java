package io.ntrail.cli.probe;

import io.ntrail.analysis.calls.CallNames;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.code.ArgumentCopies;
import io.ntrail.live.code.ArgumentCopies.Copy;
import io.ntrail.live.code.RecordLayout;
import io.ntrail.live.plan.PlannedFunction;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Memory that arguments of 32-bit functions point to: which of the values that entries have are
 * arguments depends on the convention of each function, and the copies are those of all.
 */
final class CopiedWords {
  private static final List<Integer> PLACES =
      RecordLayout.of(ArgumentCopies.ARGUMENTS, ArgumentCopies.NONE).argumentPlaces(Integer.BYTES);

  private CopiedWords() {}

  /**
   * Returns the copies by the numbers of values.
   *
   * @param asked by the numbers of arguments
   * @param functions that are planned
   * @param isMore true if functions of modules may be traced that are loaded later: their arguments
   *     are expected on the stack
   * @throws CannotGoOn if records have no room for them
   */
  static ArgumentCopies of(ArgumentCopies asked, List<PlannedFunction> functions, boolean isMore) {
    Set<Copy> copies = new LinkedHashSet<>();
    for (Copy copy : asked.copies()) {
      for (PlannedFunction function : functions) {
        if (function.isTraced()) {
          add(copy, CallNames.arguments(function.prototype(), function.name(), PLACES), copies);
        }
      }
      if (isMore) {
        add(copy, CallNames.arguments(Optional.empty(), "", PLACES), copies);
      }
    }
    int bytes = copies.stream().mapToInt(Copy::recordBytes).sum();
    if (bytes > ArgumentCopies.MOST_BYTES) {
      throw new CannotGoOn(
          ("the functions have these arguments in different places, so that %d bytes of each call"
                  + " had to be copied, and %d are at most")
              .formatted(bytes, ArgumentCopies.MOST_BYTES),
          "choose functions of one convention, or shorter strings (-x strsize=64)");
    }
    return new ArgumentCopies(List.copyOf(copies));
  }

  private static void add(Copy copy, CallNames.Arguments arguments, Set<Copy> copies) {
    if (copy.argument() < arguments.indexes().length) {
      copies.add(
          new Copy(
              arguments.indexes()[copy.argument()], copy.offset(), copy.length(), copy.isText()));
    }
  }
}

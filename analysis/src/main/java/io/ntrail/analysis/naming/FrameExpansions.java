package io.ntrail.analysis.naming;

import io.ntrail.formats.collections.IntList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Small numbers for what one frame means: mostly one function, but several where functions were
 * inlined, and none where they are folded.
 */
final class FrameExpansions {
  private final Map<List<Integer>, Integer> known = new HashMap<>();
  private final List<int[]> lists = new ArrayList<>();

  /** The number of some functions. */
  int code(IntList functions) {
    if (functions.size() == 1) {
      return functions.get(0) << 1;
    }
    List<Integer> list = new ArrayList<>(functions.size());
    for (int i = 0; i < functions.size(); i++) {
      list.add(functions.get(i));
    }
    return known.computeIfAbsent(
                List.copyOf(list),
                _ -> {
                  lists.add(functions.toArray());
                  return lists.size() - 1;
                })
            << 1
        | 1;
  }

  /** Adds the functions of a number to others. */
  void add(int code, IntList to) {
    if ((code & 1) == 0) {
      to.add(code >>> 1);
    } else {
      int[] several = lists.get(code >>> 1);
      to.addAll(several, 0, several.length);
    }
  }
}

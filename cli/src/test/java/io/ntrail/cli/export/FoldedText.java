package io.ntrail.cli.export;

import io.ntrail.cli.harness.JsonReader;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collapsed stacks as a test reads them, apart from the program's reader.
 *
 * @param stacks weights by the whole stack, as it is in its line
 */
record FoldedText(Map<String, Long> stacks) {
  /** Weights of a function. */
  record Sums(long self, long inclusive) {
    Sums plus(long ownWeight, long weight) {
      return new Sums(self + ownWeight, inclusive + weight);
    }
  }

  static FoldedText of(List<String> lines) {
    Map<String, Long> stacks = new TreeMap<>();
    for (String line : lines) {
      int blank = line.lastIndexOf(' ');
      stacks.merge(line.substring(0, blank), Long.parseLong(line.substring(blank + 1)), Long::sum);
    }
    return new FoldedText(stacks);
  }

  long total() {
    return stacks.values().stream().mapToLong(weight -> weight).sum();
  }

  /** Returns the name of a frame without its kind annotation. */
  FoldedText plain() {
    Map<String, Long> plain = new TreeMap<>();
    stacks.forEach((stack, weight) ->
        plain.merge(stack.replaceAll("_\\[[kij]](?=;|$)", ""), weight, Long::sum));
    return new FoldedText(plain);
  }

  /** By function, as {@code profile} has them: the first frame is the process. */
  Map<String, Sums> functions() {
    Map<String, Sums> sums = new HashMap<>();
    stacks.forEach((stack, weight) -> {
      List<String> frames = List.of(stack.split(";", -1));
      List<String> functions =
          frames.size() == 1 ? List.of("(no stack)") : frames.subList(1, frames.size());
      for (String function : new LinkedHashSet<>(functions)) {
        Sums before = sums.getOrDefault(function, new Sums(0, 0));
        sums.put(function, before.plus(function.equals(functions.getLast()) ? weight : 0, weight));
      }
    });
    sums.values().removeIf(each -> each.inclusive == 0);
    return sums;
  }

  /** Returns the weights of the rows of {@code profile --format json}. */
  static Map<String, Sums> functions(JsonReader profile) {
    Map<String, Sums> sums = new HashMap<>();
    for (JsonReader row : profile.get("rows").array()) {
      String function = name(row).replace(';', ':');
      Sums before = sums.getOrDefault(function, new Sums(0, 0));
      sums.put(function, before.plus(row.get("self").number(), row.get("inclusive").number()));
    }
    return sums;
  }

  /** Module and function of a row as frames are called. */
  static String name(JsonReader row) {
    if (row.get("module").isNull()) {
      return row.get("function").text();
    }
    String module = row.get("module").text();
    if (!row.get("function").isNull()) {
      return module + "!" + row.get("function").text();
    }
    return row.get("rva").isNull() ? module : module + "+" + row.get("rva").text();
  }
}

package io.ntrail.cli.trace;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.live.target.TargetModule;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/**
 * Patterns of the functions to trace. Each remembers that it has matched, so that one that never
 * does can be reported beside others that do. May be used by several threads.
 */
final class FunctionPatterns {
  private final List<NamePattern> list;
  private final AtomicIntegerArray matched;

  FunctionPatterns(List<NamePattern> list) {
    this.list = List.copyOf(list);
    this.matched = new AtomicIntegerArray(list.size());
  }

  /** Returns the patterns, in the order of the command line. */
  List<NamePattern> list() {
    return list;
  }

  /** Returns whether any pattern matches a function; those that do remember it. */
  boolean match(TargetModule module, String name) {
    boolean isMatch = false;
    // For each name of a library, whose thread may wait.
    for (int i = 0; i < list.size(); i++) {
      boolean isNews = matched.get(i) == 0;
      if ((isNews || !isMatch) && TraceRequest.matches(list.get(i), module, name)) {
        isMatch = true;
        if (isNews) {
          matched.set(i, 1);
        }
      }
    }
    return isMatch;
  }

  /** Returns the patterns that have matched no function so far. */
  List<NamePattern> unmatched() {
    return IntStream.range(0, list.size())
        .filter(i -> matched.get(i) == 0)
        .mapToObj(list::get)
        .toList();
  }

  /** Returns the patterns as they were written, with commas. */
  @Override
  public String toString() {
    return String.join(", ", list.stream().map(NamePattern::toString).toList());
  }
}

package io.ntrail.analysis.probe.syntax;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Values of {@code $1}, {@code $target} and the like.
 *
 * @param arguments of the program, the first one is {@code $0}, its name
 * @param names values by name, without the dollar sign
 */
public record Macros(List<String> arguments, Map<String, String> names) {
  /** Copies. */
  public Macros {
    arguments = List.copyOf(arguments);
    names = Map.copyOf(names);
  }

  /** Returns the text of a macro, by what is behind its dollar sign. */
  Optional<String> text(String name) {
    if (name.chars().allMatch(c -> c >= '0' && c <= '9')) {
      int index = name.length() > 4 ? Integer.MAX_VALUE : Integer.parseInt(name);
      return index < arguments.size() ? Optional.of(arguments.get(index)) : Optional.empty();
    }
    return Optional.ofNullable(names.get(name));
  }
}

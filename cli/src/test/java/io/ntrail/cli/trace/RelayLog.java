package io.ntrail.cli.trace;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Log of Wine's own ({@code WINEDEBUG=+relay,+pid}): a line for each call that comes into a library
 * of the system through its exports. Calls of a library within itself are not in it, nor those that
 * kernel32 and advapi32 make, which Wine's settings leave out.
 *
 * @param module where the functions are, as in {@code kernel32}
 * @param functions names of exports; nothing else is logged
 */
record RelayLog(String module, List<String> functions) {
  private static final Pattern LINE =
      Pattern.compile(
          "([0-9a-f]{4,}):([0-9a-f]{4,}):(?:Call (\\w+)\\.(\\w+)\\(|Starting thread ).*");

  /** The functions as options of {@code ntrail trace}. */
  Stream<String> options() {
    return functions.stream().flatMap(name -> Stream.of("-f", module + "!" + name));
  }

  /** The functions as {@code RelayInclude} of the registry. */
  String include() {
    return String.join(";", functions.stream().map(name -> module + "." + name).toList());
  }

  /**
   * Counts calls from the program's entry point on, where tracing begins, too.
   *
   * @param process id of the program: agents of ntrail and services of Wine write into the log, too
   * @return calls by name of the function, those that were called
   */
  Map<String, Long> calls(String log, long process) {
    Map<String, Long> calls = new TreeMap<>();
    Set<String> begun = new HashSet<>();
    for (String line : (Iterable<String>) log.lines()::iterator) {
      Matcher matcher = LINE.matcher(line);
      if (!matcher.matches() || Long.parseLong(matcher.group(1), 16) != process) {
        continue;
      }
      if (matcher.group(3) == null) {
        begun.add(matcher.group(2));
      } else if (begun.contains(matcher.group(2))
          && matcher.group(3).toLowerCase(Locale.ROOT).equals(module)) {
        calls.merge(matcher.group(4), 1L, Long::sum);
      }
    }
    return calls;
  }
}

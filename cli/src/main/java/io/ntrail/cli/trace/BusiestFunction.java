package io.ntrail.cli.trace;

import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallEventKind;
import io.ntrail.analysis.calls.CallFunction;
import io.ntrail.analysis.calls.CallModule;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.collections.LongLongMap;
import java.util.Optional;

/**
 * Function with most records: what fills buffers faster than they are written.
 *
 * @param name as a pattern for it is written
 * @param records its entries, exits and unwinds
 * @param all records of all functions
 */
record BusiestFunction(String name, long records, long all) {
  /** Counts the records of a recording; empty if it has none. */
  static Optional<BusiestFunction> of(CallSource source) {
    LongLongMap counts = new LongLongMap();
    long all = 0;
    for (int thread = 0; thread < source.threads().size(); thread++) {
      try (CallCursor cursor = source.cursor(thread)) {
        while (cursor.next()) {
          if (cursor.event() != CallEventKind.LOST) {
            counts.add(cursor.function(), 1);
            all++;
          }
        }
      }
    }
    long[] most = new long[2];
    counts.forEach((function, count) -> {
      if (count > most[1]) {
        most[0] = function;
        most[1] = count;
      }
    });
    return most[1] == 0
        ? Optional.empty()
        : Optional.of(new BusiestFunction(pattern(source.function(most[0])), most[1], all));
  }

  private static String pattern(CallFunction function) {
    CallModule module = function.module();
    String name = function.name();
    String written = name == null ? "0x" + Long.toHexString(function.rva()) : name;
    return module == null ? written : module.name() + "!" + written;
  }

  /** Returns a sentence with the share of the function, and a way out. */
  String advice(boolean waits) {
    return "%s made %s %% of the records in the file: --exclude %s, --throttle 100000, --summary%s"
        .formatted(
            name,
            Numbers.percent(records, all),
            ShellWords.of(name),
            waits ? "" : ", --when-full wait");
  }
}

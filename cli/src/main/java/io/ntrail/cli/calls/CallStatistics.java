package io.ntrail.cli.calls;

import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.formats.ntr.RecorderCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Counters of the recorder of calls; the same keys in every format for programs. */
final class CallStatistics {
  private CallStatistics() {}

  /** The head of a counter's column, and its key: {@code functionsTraced}. */
  private static String key(RecorderCounter counter) {
    String[] words = counter.name().toLowerCase(Locale.ROOT).split("_", -1);
    StringBuilder key = new StringBuilder(words[0]);
    for (int i = 1; i < words.length; i++) {
      key.append(words[i].substring(0, 1).toUpperCase(Locale.ROOT)).append(words[i].substring(1));
    }
    return key.toString();
  }

  /** An object with the counters that there are. */
  static void object(Json json, Map<RecorderCounter, Long> statistics) {
    json.object("statistics");
    statistics.forEach((counter, value) -> json.unsigned(key(counter), value));
    json.endObject();
  }

  /** The heads of all columns. */
  static List<String> keys() {
    List<String> keys = new ArrayList<>();
    for (RecorderCounter counter : RecorderCounter.values()) {
      keys.add(key(counter));
    }
    return keys;
  }

  /** A cell for each column; empty where nothing was counted. */
  static List<String> cells(Map<RecorderCounter, Long> statistics) {
    List<String> cells = new ArrayList<>();
    for (RecorderCounter counter : RecorderCounter.values()) {
      Long value = statistics.get(counter);
      cells.add(Csv.orEmpty(value == null ? null : Long.toUnsignedString(value)));
    }
    return cells;
  }

  /** A row for each counter that there is. */
  static Table table(Map<RecorderCounter, Long> statistics) {
    Table table = new Table().number("count").remark("recorder counters");
    statistics.forEach((counter, value) -> table.row(Numbers.unsigned(value), text(counter)));
    return table;
  }

  private static String text(RecorderCounter counter) {
    return switch (counter) {
      case FUNCTIONS_MATCHED -> "functions matched";
      case FUNCTIONS_TRACED -> "functions traced";
      case FUNCTIONS_REFUSED -> "functions refused";
      case THREADS_SEEN -> "threads seen";
      case THREADS_ENDED -> "threads ended";
      case BUFFERS -> "buffers of the recorder";
      case BUFFERS_FULL_AT_MOST -> "peak full buffers";
      case BUFFERS_WRITTEN -> "buffers written";
      case THREAD_BLOCKS_FREE -> "thread blocks free at the end";
      case THREAD_BLOCKS_FAILED -> "thread blocks not allocated";
      case IMAGE_RECORDS_DROPPED -> "image records dropped";
      case FAILED_WRITES -> "failed writes";
      case EVENTS -> "events captured";
      case ENTRIES -> "entries";
      case EXITS -> "exits";
      case UNWINDS -> "unwinds";
      case OPEN_AT_END -> "calls open at the end";
      case DROPPED -> "events dropped";
      case ENTRIES_DROPPED -> "entries dropped";
      case EXITS_DROPPED -> "exits dropped";
      case UNWINDS_DROPPED -> "unwinds dropped";
      case REENTRANT -> "re-entrant calls, not recorded";
      case BYTES_WRITTEN -> "bytes written";
      case DURATION_TICKS -> "duration in ticks";
      case PAIR_PICOSECONDS -> "overhead of an entry/exit pair, ps";
      case CLOCK_PAIR_PICOSECONDS -> "of which reading the clock, ps";
      case OVERFLOWS -> "calls not recorded: no slot left on the stack";
      case DEEP_ENTRIES -> "entries only: no slot left on the stack";
      case ENTRIES_WITHOUT_AREA -> "entries only: no area for the stack";
      case NO_AREA -> "calls not recorded: no area for the stack";
      case SLOW_PASSES -> "passes through the slow path";
      case THREAD_TEARDOWNS -> "thread teardowns";
      case BUFFERS_FREE -> "buffers free at the end";
      case DISCARDED -> "events discarded, as only the last were kept";
      case ADDED -> "calls added up, not recorded one by one";
      case CALLERS -> "stacks of callers (trace --stacks)";
      case CALLERS_INCOMPLETE -> "of which without the outermost callers";
      case SIZE_REACHED -> "size limit reached: 1";
      case CALLERS_MISSED -> "stacks of callers missed";
      case PASSES_WITHOUT_RECORD -> "passes with recording disabled";
    };
  }
}

package io.ntrail.live.trace;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallEnd;
import io.ntrail.analysis.calls.CallEventKind;
import io.ntrail.analysis.calls.CallFunction;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.analysis.calls.NtrCalls;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.NtrFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The calls of a recording, counted by function, as the reader of recordings reports them.
 *
 * @param byFunction by name: {@code module!function}
 * @param all of all threads
 * @param repaired calls that were made whole with something that was not recorded
 * @param threads how many threads have records
 * @param targets records of unwinders that leave all calls up to a frame, of 32-bit code
 * @param gaps what the reader had to say
 */
record CallTable(
    Map<String, Row> byFunction,
    CallCounts all,
    long repaired,
    int threads,
    long targets,
    String gaps) {
  /** Of one function; mutable while it is being counted. */
  static final class Row {
    long entries;
    long entriesOnly;
    long exits;
    long unwinds;
    long calls;
    long returned;
    long unwound;
    long open;
    long inferred;
    long deepest;

    /** Calls with a record of an exception that left them: how many with which code. */
    final Map<Integer, Long> codes = new TreeMap<>();

    /** Of calls that were left: how many with which exception code. */
    final Map<Integer, Long> left = new TreeMap<>();

    @Override
    public String toString() {
      return "entries %d only %d exits %d unwinds %d %s; returned %d unwound %d %s open %d inferred %d"
          .formatted(
              entries, entriesOnly, exits, unwinds, codes, returned, unwound, left, open, inferred);
    }
  }

  static CallTable read(Path file) throws IOException {
    Gaps gaps = new Gaps();
    Map<String, Row> rows = new TreeMap<>();
    long repaired = 0;
    long targets = 0;
    InputFile input = InputFile.of(Files.readAllBytes(file), "test.ntr");
    try (CallRecording recording =
        new CallRecording(new NtrCalls(NtrFile.open(input, gaps), gaps))) {
      int threads = recording.source().threads().size();
      CallCounts all = CallCounts.NONE;
      for (int thread = 0; thread < threads; thread++) {
        targets += records(recording, thread, rows);
        all = all.plus(recording.counts(thread));
        try (CallWalk walk = recording.walk(thread)) {
          while (walk.next()) {
            Row row = row(rows, recording, walk.function());
            row.calls++;
            row.deepest = Math.max(row.deepest, walk.depth());
            repaired += walk.repaired() ? 1 : 0;
            switch (walk.end()) {
              case CallEnd.RETURN -> row.returned++;
              case CallEnd.UNWIND -> {
                row.unwound++;
                row.codes.merge((int) walk.value(), 1L, Long::sum);
                row.left.merge((int) walk.value(), 1L, Long::sum);
              }
              case CallEnd.LEFT -> {
                row.unwound++;
                row.left.merge((int) walk.value(), 1L, Long::sum);
              }
              case CallEnd.OPEN -> row.open++;
              case CallEnd.INFERRED -> row.inferred++;
              case CallEnd.ENTRY_ONLY -> {}
              case CallEnd.OVER -> throw new AssertionError("live tracing knows all ends");
            }
          }
        }
      }
      return new CallTable(rows, all, repaired, threads, targets, gaps.list().toString());
    }
  }

  /** Adds the records of a thread; returns how many are none of a function. */
  private static long records(CallRecording recording, int thread, Map<String, Row> rows) {
    long targets = 0;
    try (CallCursor cursor = recording.source().cursor(thread)) {
      while (cursor.next()) {
        CallEventKind kind = cursor.event();
        switch (kind) {
          case ENTRY, ENTRY_ONLY, EXIT, UNWIND -> {
            Row row = row(rows, recording, cursor.function());
            row.entries += kind == CallEventKind.ENTRY ? 1 : 0;
            row.entriesOnly += kind == CallEventKind.ENTRY_ONLY ? 1 : 0;
            row.exits += kind == CallEventKind.EXIT ? 1 : 0;
            row.unwinds += kind == CallEventKind.UNWIND ? 1 : 0;
          }
          case UNWIND_TARGET -> targets++;
          default -> {}
        }
      }
    }
    return targets;
  }

  private static Row row(Map<String, Row> rows, CallRecording recording, long function) {
    CallFunction known = recording.source().function(function);
    String name = known == null || known.name() == null ? "?" + function : known.name();
    return rows.computeIfAbsent(name, _ -> new Row());
  }

  /** The row of a function of the program, whatever that is called. */
  Row of(String function) {
    for (Map.Entry<String, Row> row : byFunction.entrySet()) {
      if (row.getKey().endsWith("!" + function)) {
        return row.getValue();
      }
    }
    return new Row();
  }
}

package io.ntrail.analysis.merge;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallImageSymbols;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.analysis.calls.JtrcCalls;
import io.ntrail.analysis.calls.NtrCalls;
import io.ntrail.analysis.merge.calls.CallsCut;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.jtrc.JtrcFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.testkit.MemoryChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Filters the calls of a recording a second time: call by call, with a list of the calls around
 * each, and without an idea of records.
 */
final class SelectedCalls {
  /** A call with all that is told of it. */
  record Call(
      int thread,
      int area,
      int depth,
      String function,
      long entry,
      long exit,
      long value,
      long caller,
      long children,
      String end,
      boolean isEntryLost,
      List<Long> arguments) {}

  private SelectedCalls() {}

  static CallRecording open(byte[] file, String name) {
    Gaps gaps = new Gaps();
    InputFile input = InputFile.of(file, name);
    return new CallRecording(
        name.endsWith(".jtrc")
            ? new JtrcCalls(JtrcFile.open(input, gaps), gaps)
            : new NtrCalls(NtrFile.open(input, gaps), gaps));
  }

  static CallNames names(CallRecording recording) {
    return new CallNames(recording.source(), CallImageSymbols.NONE);
  }

  /** Cuts a file; what was written belongs to the bytes. */
  static byte[] cut(byte[] file, String name, CallsCut.Choice choice, List<CallsCut.Written> told)
      throws IOException {
    MemoryChannel channel = new MemoryChannel();
    try (CallRecording recording = open(file, name)) {
      told.add(CallsCut.write(recording, choice, names(recording), channel));
    }
    return channel.toByteArray();
  }

  static CallsCut.Choice choice(List<Integer> threads, long from, long to, String... functions) {
    return new CallsCut.Choice(
        threads,
        from,
        to,
        from + " .. " + to,
        List.of(functions).stream().map(NamePattern::of).toList());
  }

  private static Call call(CallWalk walk, CallNames names) {
    return new Call(
        walk.thread(),
        walk.area(),
        walk.depth(),
        names.text(walk.function()),
        walk.entry(),
        walk.exit().orElse(-1),
        walk.value(),
        walk.caller(),
        walk.children(),
        walk.end().name(),
        walk.lostEntry(),
        IntStream.range(0, walk.argumentCount()).mapToObj(walk::argument).toList());
  }

  static List<Call> all(CallRecording recording, int thread) {
    CallNames names = names(recording);
    List<Call> all = new ArrayList<>();
    try (CallWalk walk = recording.walk(thread)) {
      while (walk.next()) {
        all.add(call(walk, names));
      }
    }
    return all;
  }

  /**
   * Returns the calls that were entered in time and, if functions are asked for, are of one or have
   * one around them.
   */
  static List<Call> selected(List<Call> all, long from, long to, String... functions) {
    Map<Integer, List<Call>> around = new HashMap<>();
    List<Call> selected = new ArrayList<>();
    for (Call call : all) {
      List<Call> stack = around.computeIfAbsent(call.area, _ -> new ArrayList<>());
      while (stack.size() > call.depth) {
        stack.removeLast();
      }
      stack.add(call);
      boolean isMeant =
          functions.length == 0
              || stack.stream().anyMatch(one -> List.of(functions).contains(one.function));
      if (isMeant && call.entry >= from && call.entry < to) {
        selected.add(call);
      }
      if (call.isEntryLost || call.end.equals("ENTRY_ONLY")) {
        stack.removeLast();
      }
    }
    return selected;
  }

  /** Returns the calls that were active in a stretch of time, whether they ended or not. */
  static List<Call> active(List<Call> all, long from, long to) {
    return all.stream()
        .filter(call ->
            call.entry < to
                && !call.isEntryLost
                && !call.end.equals("ENTRY_ONLY")
                && (call.end.equals("OPEN") || call.exit > from))
        .toList();
  }

  /** Time of each function's calls in a stretch of time, without that of the calls below them. */
  static Map<String, Long> selves(List<Call> all, long from, long to) {
    Map<String, Long> selves = new HashMap<>();
    Map<Integer, List<Call>> around = new HashMap<>();
    for (Call call : all) {
      if (call.isEntryLost || call.end.equals("ENTRY_ONLY")) {
        continue;
      }
      List<Call> stack = around.computeIfAbsent(call.area, _ -> new ArrayList<>());
      while (stack.size() > call.depth) {
        stack.removeLast();
      }
      long part =
          call.end.equals("OPEN")
              ? 0
              : Math.max(0, Math.min(call.exit, to) - Math.max(call.entry, from));
      if (part > 0) {
        selves.merge(call.function, part, Long::sum);
      }
      if (part > 0 && !stack.isEmpty() && !stack.getLast().end.equals("OPEN")) {
        selves.merge(stack.getLast().function, -part, Long::sum);
      }
      stack.add(call);
    }
    selves.values().removeIf(sum -> sum == 0);
    return selves;
  }

  static boolean isBalanced(CallCounts counts) {
    return counts.entries()
        == counts.exits()
            + counts.unwinds()
            + counts.abandoned()
            + counts.open()
            + counts.entryOnly();
  }
}

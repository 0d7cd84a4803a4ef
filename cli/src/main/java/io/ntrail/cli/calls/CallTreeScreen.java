package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallEnd;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallStream;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Table;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.schema.StatusCodes;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Calls as trees, a thread after the other; those that are looked for without their trees. */
final class CallTreeScreen {
  /** Column of the number of child calls, which matters less than the routine's name. */
  private static final int CHILD_CALLS = 2;

  private static final int PART = 2_000;

  private final CallsScope scope;
  private final CallsRequest request;
  private final PrintStream out;
  private final StatusCodes codes = new StatusCodes();
  private final boolean flat;
  private final CallerFrames frames;
  private final StoppableWork<CallRecording.Pass> work;
  private long shown;
  private long total;

  /**
   * Number of calls still to come below those around the next one: by stack, then by depth; -1
   * where the call itself was not shown. The stacks of a thread are interleaved in the listing.
   */
  private final Map<Integer, LongList> toCome = new HashMap<>();

  CallTreeScreen(CallsScope scope, CallsRequest request) {
    this.scope = scope;
    this.request = request;
    this.out = scope.terminal().out();
    this.work = scope.recording().work();
    this.flat = scope.choice().find() != null;
    this.frames = new CallerFrames(scope.recording().source(), scope.names());
  }

  void print() {
    CallCounts counts = scope.counts();
    boolean whole = scope.range().whole() && !flat && !scope.onlyLong();
    total = whole ? counts.calls() - scope.added() : counted();
    out.println(
        scope.asked()
            + CallListing.calls(whole ? counts.calls() : total)
            + " in "
            + Numbers.counted(scope.threads().size(), "thread")
            + ", "
            + scope.state(counts));
    scope
        .totalsRemark()
        .ifPresent(remark -> out.println(remark + "; calls --flat shows their sums"));
    if (scope.onlyLong()) {
      scope.openRemark().ifPresent(remark -> out.println("  " + remark));
    }
    CallerFrames.remark(scope.recording().source(), request.stacks()).ifPresent(out::println);
    try (Progress _ = scope.progress().listing()) {
      work.begin(CallRecording.Pass.CALLS, total);
      for (int thread : scope.threads()) {
        if (isFull() || work.isStopping()) {
          break;
        }
        thread(thread);
      }
      if (work.isStopping()) {
        work.stopped();
      }
    }
    if (work.stoppedAt().isEmpty()) {
      rest();
    }
  }

  private long counted() {
    long count = 0;
    try (Progress _ = scope.progress().start();
        CallStream stream = scope.stream()) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        count += scope.isFound(call) ? 1 : 0;
      }
    }
    return count;
  }

  private boolean isFull() {
    long limit = request.limit();
    return limit != 0 && shown >= limit || scope.terminal().outClosed() || hasAllOfStopped();
  }

  /** Returns whether as many calls are shown as were counted before that was stopped. */
  private boolean hasAllOfStopped() {
    return work.stoppedAt().isPresent() && shown >= total;
  }

  private void thread(int thread) {
    toCome.clear();
    CallThread info = scope.recording().source().threads().get(thread);
    Table table =
        new Table()
            .number(scope.timeTitle())
            .number(scope.durationTitle())
            .number("child calls")
            .number("returned")
            .name("routine");
    table.optional(CHILD_CALLS);
    boolean begun = false;
    try (CallWalk walk = scope.recording().walk(thread)) {
      if (scope.range().fromNanos() != Long.MIN_VALUE) {
        walk.seekTime(scope.range().fromNanos());
      }
      while (!isFull()
          && !work.isStopping()
          && walk.next()
          && walk.entry() < scope.range().toNanos()) {
        if (request.shows(walk.depth()) && scope.isFound(walk)) {
          if (!begun) {
            begun = true;
            heading(info);
          }
          shown++;
          work.done(1);
          table.row(
              row(walk),
              CallListing.arguments(walk, request, scope.names()),
              remark(walk) + held(walk));
          if (request.stacks()) {
            table.below(frames.lines(walk));
          }
          if (table.waiting() >= PART) {
            table.print(out, 2, scope.width());
          }
        }
        long depth = request.depth();
        if (depth != 0 && !flat && walk.depth() >= depth - 1 && walk.children() > 0) {
          walk.skipChildren();
        }
      }
    }
    if (table.waiting() > 0) {
      table.print(out, 2, scope.width());
    }
  }

  private void heading(CallThread thread) {
    String process = thread.process();
    String pid = Long.toUnsignedString(thread.pid());
    String known = process == null ? "process " + pid : process + " (" + pid + ")";
    out.println(
        (thread.pid() == CallThread.NO_PROCESS ? "process unknown" : known)
            + ", "
            + threadText(thread));
  }

  /** Returns {@code thread 568 "main"}; as everywhere, in decimal digits. */
  static String threadText(CallThread thread) {
    String name = thread.name();
    return "thread "
        + Long.toUnsignedString(thread.tid())
        + (name == null ? "" : " \"" + name + "\"");
  }

  private List<String> row(CallWalk call) {
    return List.of(
        scope.time(call.entry()),
        call.hasDuration() ? scope.duration(call.duration()) : "-",
        Numbers.count(call.children()),
        returned(call),
        before(call) + scope.names().text(call.function()));
  }

  /** Returns what leads to a call: long ones have their long callers above them, indented less. */
  private String before(CallWalk call) {
    return flat ? "" : scope.onlyLong() ? "  ".repeat(call.depth()) : lines(call);
  }

  private String returned(CallWalk call) {
    if (call.lostEntry()) {
      return "entry lost";
    }
    return switch (call.end()) {
      case RETURN -> call.knowsReturned() ? Long.toHexString(value(call)) : "";
      case UNWIND, LEFT -> "UNWIND";
      case OPEN -> "open";
      case INFERRED -> "exit lost";
      case OVER -> "over";
      case ENTRY_ONLY -> "entry only";
    };
  }

  /** Returns the meaning of an exception or an error code. */
  private long value(CallWalk call) {
    return scope.names().returned(call.function(), call.value());
  }

  private String remark(CallWalk call) {
    long value = call.end() == CallEnd.RETURN ? value(call) : call.value();
    @Nullable String name =
        value >>> 30 == 3 || value >>> 30 == 2 ? codes.ntStatus((int) value) : null;
    if (call.end() == CallEnd.UNWIND || call.end() == CallEnd.LEFT) {
      return "  (" + Long.toHexString(value) + (name == null ? "" : " " + name) + ")";
    }
    return call.end() == CallEnd.RETURN && name != null ? "  (" + name + ")" : "";
  }

  /** Returns for how long ntrail held the process during a call; empty if it did not. */
  private String held(CallWalk call) {
    long held = CallRows.held(scope.recording(), call);
    return held == 0 ? "" : "  (held by ntrail for " + scope.amount(held) + ")";
  }

  /** The lines in front of a call that lead to the one around it. */
  private String lines(CallWalk call) {
    int depth = call.depth();
    LongList below = toCome.computeIfAbsent(call.area(), _ -> new LongList());
    below.extend(depth + 1, -1);
    StringBuilder lines = new StringBuilder();
    for (int level = 1; level < depth; level++) {
      lines.append(below.get(level - 1) == 0 ? "   " : scope.ascii() ? "|  " : "\u2502  ");
    }
    if (depth > 0) {
      long around = below.get(depth - 1);
      below.set(depth - 1, around < 0 ? around : around - call.children() - 1);
      String more = scope.ascii() ? "|- " : "\u251C\u2500 ";
      lines.append(below.get(depth - 1) != 0 ? more : scope.ascii() ? "\\- " : "\u2514\u2500 ");
    }
    below.set(depth, call.children());
    return lines.toString();
  }

  private void rest() {
    if (shown >= total) {
      return;
    }
    long depth = request.depth();
    long limit = request.limit();
    boolean some = flat || scope.onlyLong();
    String left = Numbers.counted(total - shown, some ? "more call" : "call") + " not shown (";
    if (depth == 0) {
      out.println(left + "-n 0 shows all)");
    } else if (limit == 0 || shown < limit) {
      out.println(left + "deeper than " + depth + "; --depth 0 shows all)");
    } else {
      out.println(left + "deeper than " + depth + ", or after these; --depth 0 -n 0 shows all)");
    }
  }
}

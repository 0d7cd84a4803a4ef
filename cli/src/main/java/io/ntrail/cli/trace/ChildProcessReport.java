package io.ntrail.cli.trace;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.cli.calls.CallBalance;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.live.recovery.DetachResult;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.trace.TraceTarget;
import io.ntrail.live.trace.TracedChild;
import io.ntrail.live.trace.TracedProcessTree;
import io.ntrail.live.trace.UntracedChild;
import java.io.PrintStream;
import java.util.Optional;
import java.util.OptionalInt;

/** Report of a trace with children: one row per process. */
final class ChildProcessReport {
  private static final long MILLI = 1_000_000;

  private ChildProcessReport() {}

  /** A table of the processes, and a sentence about each that was not traced. */
  static void print(
      PrintStream out,
      int width,
      TraceTarget target,
      OptionalInt exit,
      TracedProcessTree family,
      TracedCalls calls) {
    Table table =
        new Table()
            .number("pid")
            .number("parent")
            .number("exit code")
            .number("functions")
            .number("calls")
            .number("open")
            .number("lost")
            .name("program");
    row(
        table,
        target.process().pid(),
        "",
        exit,
        family.first().plan().patched(),
        family.own(),
        calls.of(target.process().pid()),
        target.program());
    for (TracedChild child : family.children()) {
      row(
          table,
          child.pid(),
          Integer.toString(child.parent()),
          child.exitCode(),
          child.patched(),
          child.statistics(),
          calls.of(child.pid()),
          child.program());
    }
    out.println();
    table.print(out, 2, width);
    for (TracedChild child : family.children()) {
      String name = "%s (%d)".formatted(TextSanitizer.one(child.program()), child.pid());
      if (child.lateNanos() > 0) {
        out.println(
            "ntrail: attached to %s after %s ms: earlier calls are missing"
                .formatted(name, Numbers.count(child.lateNanos() / MILLI)));
      }
      if (!child.selfTest().passed()) {
        out.println(
            "ntrail: recording entries only for %s: %s".formatted(name, child.selfTest().why()));
      }
    }
    for (UntracedChild one : family.untraced()) {
      out.println(
          "ntrail: %s (%d), started by %d, was not traced: %s"
              .formatted(
                  one.program().isEmpty() ? "a program" : TextSanitizer.one(one.program()),
                  one.pid(),
                  one.parent(),
                  one.why()));
    }
  }

  private static void row(
      Table table,
      int pid,
      String parent,
      OptionalInt exit,
      int functions,
      RecorderStatistics statistics,
      CallCounts calls,
      String program) {
    table.row(
        Integer.toString(pid),
        parent,
        exit.isPresent() ? TraceReport.code(exit.getAsInt()) : "running",
        Numbers.count(functions),
        Numbers.count(calls.entries()),
        Numbers.count(calls.open()),
        Numbers.count(statistics.allDropped()),
        TextSanitizer.one(program));
  }

  /** The processes, the program first. */
  static void json(
      Json json,
      TraceTarget target,
      OptionalInt exit,
      TracedProcessTree family,
      TracedCalls calls) {
    json.array("processes");
    json.object().number("pid", target.process().pid()).unknown("parent");
    json.text("program", target.program()).text("commandLine", target.commandLine());
    json.number("lateNanos", 0);
    counts(
        json,
        exit,
        family.first().plan().matched(),
        family.first().plan().patched(),
        family.own(),
        calls.of(target.process().pid()),
        family.first().detachment());
    for (TracedChild child : family.children()) {
      json.object().number("pid", child.pid()).number("parent", child.parent());
      json.text("program", child.program()).text("commandLine", child.commandLine());
      json.number("lateNanos", child.lateNanos());
      counts(
          json,
          child.exitCode(),
          child.matched(),
          child.patched(),
          child.statistics(),
          calls.of(child.pid()),
          child.detachment());
    }
    json.endArray().array("untracedChildren");
    for (UntracedChild one : family.untraced()) {
      json.object()
          .number("pid", one.pid())
          .number("parent", one.parent())
          .text("program", one.program())
          .text("reason", one.why())
          .endObject();
    }
    json.endArray();
  }

  private static void counts(
      Json json,
      OptionalInt exit,
      int matched,
      int patched,
      RecorderStatistics statistics,
      CallCounts calls,
      Optional<DetachResult> detachment) {
    if (exit.isPresent()) {
      json.number("exitCode", exit.getAsInt() & 0xFFFF_FFFFL);
    } else {
      json.unknown("exitCode");
    }
    json.number("matched", matched).number("patched", patched);
    CallBalance.members(json, calls).number("lost", statistics.allDropped());
    if (detachment.isPresent()) {
      json.object("detached")
          .number("frames", detachment.get().repairedFrames())
          .bool("removed", detachment.get().removed())
          .text("left", detachment.get().left())
          .endObject();
    }
    json.endObject();
  }
}

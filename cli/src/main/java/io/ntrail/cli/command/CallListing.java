package io.ntrail.cli.command;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallStream;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;

/** Calls one after the other, in the order of their entries: for programs, or as a tree. */
final class CallListing {
  private CallListing() {}

  static void print(CallsScope scope) {
    switch (scope.request().format()) {
      case TEXT -> new CallTreeScreen(scope).print();
      case JSON -> json(scope);
      case JSONL -> lines(scope);
      case CSV -> csv(scope);
    }
  }

  /** What is done with each call. */
  private interface Each {
    void call(CallWalk call);
  }

  /** The calls that are asked for, and how many of them are left out for the limit. */
  private static long each(CallsScope scope, Each each) {
    long limit = scope.request().limit();
    long shown = 0;
    long left = 0;
    try (CallStream stream = scope.stream()) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        if (!scope.shows(call)) {
          continue;
        }
        if (limit != 0 && shown >= limit) {
          left++;
        } else {
          shown++;
          each.call(call);
        }
        if (scope.terminal().outClosed()) {
          break;
        }
      }
    }
    return left;
  }

  private static void json(CallsScope scope) {
    CallCounts counts = scope.counts();
    CallRows rows = new CallRows(scope.recording(), scope.names());
    try (Json json = new Json(scope.terminal().out())) {
      json.object()
          .text("schema", "ntrail.calls/1")
          .text("file", scope.recording().source().name())
          .text("unit", scope.unit())
          .number("entries", counts.entries())
          .number("exits", counts.exits())
          .number("unwinds", counts.unwinds())
          .number("open", counts.open());
      scope.lost(json);
      json.number("repaired", counts.repaired()).array("threads");
      for (int i : scope.threads()) {
        CallThread thread = scope.recording().source().threads().get(i);
        json.object()
            .text("process", thread.process())
            .unsigned("pid", thread.pid())
            .unsigned("thread", thread.tid())
            .text("name", thread.name())
            .number("calls", scope.recording().counts(i).calls())
            .endObject();
      }
      json.endArray().array("calls");
      long left = each(scope, call -> rows.object(json, call));
      json.endArray()
          .number("rowsLeftOut", left)
          .gaps(scope.recording().source().gaps())
          .endObject();
    }
  }

  private static void lines(CallsScope scope) {
    CallRows rows = new CallRows(scope.recording(), scope.names());
    try (Json json = new Json(scope.terminal().out())) {
      stopping(scope, call -> rows.object(json, call));
    }
  }

  private static void csv(CallsScope scope) {
    CallRows rows = new CallRows(scope.recording(), scope.names());
    Csv csv = new Csv(scope.terminal().out());
    CallRows.csvHead(csv);
    stopping(scope, call -> rows.csv(csv, call));
  }

  /** Without a place for what is left out, nothing behind the limit is looked at. */
  private static void stopping(CallsScope scope, Each each) {
    long limit = scope.request().limit();
    long shown = 0;
    try (CallStream stream = scope.stream()) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        if (limit != 0 && shown >= limit || scope.terminal().outClosed()) {
          return;
        }
        if (scope.shows(call)) {
          shown++;
          each.call(call);
        }
      }
    }
  }

  /** {@code 14,780 calls}. */
  static String calls(long count) {
    return Numbers.counted(count, "call");
  }
}

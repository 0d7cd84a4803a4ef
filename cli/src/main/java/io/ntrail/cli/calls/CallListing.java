package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallStream;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import java.util.Arrays;
import java.util.StringJoiner;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Calls one after the other, in the order of their entries: for programs, or as a tree. */
final class CallListing {
  private final CallsScope scope;
  private final CallsRequest request;
  private final ListingColumns<CallWalk> columns;

  CallListing(CallsScope scope, CallsRequest request) {
    this.scope = scope;
    this.request = request;
    this.columns = new CallRows(scope.recording(), scope.names(), request.stacks()).columns();
  }

  void print() {
    new Listing<>("calls", columns, this::stopping)
        .print(
            request.format(),
            scope.terminal().out(),
            new CallTreeScreen(scope, request)::print,
            this::members);
  }

  private boolean shows(CallWalk call) {
    return scope.isFound(call) && request.shows(call.depth());
  }

  /** The calls that are requested, and how many of them are left out for the limit. */
  private long each(Consumer<CallWalk> each) {
    long limit = request.limit();
    long shown = 0;
    long left = 0;
    try (Progress _ = scope.progress().listing();
        CallStream stream = scope.stream()) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        if (!shows(call)) {
          continue;
        }
        if (limit != 0 && shown >= limit) {
          left++;
        } else {
          shown++;
          each.accept(call);
        }
        if (scope.terminal().outClosed()) {
          break;
        }
      }
    }
    return left;
  }

  private void members(Json json) {
    scope.members(json.text("schema", "ntrail.calls/1"), scope.counts()).array("threads");
    for (int i : scope.threads()) {
      CallThread thread = scope.recording().source().threads().get(i);
      json.object()
          .text("process", thread.process())
          .known("pid", thread.knownPid())
          .unsigned("thread", thread.tid())
          .text("name", thread.name())
          .number("calls", scope.recording().counts(i).calls())
          .endObject();
    }
    json.endArray().array("calls");
    long left = each(call -> columns.object(json, call));
    json.endArray().number("rowsLeftOut", left).gaps(scope.recording().gaps());
  }

  /** Without a counter for skipped rows, nothing past the limit is visited. */
  private void stopping(Consumer<CallWalk> each) {
    long limit = request.limit();
    long shown = 0;
    try (Progress _ = scope.progress().listing();
        CallStream stream = scope.stream()) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        if (limit != 0 && shown >= limit || scope.terminal().outClosed()) {
          return;
        }
        if (shows(call)) {
          shown++;
          each.accept(call);
        }
      }
    }
  }

  /**
   * {@code (7ff1, 2, ...)}: the requested number of recorded arguments; of 32-bit code with the
   * calling convention by which they are arguments.
   */
  static String arguments(CallWalk call, CallsRequest request, CallNames names) {
    if (call.argumentCount() == 0 || request.arguments() == 0) {
      return "";
    }
    long[] all = arguments(call, names);
    int shown = Math.min(all.length, request.arguments());
    StringJoiner list = new StringJoiner(", ", "(", all.length > shown ? ", ...)" : ")");
    for (int i = 0; i < shown; i++) {
      list.add(Long.toHexString(all[i]));
    }
    return names
        .arguments(call.function())
        .map(its -> list + " " + its.convention())
        .orElseGet(list::toString);
  }

  /** Returns the recorded arguments of a call, in their order. */
  static long[] arguments(CallWalk call, CallNames names) {
    int given = call.argumentCount();
    return names
        .arguments(call.function())
        .map(its -> Arrays.stream(its.indexes()))
        .orElseGet(() -> IntStream.range(0, given))
        .filter(index -> index < given)
        .mapToLong(call::argument)
        .toArray();
  }

  /** {@code 14,780 calls}. */
  static String calls(long count) {
    return Numbers.counted(count, "call");
  }
}

package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallEnd;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Numbers;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Columns of calls in the formats for programs. */
final class CallRows {
  private final CallRecording recording;
  private final CallNames names;
  private final boolean stacks;

  /**
   * Makes columns.
   *
   * @param stacks whether there are callers, too
   */
  CallRows(CallRecording recording, CallNames names, boolean stacks) {
    this.recording = recording;
    this.names = names;
    this.stacks = stacks;
  }

  /** Returns the columns of calls; CSV has all members but the number of the stack. */
  ListingColumns<CallWalk> columns() {
    ListingColumns<CallWalk> columns = ownColumns();
    return stacks
        ? columns.value("stack", new CallerFrames(recording.source(), names)::cell)
        : columns;
  }

  private ListingColumns<CallWalk> ownColumns() {
    return new ListingColumns<CallWalk>()
        .name("process", call -> call.threadInfo().process())
        .value("pid", (call, cell) -> number(cell, call.threadInfo().knownPid()))
        .value("thread", (call, cell) -> cell.unsigned(call.threadInfo().tid()))
        .value("stackNumber", this::stack)
        .onlyJson()
        .count("depth", CallWalk::depth)
        .name("function", call -> names.text(call.function()))
        .value("entry", CallRows::entry)
        .value("exit", (call, cell) -> number(cell, call.exit()))
        .value("duration", CallRows::duration)
        .count("children", CallWalk::children)
        .text("returned", this::returned)
        .name("end", CallRows::end)
        .text("exceptionCode", CallRows::exceptionCode)
        .name("inferred", CallRows::inferred)
        .value("returnAddress", CallRows::returnAddress)
        .value("held", this::held)
        .value("entryOnly", CallRows::entryOnly)
        .value("arguments", this::arguments)
        .value("convention", this::convention)
        .onlyJson();
  }

  private void stack(CallWalk call, CellWriter cell) {
    if (recording.hasStacks(call.thread())) {
      cell.count(call.area());
    } else {
      cell.absent();
    }
  }

  private void held(CallWalk call, CellWriter cell) {
    long held = held(recording, call);
    if (held > 0) {
      cell.count(held);
    } else {
      cell.absent();
    }
  }

  /** Returns for how much of a call ntrail held its process, in the unit of the recording. */
  static long held(CallRecording recording, CallWalk call) {
    return call.hasDuration()
        ? recording
            .source()
            .held(call.thread())
            .within(call.entry(), call.entry() + call.duration())
        : 0;
  }

  private static void number(CellWriter cell, OptionalLong value) {
    if (value.isPresent()) {
      cell.count(value.getAsLong());
    } else {
      cell.unknown();
    }
  }

  private static void entry(CallWalk call, CellWriter cell) {
    number(cell, call.lostEntry() ? OptionalLong.empty() : OptionalLong.of(call.entry()));
  }

  private static void duration(CallWalk call, CellWriter cell) {
    number(cell, call.hasDuration() ? OptionalLong.of(call.duration()) : OptionalLong.empty());
  }

  private static void returnAddress(CallWalk call, CellWriter cell) {
    if (call.lostEntry()) {
      cell.unknown();
    } else {
      cell.hex(call.caller());
    }
  }

  private static void entryOnly(CallWalk call, CellWriter cell) {
    if (call.isEntryOnly()) {
      cell.flag(true);
    } else {
      cell.absent();
    }
  }

  private void convention(CallWalk call, CellWriter cell) {
    Optional<CallNames.Arguments> arguments =
        call.argumentCount() == 0 ? Optional.empty() : names.arguments(call.function());
    if (arguments.isPresent()) {
      cell.text(arguments.get().convention());
    } else {
      cell.absent();
    }
  }

  private void arguments(CallWalk call, CellWriter cell) {
    if (call.argumentCount() == 0 || CallListing.arguments(call, names).length == 0) {
      cell.absent();
      return;
    }
    cell.shaped(
        () -> argumentText(call),
        json -> {
          json.array();
          for (long argument : CallListing.arguments(call, names)) {
            // Neither recordings nor names tell more of an argument than its place.
            json.object()
                .unknown("name")
                .unknown("type")
                .key("value")
                .hex(argument)
                .unknown("text")
                .endObject();
          }
          json.endArray();
        });
  }

  /** Separated by blanks: their number is not that of all calls. */
  private String argumentText(CallWalk call) {
    return Arrays.stream(CallListing.arguments(call, names))
        .mapToObj(Numbers::hex)
        .collect(Collectors.joining(" "));
  }

  private @Nullable String returned(CallWalk call) {
    return call.end() == CallEnd.RETURN && call.knowsReturned()
        ? Numbers.hex(names.returned(call.function(), call.value()))
        : null;
  }

  private static @Nullable String exceptionCode(CallWalk call) {
    return call.end() == CallEnd.UNWIND || call.end() == CallEnd.LEFT
        ? Numbers.hex(call.value())
        : null;
  }

  private static String end(CallWalk call) {
    CallEnd end = call.lostEntry() || call.end().isAbandoned() ? CallEnd.INFERRED : call.end();
    // Programs know four ends (docs/schema); of these only an open call has no exit either.
    return (end == CallEnd.ENTRY_ONLY ? CallEnd.OPEN : end).name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable String inferred(CallWalk call) {
    return call.lostEntry() ? "entry" : call.end().isAbandoned() ? "exit" : null;
  }
}

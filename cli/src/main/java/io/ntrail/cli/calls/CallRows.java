package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallEnd;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Calls for programs: the members that all machine formats share. */
final class CallRows {
  private final CallRecording recording;
  private final CallNames names;

  CallRows(CallRecording recording, CallNames names) {
    this.recording = recording;
    this.names = names;
  }

  /** An object of {@code ntrail.calls/1}. */
  void object(Json json, CallWalk call) {
    CallThread thread = call.threadInfo();
    json.object()
        .name("process", thread.process())
        .unsigned("pid", thread.pid())
        .unsigned("thread", thread.tid());
    if (recording.hasStacks(call.thread())) {
      json.number("stack", call.area());
    }
    json.number("depth", call.depth())
        .name("function", names.text(call.function()))
        .number("entry", call.entry());
    number(json, "exit", call.exit());
    boolean ended = call.exit().isPresent();
    number(json, "duration", ended ? OptionalLong.of(call.duration()) : OptionalLong.empty());
    json.number("children", call.children())
        .text("returned", returned(call))
        .name("end", end(call))
        .text("exceptionCode", exceptionCode(call))
        .name("inferred", inferred(call))
        .text("returnAddress", call.lostEntry() ? null : Numbers.hex(call.caller()));
    if (call.isEntryOnly()) {
      json.bool("entryOnly", true);
    }
    if (call.argumentCount() > 0) {
      json.array("arguments");
      for (int i = 0; i < call.argumentCount(); i++) {
        json.text(Numbers.hex(call.argument(i)));
      }
      json.endArray();
    }
    json.endObject();
  }

  private static void number(Json json, String key, OptionalLong value) {
    if (value.isPresent()) {
      json.number(key, value.getAsLong());
    } else {
      json.unknown(key);
    }
  }

  static void csvHead(Csv csv) {
    csv.row(
        "process",
        "pid",
        "thread",
        "depth",
        "function",
        "entry",
        "exit",
        "duration",
        "children",
        "returned",
        "end",
        "exceptionCode",
        "inferred",
        "returnAddress",
        "entryOnly",
        "arguments");
  }

  void csv(Csv csv, CallWalk call) {
    CallThread thread = call.threadInfo();
    csv.row(
        Csv.orEmpty(thread.process()),
        Long.toUnsignedString(thread.pid()),
        Long.toUnsignedString(thread.tid()),
        Integer.toString(call.depth()),
        names.text(call.function()),
        Long.toString(call.entry()),
        call.exit().isEmpty() ? "" : Long.toString(call.exit().orElseThrow()),
        call.exit().isEmpty() ? "" : Long.toString(call.duration()),
        Long.toString(call.children()),
        Csv.orEmpty(returned(call)),
        end(call),
        Csv.orEmpty(exceptionCode(call)),
        Csv.orEmpty(inferred(call)),
        call.lostEntry() ? "" : Numbers.hex(call.caller()),
        call.isEntryOnly() ? "true" : "",
        arguments(call));
  }

  /** Separated by blanks: their number is not that of all calls. */
  private static String arguments(CallWalk call) {
    return IntStream.range(0, call.argumentCount())
        .mapToObj(i -> Numbers.hex(call.argument(i)))
        .collect(Collectors.joining(" "));
  }

  private static @Nullable String returned(CallWalk call) {
    return call.end() == CallEnd.RETURN ? Numbers.hex(call.value()) : null;
  }

  private static @Nullable String exceptionCode(CallWalk call) {
    return call.end() == CallEnd.UNWIND ? Numbers.hex(call.value()) : null;
  }

  private static String end(CallWalk call) {
    CallEnd end = call.lostEntry() ? CallEnd.INFERRED : call.end();
    // Programs know four ends (docs/schema); of these only an open call has no exit either.
    return (end == CallEnd.ENTRY_ONLY ? CallEnd.OPEN : end).name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable String inferred(CallWalk call) {
    return call.lostEntry() ? "entry" : call.end() == CallEnd.INFERRED ? "exit" : null;
  }
}

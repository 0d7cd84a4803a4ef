package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallModule;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.analysis.model.CallerStack;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.ntr.RecorderCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Callers of calls, where {@code trace --stacks} recorded them: with names, as text and JSON. */
final class CallerFrames {
  private final CallSource source;
  private final CallNames names;

  CallerFrames(CallSource source, CallNames names) {
    this.source = source;
    this.names = names;
  }

  private Optional<CallerStack> of(CallWalk call) {
    return call.lostEntry() ? Optional.empty() : source.callers(call.thread(), call.entry());
  }

  /** Returns a line for each caller of a call; none if they were not recorded. */
  List<String> lines(CallWalk call) {
    List<String> lines = new ArrayList<>();
    CallerStack stack = of(call).orElse(null);
    if (stack != null) {
      for (CallerStack.Frame frame : stack.frames()) {
        boolean certain = frame.trust().equals("recorded") || frame.trust().equals("unwind");
        lines.add("by " + text(call, frame) + (certain ? "" : "  (" + frame.trust() + ")"));
      }
      if (!stack.isWhole()) {
        lines.add("(further callers are not known: " + stack.why() + ")");
      }
    }
    return lines;
  }

  /** Returns {@code module.dll!name+0x12}, or {@code module.dll!0xRVA}, or an address. */
  private String text(CallWalk call, CallerStack.Frame frame) {
    CallModule module = source.moduleAt(call.thread(), frame.address()).orElse(null);
    if (module == null) {
      return Numbers.hex(frame.address());
    }
    return module.name()
        + "!"
        + names
            .of(module, frame)
            .map(name -> name + "+" + Numbers.hex(frame.offset()))
            .orElse(Numbers.hex(frame.address() - module.base()));
  }

  /** Writes the callers of a call. */
  void cell(CallWalk call, CellWriter cell) {
    CallerStack stack = of(call).orElse(null);
    if (stack == null) {
      cell.absent();
    } else {
      cell.shaped(
          () ->
              stack.frames().stream()
                  .map(frame -> text(call, frame))
                  .collect(Collectors.joining(";")),
          json -> json(json, call, stack));
    }
  }

  private void json(Json json, CallWalk call, CallerStack stack) {
    json.array();
    for (CallerStack.Frame frame : stack.frames()) {
      CallModule module = source.moduleAt(call.thread(), frame.address()).orElse(null);
      @Nullable String name = module == null ? null : names.of(module, frame).orElse(null);
      json.object()
          .text("address", Numbers.hex(frame.address()))
          .name("module", module == null ? null : module.name())
          .text("rva", module == null ? null : Numbers.hex(frame.address() - module.base()))
          .name("function", name)
          .unknown("file")
          .unknown("line")
          .bool("inline", false)
          .name("trust", frame.trust())
          .endObject();
    }
    json.endArray();
  }

  /** Returns what has to be known of the callers of a recording; empty if it has none. */
  static Optional<String> remark(CallSource source, boolean shown) {
    long recorded = source.statistics().getOrDefault(RecorderCounter.CALLERS, 0L);
    long missed = source.statistics().getOrDefault(RecorderCounter.CALLERS_MISSED, 0L);
    long cut = source.statistics().getOrDefault(RecorderCounter.CALLERS_INCOMPLETE, 0L);
    if (!source.hasCallers() && missed == 0) {
      return Optional.empty();
    }
    return Optional.of(
        "  callers of "
            + CallListing.calls(recorded)
            + " recorded"
            + (cut == 0 ? "" : ", " + Numbers.count(cut) + " not up to the outermost")
            + (missed == 0 ? "" : ", " + Numbers.count(missed) + " missed")
            + (shown ? "" : "; calls --stacks shows them"));
  }
}

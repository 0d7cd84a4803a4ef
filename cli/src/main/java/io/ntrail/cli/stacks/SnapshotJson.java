package io.ntrail.cli.stacks;

import io.ntrail.analysis.stacks.HandlerStep;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.analysis.stacks.ShadowStackCheck;
import io.ntrail.analysis.stacks.StackModule;
import io.ntrail.analysis.stacks.ThreadStack;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.StackWalk;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes stacks of a process at one instant for programs. */
final class SnapshotJson {
  private final SnapshotAnswer answer;
  private final SnapshotRequest request;
  private final FrameJson frames = new FrameJson();

  SnapshotJson(SnapshotAnswer answer, SnapshotRequest request) {
    this.answer = answer;
    this.request = request;
  }

  /** Gives the frames of all stacks that are shown as rows. */
  void rows(Consumer<StackRow> sink) {
    for (ThreadStack stack : answer.shown()) {
      StackHead head = head(stack);
      int outermost = stack.frames().size() - 1;
      for (int i = 0; i < outermost; i++) {
        sink.accept(StackRow.of(head, i, stack.frames().get(i)));
      }
      if (outermost >= 0) {
        NamedFrame frame = stack.frames().get(outermost);
        sink.accept(new StackRow(head, outermost, frame, end(stack), why(stack)));
      }
    }
  }

  private static String end(ThreadStack stack) {
    return OptionValues.word(stack.end()).replace('_', ' ');
  }

  private static @Nullable String why(ThreadStack stack) {
    return stack.end() == StackWalk.End.END_OF_STACK ? null : stack.why();
  }

  private StackHead head(ThreadStack stack) {
    return new StackHead(
        stack.thread().tid(),
        stack.thread().name(),
        stack.thread().isFaulting(),
        answer.facts().pid(),
        answer.facts().process(),
        null);
  }

  /** Writes the members of the object. */
  void members(Json json, List<Gap> gaps) {
    SnapshotFacts facts = answer.facts();
    json.text("schema", "ntrail.stacks/1").text("file", facts.name()).text("kind", facts.kind());
    exception(json);
    json.unknown("bugcheck");
    json.object("os")
        .text("name", facts.osName())
        .text("version", facts.osVersion())
        .text("machine", facts.machine())
        .endObject();
    json.object("process");
    StacksJson.known(json, "pid", facts.pid());
    json.text("name", facts.process());
    facts
        .side()
        .ifPresent(side ->
            json.object("wow64").text("side", side.machine()).text("why", side.why()).endObject());
    json.endObject();
    List<StackModule> modules = new ArrayList<>(answer.stacks().modules());
    answer.nativeSide().ifPresent(side -> modules.addAll(side.modules()));
    modules.addAll(facts.unloaded());
    StacksJson.modules(json, modules);
    json.array("threads");
    answer.shown().forEach(stack -> thread(json, stack));
    json.endArray().number("threadsLeftOut", answer.threads().others().size());
    if (request.isSame()) {
      groups(json);
    }
    json.gaps(gaps);
    StacksJson.symbols(json, answer.stacks().symbols());
  }

  private void exception(Json json) {
    SnapshotFacts.Fault fault = answer.facts().fault().orElse(null);
    if (fault == null) {
      json.unknown("exception");
      return;
    }
    json.object("exception")
        .text("code", Numbers.hex(Integer.toUnsignedLong(fault.code())))
        .text("codeText", fault.codeText())
        .text("address", Numbers.hex(fault.address()))
        .text("text", fault.text())
        .number("tid", fault.tid())
        .endObject();
  }

  private void thread(Json json, ThreadStack stack) {
    json.object()
        .number("tid", stack.thread().tid())
        .text("name", stack.thread().name())
        .bool("faulting", stack.thread().isFaulting())
        .text("activity", OptionValues.word(stack.activity()).replace('_', ' '));
    if (request.isVerbose()) {
      stack.thread().start().ifPresent(registers -> registers(json, registers));
    }
    frames(json, "frames", stack);
    json.text("end", end(stack)).text("why", why(stack));
    answer.stacks().shadowStack(stack).ifPresent(check -> shadow(json, check));
    if (request.hasHandlers()) {
      handlers(json, answer.stacks().handlers(stack));
    }
    ThreadStack other = answer.nativeStacks().get(stack.thread().tid());
    if (other != null) {
      frames(json, "nativeFrames", other);
    }
    json.endObject();
  }

  private void frames(Json json, String key, ThreadStack stack) {
    if (!request.isVerbose()) {
      frames.array(json, key, stack.frames());
      return;
    }
    json.array(key);
    int physical = 0;
    for (NamedFrame frame : stack.frames()) {
      json.object();
      frames.members(json, frame);
      if (!frame.isInlined() && physical < stack.walked().size()) {
        registers(json, stack.walked().get(physical++).registers());
      }
      json.endObject();
    }
    json.endArray();
  }

  private static void registers(Json json, FrameRegisters registers) {
    json.object("registers");
    RegisterText.values(registers).forEach((name, value) -> json.text(name, Numbers.hex(value)));
    json.endObject();
  }

  private static void shadow(Json json, ShadowStackCheck check) {
    json.object("shadowStack").number("compared", check.compared());
    if (check.differs().isPresent()) {
      json.number("differsAt", check.differs().getAsInt())
          .text("expected", Numbers.hex(check.expected()));
    } else {
      json.unknown("differsAt");
    }
    json.endObject();
  }

  private static void handlers(Json json, List<HandlerStep> steps) {
    json.array("handlers");
    for (HandlerStep step : steps) {
      json.object();
      StacksJson.known(json, "frame", step.frame());
      json.text("kind", step.kind().word())
          .text("address", Numbers.hex(step.address()))
          .text("module", step.module())
          .text("rva", step.rva() == NamedFrame.UNKNOWN ? null : Numbers.hex(step.rva()))
          .text("function", step.function())
          .text("action", step.action())
          .endObject();
    }
    json.endArray();
  }

  private void groups(Json json) {
    json.array("groups");
    for (StackGroup<ThreadStack> group : answer.groups(true)) {
      json.object().number("count", group.members().size()).array("tids");
      group.members().forEach(stack -> json.number(stack.thread().tid()));
      json.endArray();
      frames.array(json, "frames", group.frames());
      json.endObject();
    }
    json.endArray();
  }
}

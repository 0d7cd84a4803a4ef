package io.ntrail.cli.stacks;

import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.stacks.HandlerStep;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.analysis.stacks.ShadowStackCheck;
import io.ntrail.analysis.stacks.SnapshotCode;
import io.ntrail.analysis.stacks.SnapshotStacks;
import io.ntrail.analysis.stacks.SnapshotThread;
import io.ntrail.analysis.stacks.StackModule;
import io.ntrail.analysis.stacks.ThreadActivity;
import io.ntrail.analysis.stacks.ThreadStack;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.StackWalk;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Prints stacks of a process at one instant for people. */
final class SnapshotScreen {
  /** Instructions around the one at fault that are shown. */
  private static final int CODE_BEFORE = 5;

  private static final int CODE_AFTER = 3;

  /** Column at which the instruction of a fault begins, if the place leaves room. */
  private static final int INSTRUCTION = 40;

  /** Ids of threads that share a stack, in a line. */
  private static final int MOST_IDS = 12;

  private final SnapshotAnswer answer;
  private final SnapshotRequest request;
  private final Terminal terminal;
  private final PrintStream out;
  private final FrameTable table;
  private final boolean is64Bit;

  SnapshotScreen(SnapshotAnswer answer, SnapshotRequest request, Terminal terminal) {
    this.answer = answer;
    this.request = request;
    this.terminal = terminal;
    this.out = terminal.out();
    this.is64Bit = answer.stacks().process().is64Bit();
    this.table =
        new FrameTable(terminal, CommonOptions.width(request.parsed(), terminal), is64Bit, true);
  }

  /**
   * Prints all of it.
   *
   * @param state of the recording, for the first line; empty if it is none
   * @param isWhole whether all of it could be read
   */
  void print(String state, boolean isWhole) {
    out.println(
        TextSanitizer.one(answer.facts().heading()) + (state.isEmpty() ? "" : ", " + state));
    answer.facts().side().map(SnapshotFacts.Side::why).ifPresent(out::println);
    boolean hasShownFault =
        answer.shown().stream().anyMatch(stack -> answer.faultOf(stack).isPresent());
    if (!hasShownFault && !request.isLive()) {
      answer
          .facts()
          .fault()
          .ifPresentOrElse(
              this::unshown,
              () -> out.println("no exception" + (isWhole ? "" : CannotGoOn.AS_FAR_AS_READ)));
    }
    for (StackGroup<ThreadStack> group : answer.groups(request.isSame())) {
      out.println();
      group(group);
    }
    closing();
  }

  private void group(StackGroup<ThreadStack> group) {
    ThreadStack first = group.members().getFirst();
    if (group.members().size() == 1) {
      out.println(head(first));
    } else {
      out.println(together(group.members()));
    }
    answer.faultOf(first).ifPresent(fault -> fault(fault, first));
    stack(first, answer.stacks(), table);
    ThreadStack other = answer.nativeStacks().get(first.thread().tid());
    if (other != null) {
      out.println("  on the 64-bit side (WOW64):");
      stack(other, answer.nativeSide().orElseThrow(), table.of64Bit());
    }
  }

  private void stack(ThreadStack stack, SnapshotStacks side, FrameTable frames) {
    if (!stack.frames().isEmpty()) {
      frames.print(stack.frames(), request.isVerbose() ? Optional.of(stack) : Optional.empty());
    }
    out.println("     " + end(stack));
    side.shadowStack(stack).ifPresent(check -> out.println("     " + shadow(check)));
    if (request.hasHandlers()) {
      handlers(side.handlers(stack));
    }
  }

  private void handlers(List<HandlerStep> steps) {
    if (steps.isEmpty()) {
      out.println("  no handlers are known");
      return;
    }
    out.println("  an exception in frame 0 would come to these handlers, in this order:");
    Table rows = new Table().number("#").name("handler").name("code").name("action");
    for (HandlerStep step : steps) {
      String code =
          step.module() == null
              ? Numbers.hex(step.address())
              : step.function() == null
                  ? step.module() + "+" + Numbers.hex(step.rva())
                  : step.module() + "!" + step.function();
      rows.row(
          step.frame() < 0 ? "-" : Integer.toString(step.frame()),
          step.kind().word(),
          code,
          step.action());
    }
    rows.print(out, 2, CommonOptions.width(request.parsed(), terminal));
  }

  private static String end(ThreadStack stack) {
    if (stack.end() == StackWalk.End.END_OF_STACK) {
      return "end of stack";
    }
    String why = stack.why().isEmpty() ? stack.end().name() : stack.why();
    return stack.frames().isEmpty() ? "no frames: " + why : "the walk ends here: " + why;
  }

  private static String shadow(ShadowStackCheck check) {
    if (check.compared() == 0) {
      return "shadow stack: on, its memory is not in the dump";
    }
    return check.differs().isEmpty()
        ? "shadow stack: agrees on " + Numbers.counted(check.compared(), "return address")
        : "shadow stack: DIFFERS at frame %d, which returns to %s by it"
            .formatted(check.differs().getAsInt(), Numbers.hex(check.expected()));
  }

  private String head(ThreadStack stack) {
    SnapshotThread thread = stack.thread();
    Optional<SnapshotFacts.Fault> fault = answer.faultOf(stack);
    return name(thread)
        + fault
            .map(why -> " stopped: " + why.text())
            .orElseGet(() -> " " + words(stack.activity()));
  }

  /**
   * Prints why it stopped, of a thread whose stack is not shown; of one that is lost also where.
   */
  private void unshown(SnapshotFacts.Fault fault) {
    Optional<SnapshotThread> known =
        answer.threads().others().stream()
            .filter(thread -> thread.tid() == fault.tid())
            .findFirst();
    String name =
        known.map(SnapshotScreen::name).orElse("thread " + fault.tid() + ", not in the dump,");
    out.println(name + " stopped: " + fault.text());
    if (known.isEmpty()) {
      out.println("  at " + TextSanitizer.one(answer.place(fault).place()));
    }
  }

  private static String name(SnapshotThread thread) {
    return "thread "
        + Long.toUnsignedString(thread.tid())
        + (thread.name() == null ? "" : " \"" + TextSanitizer.one(thread.name()) + "\"");
  }

  private static String together(List<ThreadStack> members) {
    List<String> ids =
        members.stream()
            .limit(MOST_IDS)
            .map(stack -> Long.toUnsignedString(stack.thread().tid()))
            .toList();
    return Numbers.counted(members.size(), "thread")
        + " with this stack: "
        + String.join(", ", ids)
        + (members.size() > MOST_IDS ? ", ..." : "");
  }

  private static String words(ThreadActivity activity) {
    return switch (activity) {
      case WAITS -> "waits in a system call";
      case RUNS -> "runs";
      case NO_STACK -> "has no stack memory in the dump";
      case NO_REGISTERS -> "has no frames";
    };
  }

  /** Prints where a fault happened: function, instruction, registers that it names. */
  private void fault(SnapshotFacts.Fault fault, ThreadStack stack) {
    NamedFrame place = answer.place(fault);
    StringBuilder line = new StringBuilder("  at " + TextSanitizer.one(place.place()));
    SnapshotCode code = new SnapshotCode(answer.stacks().process());
    code.at(fault.address())
        .ifPresent(instruction -> {
          line.repeat(' ', Math.max(2, INSTRUCTION - line.length())).append(instruction.text());
          String values = values(code, fault, stack);
          if (!values.isEmpty()) {
            line.append("     ").append(values);
          }
        });
    out.println(line);
    if (request.isVerbose()) {
      code(code, place, fault.address());
      registers(stack);
    }
  }

  private static String values(SnapshotCode code, SnapshotFacts.Fault fault, ThreadStack stack) {
    Optional<FrameRegisters> registers =
        stack.thread().start().filter(start -> start.ip() == fault.address());
    List<String> values = new ArrayList<>();
    registers.ifPresent(known -> {
      for (SnapshotCode.Value value : code.operands(fault.address(), known)) {
        values.add(
            value.register() + " = " + (value.value() == 0 ? "0" : Numbers.hex(value.value())));
      }
    });
    return String.join(", ", values);
  }

  private void code(SnapshotCode code, NamedFrame place, long address) {
    long begin = place.offset() == NamedFrame.UNKNOWN ? address : address - place.offset();
    List<SnapshotCode.Line> lines = code.around(begin, address, CODE_BEFORE, CODE_AFTER);
    if (lines.isEmpty()) {
      out.println("     no code there");
      return;
    }
    Table listing = new Table().name("").name("address").name("bytes").name("instruction");
    for (SnapshotCode.Line line : lines) {
      listing.row(
          line.address() == address ? ">" : "",
          StackRow.pointer(line.address(), is64Bit),
          line.bytes(),
          line.text());
    }
    listing.print(out, 2, 0);
  }

  private void registers(ThreadStack stack) {
    stack
        .thread()
        .start()
        .ifPresent(registers ->
            RegisterText.lines(registers, true).forEach(line -> out.println("  " + line)));
  }

  private void closing() {
    out.println();
    if (!answer.threads().others().isEmpty()) {
      out.println(others());
    }
    if (request.isVerbose()) {
      unloaded();
    }
    table.legend();
    symbols(answer.stacks().symbols());
  }

  /** {@code 30 more threads: 26 wait, 3 run, 1 without stack memory}. */
  private String others() {
    Map<ThreadActivity, Long> counts = new EnumMap<>(ThreadActivity.class);
    for (SnapshotThread thread : answer.threads().others()) {
      counts.merge(answer.stacks().activity(thread), 1L, Long::sum);
    }
    List<String> parts = new ArrayList<>();
    counts.forEach(
        (activity, count) -> parts.add(Numbers.count(count) + " " + few(activity, count)));
    return Numbers.counted(answer.threads().others().size(), "more thread")
        + ": "
        + String.join(", ", parts)
        + " (--all: show, --same: group equal ones)";
  }

  private static String few(ThreadActivity activity, long count) {
    return switch (activity) {
      case WAITS -> count == 1 ? "waits" : "wait";
      case RUNS -> count == 1 ? "runs" : "run";
      case NO_STACK -> "without stack memory";
      case NO_REGISTERS -> "without registers to walk from";
    };
  }

  private void unloaded() {
    List<StackModule> unloaded = answer.facts().unloaded();
    if (unloaded.isEmpty()) {
      return;
    }
    out.println("unloaded modules:");
    Table modules = new Table().name("from").name("to").name("module");
    for (StackModule module : unloaded) {
      modules.row(
          StackRow.pointer(module.base(), is64Bit),
          StackRow.pointer(module.base() + module.size(), is64Bit),
          module.name());
    }
    modules.print(out, 2, 0);
  }

  private void symbols(RecordingSymbols symbols) {
    if (symbols.hot() > 0) {
      out.println(
          "symbols: %s of %s on these stacks%s"
              .formatted(
                  Numbers.count(symbols.found()),
                  Numbers.counted(symbols.hot(), "image"),
                  symbols.exporting() == 0
                      ? ""
                      : ", export names of " + Numbers.count(symbols.exporting())));
    }
  }
}

package io.ntrail.live.trace;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.CallbackCode;
import io.ntrail.live.code.ResumeCalls;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.Planner;
import io.ntrail.live.plan.SkipReason;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.ResumeRequests;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Hooks {@code NtResumeThread} in a target, so that its threads wait before they let a new process
 * run.
 */
final class ChildProcessHook {
  private static final String FUNCTION = "NtResumeThread";
  private static final String ADDRESS = "ntdll!" + FUNCTION;
  private static final int SIZE = 0x1000;
  private static final int ALIGNMENT = 16;

  private final ResumeRequests board;

  private ChildProcessHook(ResumeRequests board) {
    this.board = board;
  }

  /** Returns the requests of the threads that wait. */
  ResumeRequests board() {
    return board;
  }

  /** Returns a plan that skips the hooked function. */
  static TracePlan leaveAlone(TracePlan plan, TargetProcess target) {
    long address = target.calls().find(ADDRESS);
    return plan.without(
        plan.functions().stream()
            .filter(planned -> planned.module().module().base() + planned.rva() == address)
            .toList(),
        SkipReason.Kind.NEEDED);
  }

  /**
   * Writes the hook. It does not hold children before the functions that the tracer knows are
   * patched, and it is taken away with them.
   *
   * @param untraced addresses of functions of the system as they are without tracing
   * @return empty if that is not possible
   */
  static Optional<ChildProcessHook> install(
      TargetProcess target, Tracer tracer, ResumeRequests board, ToLongFunction<String> untraced) {
    Optional<PlannedFunction> found =
        target.modules().stream()
            .filter(module -> module.stem().equalsIgnoreCase("ntdll"))
            .findFirst()
            .flatMap(module -> plan(target.memory(), module));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    TracedCode function = found.get().code().orElseThrow();
    TargetModule module = found.get().module().module();
    TargetMemory memory = target.memory();
    long base =
        memory.allocateNear(
            module.base(), module.base() + module.size(), SIZE, TargetMemory.READ_WRITE, _ -> true);
    if (base == 0 || !tracer.memory().lookup().add(base, SIZE)) {
      return Optional.empty();
    }
    Architecture architecture = target.architecture();
    CallbackCode gate =
        architecture.resumeThread(
            tracer.memory().control(),
            new ResumeCalls(
                untraced.applyAsLong("ntdll!NtDelayExecution"),
                untraced.applyAsLong("ntdll!NtQueryInformationThread")));
    byte[] code = gate.code();
    byte[] rest = architecture.body(function, base + code.length);
    int tableAt = code.length + rest.length + ALIGNMENT - 1 & -ALIGNMENT;
    BytesBuilder block = new BytesBuilder(SIZE).bytes(code).bytes(rest);
    block.zeros(tableAt - block.size()).bytes(gate.table(tableAt));
    memory.write(base, block.toArray());
    memory.protect(base, SIZE, TargetMemory.EXECUTE_READ);
    tracer.memory().beside(new TracingMemory.Block(base, base, SIZE));
    tracer
        .memory()
        .table(new TracingMemory.Table(base + tableAt, gate.entries(), base, base + tableAt));
    tracer.memory().register();
    tracer.patcher().add(new Patcher.Patched(found.get(), base, base + code.length));
    return Optional.of(new ChildProcessHook(board));
  }

  /** Plans the hook, if the function's first instructions can be moved without unwind data. */
  private static Optional<PlannedFunction> plan(TargetMemory memory, TargetModule module) {
    return Planner.planOwn(module, TargetImage.read(memory, module), FUNCTION)
        .filter(planned -> planned.code().orElseThrow().relative().isEmpty())
        .filter(planned -> planned.code().orElseThrow().prologue().length == 0);
  }
}

package io.ntrail.benchmarks;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.trace.BufferSettings;
import io.ntrail.live.trace.TraceRun;
import io.ntrail.live.trace.TraceSettings;
import io.ntrail.live.trace.TraceTarget;
import io.ntrail.live.trace.TracingOverhead;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Runs a program once with tracing, as {@code ntrail trace} does, and measures the steps. */
final class LiveTrial {
  private static final int POLL_MILLIS = 20;

  private final AgentHost.Wine host = AgentHost.Wine.find(Map.of());

  /**
   * Times of one run.
   *
   * @param startNanos until the program is at its first instruction, agent included
   * @param planNanos until it is known what can be patched
   * @param prepareNanos session file, areas, self-test and the measurement of the cost
   * @param beginNanos from the plan to the running program: stubs, definitions, patches
   * @param stoppedNanos how long the threads stood in it
   * @param reentrant calls that were not recorded because their thread was just being known
   */
  record Run(
      TracePlan plan,
      int traced,
      TracingOverhead cost,
      long ticksPerSecond,
      long startNanos,
      long planNanos,
      long prepareNanos,
      long beginNanos,
      long stoppedNanos,
      long reentrant,
      RecorderStatistics statistics) {
    long events() {
      return statistics.captured().events();
    }

    double lost() {
      double dropped = statistics.allDropped();
      return dropped / Math.max(1, dropped + events());
    }
  }

  /** Returns the name that the traced program has for a file of this machine. */
  String name(Path file) {
    return host.name(file);
  }

  /** The loader that runs programs without tracing. */
  Path loader() {
    return host.loader();
  }

  /**
   * Runs.
   *
   * @param most functions that are traced at most
   */
  Run run(
      Path recording,
      int buffers,
      int most,
      BiPredicate<TargetModule, String> wanted,
      List<String> words) {
    Supplier<TraceTarget> start = () -> TraceTarget.start(host, words);
    return trace(start, recording, buffers, wanted, plan -> cut(plan, most), () -> {});
  }

  /**
   * Attaches to a program that runs, and traces it to its end.
   *
   * @param name of its file, without extension
   * @param cut takes functions out of what can be traced
   * @param begun what is done when functions are patched
   */
  Run attached(
      Path recording,
      int buffers,
      String name,
      BiPredicate<TargetModule, String> wanted,
      UnaryOperator<TracePlan> cut,
      Runnable begun) {
    Supplier<TraceTarget> attach = () -> TraceTarget.attach(host, name);
    return trace(attach, recording, buffers, wanted, cut, begun);
  }

  private static Run trace(
      Supplier<TraceTarget> open,
      Path recording,
      int buffers,
      BiPredicate<TargetModule, String> wanted,
      UnaryOperator<TracePlan> cut,
      Runnable begun) {
    long begin = System.nanoTime();
    TraceTarget target = open.get();
    boolean ended = false;
    try (target) {
      long started = System.nanoTime();
      TracePlan plan = cut.apply(target.plan(choice(wanted)));
      long planned = System.nanoTime();
      TraceSettings settings =
          new TraceSettings(
              recording, 0, BufferSettings.fixed(buffers, false), 4096, 0, 0, "benchmark");
      try (TraceRun run = TraceRun.prepare(target, settings)) {
        long prepared = System.nanoTime();
        List<PlannedFunction> refused = run.begin(plan);
        long armed = System.nanoTime();
        begun.run();
        OptionalInt exit = OptionalInt.empty();
        while (exit.isEmpty()) {
          exit = run.await(POLL_MILLIS);
        }
        ended = true;
        if (exit.getAsInt() != 0) {
          throw new CannotGoOn("the program ended with " + exit.getAsInt(), "");
        }
        return new Run(
            plan,
            plan.patched() - refused.size(),
            run.cost(),
            run.ticksPerSecond(),
            started - begin,
            planned - started,
            prepared - planned,
            armed - prepared,
            run.stoppedNanos(),
            run.reentrant(),
            run.finish(exit));
      }
    } finally {
      if (!ended) {
        target.process().kill(1);
      }
    }
  }

  private static TracePlan cut(TracePlan plan, int most) {
    return new TracePlan(
        plan.functions().stream().filter(PlannedFunction::isTraced).limit(most).toList(),
        plan.remarks());
  }

  private static TracePlan.Selection choice(BiPredicate<TargetModule, String> wanted) {
    return new TracePlan.Selection() {
      @Override
      public boolean mayWant(TargetModule module) {
        return wanted.test(module, "");
      }

      @Override
      public boolean wants(TargetModule module, String name) {
        return wanted.test(module, name);
      }

      @Override
      public boolean excludes(TargetModule module, String name) {
        return false;
      }
    };
  }
}

package io.ntrail.benchmarks;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.trace.Cost;
import io.ntrail.live.trace.TracePlan;
import io.ntrail.live.trace.TraceRun;
import io.ntrail.live.trace.TraceSettings;
import io.ntrail.live.trace.TraceTarget;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.BiPredicate;

/** Runs a program once with tracing, as {@code ntrail trace} does, and measures the steps. */
final class LiveTrial {
  private static final int POLL_MILLIS = 20;

  private final AgentHost.Wine host = AgentHost.Wine.find(Map.of());

  /**
   * What one run was.
   *
   * @param startNanos until the program stands at its first instruction, agent included
   * @param planNanos until it is known what can be patched
   * @param prepareNanos session file, areas, self-test and the measurement of the cost
   * @param beginNanos from the plan to the running program: stubs, definitions, patches
   * @param stoppedNanos how long the threads stood in it
   */
  record Run(
      TracePlan plan,
      int traced,
      Cost cost,
      long ticksPerSecond,
      long startNanos,
      long planNanos,
      long prepareNanos,
      long beginNanos,
      long stoppedNanos,
      RecorderStatistics statistics) {
    long events() {
      return statistics.captured().events();
    }

    double lost() {
      double dropped = statistics.allDropped();
      return dropped / Math.max(1, dropped + events());
    }
  }

  /** How the program that is traced names a file of this machine. */
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
    long begin = System.nanoTime();
    TraceTarget target = TraceTarget.start(host, words);
    boolean ended = false;
    try (target) {
      long started = System.nanoTime();
      TracePlan plan = cut(TracePlan.of(target, choice(wanted)), most);
      long planned = System.nanoTime();
      TraceSettings settings = new TraceSettings(recording, 0, buffers, 4096, 0, 0, "benchmark");
      try (TraceRun run = TraceRun.prepare(target, settings)) {
        long prepared = System.nanoTime();
        List<PlannedFunction> refused = run.begin(plan);
        long begun = System.nanoTime();
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
            begun - prepared,
            run.stoppedNanos(),
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

  private static TracePlan.Choice choice(BiPredicate<TargetModule, String> wanted) {
    return new TracePlan.Choice() {
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

package io.ntrail.analysis.probe.sources;

import io.ntrail.analysis.probe.aggregation.Aggregation;
import io.ntrail.analysis.probe.compile.ProgramCompiler;
import io.ntrail.analysis.probe.compile.ProgramCompiler.Compiled;
import io.ntrail.analysis.probe.engine.Consumer;
import io.ntrail.analysis.probe.engine.Enabling;
import io.ntrail.analysis.probe.engine.Memory;
import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.analysis.probe.syntax.Program;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Runs a program over the events of a source. One run each. */
public final class ProbeRun {
  private final ProbeSource source;
  private final ProbeCatalog catalog;
  private final Options options;
  private final Compiled compiled;
  private final Memory memory = new Memory(null);
  private final int matched;

  /** Firings of a probe of time without any event between them: further ones are left out. */
  private static final long MOST_AT_ONCE = 1_000_000;

  /**
   * Answer beside what was printed.
   *
   * @param status given to exit(); 0 without one
   * @param isExited true if the program called exit()
   * @param matched enabled clauses, one for each of their probes
   * @param fired clauses that ran their actions
   * @param faults clauses that ended at a fault, in the predicate or in an action
   * @param drops what was not kept, in words
   * @param undecided firings in which a condition was false that asked for a process or file that
   *     is not recorded
   * @param aggregations in the order of the program
   */
  public record Outcome(
      int status,
      boolean isExited,
      int matched,
      long fired,
      long faults,
      List<String> drops,
      long undecided,
      List<Aggregation> aggregations) {
    /** Copies. */
    public Outcome {
      drops = List.copyOf(drops);
      aggregations = List.copyOf(aggregations);
    }
  }

  /**
   * Compiles a program.
   *
   * @param options are set as the program says
   * @throws CompileError if it makes no sense, or means no probe
   */
  public ProbeRun(ProbeSource source, Program program, Options options) {
    this(source, program, options, false);
  }

  /**
   * Compiles a program.
   *
   * @param options are set as the program says
   * @param isLenient true if descriptions may mean no probe
   * @throws CompileError if it makes no sense
   */
  public ProbeRun(ProbeSource source, Program program, Options options, boolean isLenient) {
    this.source = source;
    this.catalog = new ProbeCatalog(source);
    this.options = options;
    this.compiled =
        ProgramCompiler.compile(
            program, options, memory, description -> catalog.matching(description, isLenient));
    this.matched = compiled.enablings().size();
  }

  /** Returns how many clauses are enabled, one for each of their probes. */
  public int matched() {
    return matched;
  }

  /** State of a run: what fires when. */
  private final class Turns implements ProbeSource.Sink {
    private final Run run;
    private final Consumer consumer;
    private final BooleanSupplier isStopped;
    private final Map<Integer, List<Enabling>> byProbe = new HashMap<>();
    private final List<ProbeCatalog.Timer> timers = catalog.timers();
    private final long[] due = new long[timers.size()];
    private long nextDue = Long.MAX_VALUE;

    /** Time of the last firing. */
    private long now;

    private long leftOut;
    private int enabled = compiled.enablings().size();

    Turns(Run run, Consumer consumer, BooleanSupplier isStopped) {
      this.run = run;
      this.consumer = consumer;
      this.isStopped = isStopped;
      for (Enabling enabling : compiled.enablings()) {
        byProbe.computeIfAbsent(enabling.probe().id(), _ -> new ArrayList<>()).add(enabling);
      }
      for (int i = 0; i < due.length; i++) {
        due[i] = timers.get(i).nanos();
        nextDue = Math.min(nextDue, due[i]);
      }
    }

    List<Enabling> of(Probe probe) {
      return byProbe.getOrDefault(probe.id(), List.of());
    }

    private boolean goesOn() {
      return !run.isExiting() && !isStopped.getAsBoolean();
    }

    @Override
    public boolean reach(long nanos) {
      if (nextDue <= nanos) {
        leaveOut(nanos);
      }
      while (nextDue <= nanos && nextDue != Long.MAX_VALUE && goesOn()) {
        now = nextDue;
        nextDue = Long.MAX_VALUE;
        for (int i = 0; i < due.length; i++) {
          if (due[i] == now && goesOn()) {
            fire(timers.get(i).probe());
            long period = timers.get(i).nanos();
            due[i] = due[i] > Long.MAX_VALUE - period ? Long.MAX_VALUE : due[i] + period;
          }
          nextDue = Math.min(nextDue, due[i]);
        }
      }
      return goesOn();
    }

    private void fire(Probe timer) {
      List<ProbeEvent> events =
          ProbeCatalog.isOnEachProcessor(timer)
              ? source.atEachProcessor(now)
              : List.of(source.at(now));
      for (int i = 0; i < events.size() && goesOn(); i++) {
        run.fire(of(timer), events.get(i));
      }
    }

    /** Leaves firings out where a time without events has more of them than anybody looks at. */
    private void leaveOut(long nanos) {
      for (int i = 0; i < due.length; i++) {
        long period = timers.get(i).nanos();
        long all = due[i] > nanos ? 0 : (nanos - due[i]) / period;
        int each = ProbeCatalog.isOnEachProcessor(timers.get(i).probe()) ? source.processors() : 1;
        long most = MOST_AT_ONCE / each;
        if (all > most) {
          long left = all - most;
          leftOut += left * each;
          due[i] += left * period;
        }
      }
    }

    @Override
    public boolean fire(Probe probe, ProbeEvent event) {
      if (!reach(event.timestamp())) {
        return false;
      }
      now = event.timestamp();
      run.fire(of(probe), event);
      return goesOn();
    }

    @Override
    public Set<Probe> enable(List<Probe> probes) {
      Set<Probe> all = new HashSet<>();
      for (ProgramCompiler.DescribedClause clause : compiled.clauses()) {
        for (ProbeDescription description : clause.probes()) {
          Set<Probe> meant = new HashSet<>(catalog.matching(description, true));
          for (Probe probe : probes) {
            if (meant.contains(probe)) {
              all.add(probe);
              byProbe
                  .computeIfAbsent(probe.id(), _ -> new ArrayList<>())
                  .add(new Enabling(++enabled, probe, clause.clause()));
            }
          }
        }
      }
      return all;
    }

    @Override
    public void pause() {
      consumer.flush();
    }
  }

  /**
   * Runs it, from BEGIN to END.
   *
   * @param out receives what it prints
   * @param err receives faults
   * @param isStopped true as soon as the events are to end
   */
  public Outcome run(OutputStream out, PrintStream err, BooleanSupplier isStopped) {
    Consumer consumer = new Consumer(options, out, err, compiled.aggregations());
    Run run = new Run(options, consumer, memory, source.at(0));
    Turns turns = new Turns(run, consumer, isStopped);
    run.prepare(compiled.variables(), compiled.clauseLocals(), turns.of(ProbeCatalog.ERROR));
    run.fire(turns.of(ProbeCatalog.BEGIN), source.at(0));
    turns.pause();
    if (turns.goesOn()) {
      source.run(enabled(), turns);
      if (turns.goesOn()) {
        turns.reach(source.endNanos());
      }
    }
    boolean isExited = run.isExiting();
    // What ends before the events do ends when exit() was called, or at the last firing.
    long end = turns.goesOn() ? source.endNanos() : turns.now;
    run.ending();
    run.fire(turns.of(ProbeCatalog.END), source.at(end));
    consumer.end();
    return new Outcome(
        run.exitStatus(),
        isExited,
        turns.enabled,
        run.fired(),
        run.faults(),
        drops(run, turns),
        run.undecided(),
        compiled.aggregations());
  }

  private static List<String> drops(Run run, Turns turns) {
    List<String> drops = new ArrayList<>(run.drops());
    if (turns.leftOut > 0) {
      drops.add(
          "%d firings of probes of time left out, in times without events"
              .formatted(turns.leftOut));
    }
    return drops;
  }

  private Set<Probe> enabled() {
    Set<Probe> enabled = new HashSet<>();
    compiled.enablings().forEach(one -> enabled.add(one.probe()));
    return enabled;
  }
}

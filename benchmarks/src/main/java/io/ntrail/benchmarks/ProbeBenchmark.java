package io.ntrail.benchmarks;

import io.ntrail.analysis.probe.compile.ProgramCompiler;
import io.ntrail.analysis.probe.compile.ProgramCompiler.Compiled;
import io.ntrail.analysis.probe.engine.Consumer;
import io.ntrail.analysis.probe.engine.FieldReference;
import io.ntrail.analysis.probe.engine.Memory;
import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.syntax.Macros;
import io.ntrail.analysis.probe.syntax.Parser;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Evaluations of a clause with a predicate and {@code count()} by one string, on one core: the
 * engine alone, events cost nothing.
 */
public final class ProbeBenchmark {
  private static final int EVENTS = 5_000_000;
  private static final String PROGRAM =
      "bench:::event /args[0]->size > 1000/ { @[execname] = count(); }";

  private ProbeBenchmark() {}

  /** Event of one of a hundred programs. */
  private static final class Event implements ProbeEvent {
    private static final String[] NAMES = new String[100];

    static {
      for (int i = 0; i < NAMES.length; i++) {
        NAMES[i] = "program" + i + ".exe";
      }
    }

    private int number;

    @Override
    public long timestamp() {
      return number;
    }

    @Override
    public long wallTimestamp() {
      return number;
    }

    @Override
    public String program() {
      return NAMES[number % NAMES.length];
    }

    @Override
    public long field(FieldReference field) {
      return 2000L + number;
    }
  }

  /** Measures. Arguments: none. */
  public static void main(String[] arguments) {
    Type fields = new Type.Fields("event", List.of(new Type.Fields.Field("size", Types.UINT64)));
    Probe probe = new Probe(1, "bench", "", "", "event", List.of(fields));
    Options options = new Options();
    Memory memory = new Memory(null);
    Compiled compiled =
        ProgramCompiler.compile(
            Parser.parse(PROGRAM, new Macros(List.of("bench"), Map.of())),
            options,
            memory,
            _ -> List.of(probe));
    Consumer consumer =
        new Consumer(options, OutputStream.nullOutputStream(), System.err, compiled.aggregations());
    Event event = new Event();
    Run run = new Run(options, consumer, memory, event);
    run.prepare(compiled.variables(), compiled.clauseLocals(), List.of());
    double best = 0;
    for (int round = 0; round < 8; round++) {
      long begun = System.nanoTime();
      for (int i = 0; i < EVENTS; i++) {
        event.number = i;
        run.fire(compiled.enablings(), event);
      }
      best = Math.max(best, EVENTS * 1e3 / (System.nanoTime() - begun));
    }
    System.out.println(
        String.format(Locale.ROOT, "%.1f M evaluations/s, %d fired", best, run.fired()));
  }
}

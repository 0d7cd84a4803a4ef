package io.ntrail.analysis.probe;

import io.ntrail.analysis.probe.compile.ProgramCompiler;
import io.ntrail.analysis.probe.compile.ProgramCompiler.Compiled;
import io.ntrail.analysis.probe.engine.Consumer;
import io.ntrail.analysis.probe.engine.Enabling;
import io.ntrail.analysis.probe.engine.FieldReference;
import io.ntrail.analysis.probe.engine.Memory;
import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Macros;
import io.ntrail.analysis.probe.syntax.Parser;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import io.ntrail.testkit.probe.SlowEvent;
import io.ntrail.testkit.probe.SlowProgram;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** D program over a few events of a machine where nothing else happens. */
final class ProbeScript {
  private static final int MOST_TICKS = 10_000;

  /** Fields of {@code args[0]} at the probe {@code read}. */
  static final Type.Fields READ =
      new Type.Fields(
          "Read",
          List.of(
              new Type.Fields.Field("Size", Types.UINT32),
              new Type.Fields.Field("FileName", Types.TEXT)));

  /** Fields of {@code args[1]} there. */
  static final Type.Fields PROCESS =
      new Type.Fields(
          "Process",
          List.of(
              new Type.Fields.Field("Id", Types.INT), new Type.Fields.Field("Size", Types.INT)));

  /** Fields of {@code args[0]} at the probe {@code other}. */
  static final Type.Fields OTHER =
      new Type.Fields("Other", List.of(new Type.Fields.Field("Size", Types.TEXT)));

  private static final List<Probe> PROBES =
      List.of(
          new Probe(1, "dtrace", "", "", "BEGIN", List.of()),
          new Probe(2, "dtrace", "", "", "END", List.of()),
          new Probe(3, "dtrace", "", "", "ERROR", List.of()),
          new Probe(4, "profile", "", "", "tick-1ms", List.of()),
          new Probe(5, "test", "disk", "DoRead", "read", List.of(READ, PROCESS)),
          new Probe(6, "pid1", "app", "outer", "entry", List.of(Types.INT)),
          new Probe(7, "pid1", "app", "outer", "return", List.of(Types.INT)),
          new Probe(8, "test", "", "", "event", List.of()),
          new Probe(9, "test", "", "", "other", List.of(OTHER)),
          new Probe(10, "syscall", "", "NtRead", "entry", List.of()));

  private final Memory.@Nullable Reader memory;
  private final Macros macros;

  /**
   * Printed texts.
   *
   * @param out a character for each byte
   * @param err as the program said it on the other stream
   */
  record Result(String out, String err, int status, List<String> drops) {}

  /** Event with values that a test chooses. */
  record Event(int probe, long number, long thread, long size, String name, List<String> stack)
      implements ProbeEvent {
    static Event tick(long number) {
      return new Event(4, number, 1, 0, "", List.of());
    }

    static Event read(long number, long thread, long size, String name) {
      return new Event(5, number, thread, size, name, List.of("ntdll`Read+0x4", "app`main"));
    }

    static Event entry(long argument) {
      return new Event(6, argument, 1, 0, "", List.of());
    }

    static Event leave(long value) {
      return new Event(7, value, 1, 0, "", List.of());
    }

    @Override
    public long timestamp() {
      return number * 1_000_000;
    }

    @Override
    public long wallTimestamp() {
      return timestamp();
    }

    @Override
    public long processId() {
      return 100;
    }

    @Override
    public long threadId() {
      return thread;
    }

    @Override
    public long parentId() {
      return 0;
    }

    @Override
    public String program() {
      return "SearchIndexer.exe";
    }

    @Override
    public long argument(int index) {
      return index == 0 ? number : 0;
    }

    @Override
    public long field(FieldReference field) {
      boolean isSize = field.name().equals("Size");
      return field.argument() == 1 ? isSize ? 8 : 77 : isSize ? size : 0;
    }

    @Override
    public String fieldText(FieldReference field) {
      return name;
    }

    @Override
    public List<String> stack(boolean isUser) {
      return isUser ? stack : List.of();
    }

    @Override
    public CodeName code(long address) {
      return address == 0x1010
          ? new CodeName("app", "main", 0x10)
          : new CodeName(address == 0x2000 ? "other" : "", "", 0);
    }
  }

  private ProbeScript(Memory.@Nullable Reader memory, Macros macros) {
    this.memory = memory;
    this.macros = macros;
  }

  static ProbeScript with(Memory.@Nullable Reader memory, String... arguments) {
    return new ProbeScript(memory, new Macros(List.of(arguments), Map.of("target", "42")));
  }

  /** Returns lines as one text. */
  static String lines(String... lines) {
    return String.join("\n", lines) + "\n";
  }

  /** Returns the lines that actions at BEGIN print, without the one at the end. */
  static String begin(String actions) {
    return quiet("BEGIN { " + actions + "; exit(0); }");
  }

  /** Returns the lines that a quiet program prints, without the one at the end. */
  static String quiet(String program, Event... events) {
    Result result = with(null).run("#pragma D option quiet\n" + program, events);
    if (!result.err.isEmpty()) {
      throw new AssertionError(result.err);
    }
    return result.out.endsWith("\n")
        ? result.out.substring(0, result.out.length() - 1)
        : result.out;
  }

  private static List<Probe> matching(ProbeDescription description) {
    List<Probe> found =
        PROBES.stream()
            .filter(probe -> probe.name().equals(description.name()))
            .filter(probe ->
                description.function().isEmpty() || description.function().equals(probe.function()))
            .toList();
    if (found.isEmpty()) {
      throw new CompileError(
          "D_PDESC_ZERO", description.place(), "%s matches no probe".formatted(description.text()));
    }
    return found;
  }

  private static List<Enabling> at(Compiled program, int probe) {
    return program.enablings().stream().filter(one -> one.probe().id() == probe).toList();
  }

  /** Returns what a program prints over events of a machine that a test made up. */
  static String over(String program, List<SlowEvent> events) {
    return with(null)
        .run(
            program,
            new Slow(SlowProgram.NO_EVENT),
            events.stream().map(Slow::new).toArray(ProbeEvent[]::new))
        .out();
  }

  /** Event of another probe: {@code event}. */
  private record Slow(SlowEvent event) implements ProbeEvent {
    @Override
    public long timestamp() {
      return 0;
    }

    @Override
    public long wallTimestamp() {
      return 0;
    }

    @Override
    public long argument(int index) {
      return index == 0 ? event.first() : index == 1 ? event.second() : 0;
    }

    @Override
    public long processId() {
      return event.process();
    }

    @Override
    public long threadId() {
      return event.thread();
    }

    @Override
    public String program() {
      return event.name();
    }
  }

  /** Runs a program: BEGIN, the events, then ticks until it ends, END. */
  Result run(String program, ProbeEvent... events) {
    return run(program, Event.tick(0), events);
  }

  private Result run(String program, ProbeEvent border, ProbeEvent[] events) {
    Options options = new Options();
    Memory all = new Memory(memory);
    Compiled compiled =
        ProgramCompiler.compile(Parser.parse(program, macros), options, all, ProbeScript::matching);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream errors = new PrintStream(err, true, StandardCharsets.ISO_8859_1);
    Consumer consumer = new Consumer(options, out, errors, compiled.aggregations());
    Run run = new Run(options, consumer, all, Event.tick(0));
    run.prepare(compiled.variables(), compiled.clauseLocals(), at(compiled, 3));
    if (!options.is("quiet")) {
      int probes = compiled.enablings().size();
      errors.print("matched %d probe%s\n".formatted(probes, probes == 1 ? "" : "s"));
    }
    run.fire(at(compiled, 1), border);
    List<Enabling> any = at(compiled, 8);
    for (ProbeEvent event : events) {
      if (!run.isExiting()) {
        run.fire(event instanceof Event its ? at(compiled, its.probe) : any, event);
      }
    }
    List<Enabling> ticks = at(compiled, 4);
    for (int i = 1; i < MOST_TICKS && !ticks.isEmpty() && !run.isExiting(); i++) {
      run.fire(ticks, Event.tick(i));
    }
    run.ending();
    run.fire(at(compiled, 2), border);
    consumer.end();
    return new Result(
        out.toString(StandardCharsets.ISO_8859_1),
        err.toString(StandardCharsets.ISO_8859_1),
        run.exitStatus(),
        run.drops());
  }
}

package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentConnection;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.code.ArgumentCopies;
import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.RecordLayout;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.plan.ModuleFile;
import io.ntrail.live.plan.PlanSymbols;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.plan.Planner;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.Recorder;
import io.ntrail.live.session.RecorderSettings;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.session.RecorderThread;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.RunningProcess;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.StandardHandles;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.TargetPaths;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Starts programs under Wine with tracing, and returns the result. Holds one agent. */
final class Tracing implements AutoCloseable {
  /** The system's modules that nearly everything goes through. */
  static final Set<String> SYSTEM =
      Set.of(
          "ntdll",
          "kernelbase",
          "kernel32",
          "msvcrt",
          "ucrtbase",
          "advapi32",
          "ws2_32",
          "user32",
          "gdi32",
          "sechost");

  private static final int GENERIC_READ = 0x8000_0000;
  private static final int GENERIC_WRITE = 0x4000_0000;
  private static final int ALL_ACCESS = 0x1F_FFFF;
  private static final int CREATE = 2;
  private static final int OPEN = 3;
  private static final int STRUCTURES = 0x3000;

  private final AgentHost.Wine host;
  private final AgentConnection connection;
  private final Agent agent;
  private final WindowsApi calls;
  private final Path folder;
  private int runs;

  private Tracing(AgentHost.Wine host, int machine, Path folder) {
    this.host = host;
    this.folder = folder;
    this.connection = host.start(machine);
    this.agent = Agent.on(connection, Duration.ofMinutes(1));
    this.calls = new WindowsApi(agent);
  }

  /** Starts an agent. */
  static Tracing in(Wine wine, Path folder) {
    return in(wine, MachineType.AMD64, folder);
  }

  /** Starts an agent for programs of a machine type. */
  static Tracing in(Wine wine, int machine, Path folder) {
    return new Tracing(new AgentHost.Wine(wine.loader(), wine.environment()), machine, folder);
  }

  /** Returns the name of a file under Wine. */
  String name(Path file) {
    return host.name(file);
  }

  /** Settings of a trace. */
  static final class Settings {
    private BiPredicate<TargetModule, String> wanted = (module, name) -> false;
    private boolean exports;
    private boolean probes = true;
    private RecordLayout records = RecordLayout.of(32);
    private int arguments = 12;
    private int chunks = 512;
    private int stacks = 1;
    private int areas = 4096;
    private byte[] input = new byte[0];
    private Duration limit = Duration.ofMinutes(1);
    private boolean patched = true;
    private boolean recorded = true;
    private boolean attached;
    private boolean waits;
    private int sampling;
    private CallDetail detail = CallDetail.RECORDS;
    private String pause = "";
    private @Nullable Path go;
    private BiConsumer<TargetProcess, Tracer> meanwhile = (target, tracer) -> {};

    /** All functions of modules, by their names in small letters without extension. */
    Settings modules(Set<String> stems) {
      return functions((module, name) -> stems.contains(module.stem().toLowerCase(Locale.ROOT)));
    }

    /** More functions: those of which this is true. */
    Settings functions(BiPredicate<TargetModule, String> more) {
      wanted = wanted.or(more);
      return this;
    }

    /** All functions of the program itself. */
    Settings program() {
      return functions((module, name) -> module.name().endsWith(".exe"));
    }

    /** All functions of the program and of libraries that are not the system's. */
    Settings own() {
      return program()
          .functions(
              (module, name) -> !module.path().toLowerCase(Locale.ROOT).startsWith("c:\\windows"));
    }

    /** Selects the exported functions of the program. */
    Settings exports() {
      exports = true;
      return this;
    }

    /** No code is put in front of functions that leave frames. */
    Settings withoutUnwindProbes() {
      probes = false;
      return this;
    }

    /** Bytes of a record. */
    Settings recordBytes(int bytes) {
      records = RecordLayout.of(bytes);
      return this;
    }

    /** Memory that arguments point to is recorded with them. */
    Settings copies(ArgumentCopies.Copy... copies) {
      records = RecordLayout.of(ArgumentCopies.ARGUMENTS, new ArgumentCopies(List.of(copies)));
      return this;
    }

    /** Of those that records have, so many are wanted. */
    Settings arguments(int number) {
      arguments = number;
      return this;
    }

    /** Number of chunks. */
    Settings chunks(int number) {
      chunks = number;
      return this;
    }

    /** Calls are added up in the target. */
    Settings adding(CallDetail what) {
      detail = what;
      return this;
    }

    /** Threads wait where no chunk is free. */
    Settings waits() {
      waits = true;
      return this;
    }

    /** Of so many calls, the stack of one is sampled. */
    Settings sampling(int every) {
      sampling = every;
      return this;
    }

    /** Room for so many stacks from the beginning. */
    Settings stacks(int number) {
      stacks = number;
      return this;
    }

    /** Room for so many stacks at most. */
    Settings areas(int most) {
      areas = most;
      return this;
    }

    /**
     * The program, which is linked with {@code attached.c}, runs already when it is attached to.
     */
    Settings attached() {
      attached = true;
      return this;
    }

    /** Sets the standard input of the program. */
    Settings input(String text) {
      input = text.getBytes(StandardCharsets.ISO_8859_1);
      return this;
    }

    /** After this the program is ended. */
    Settings limit(Duration time) {
      limit = time;
      return this;
    }

    /** Sets the action while the program runs. */
    Settings meanwhile(BiConsumer<TargetProcess, Tracer> work) {
      meanwhile = work;
      return this;
    }

    /** Everything is made ready, and no function is changed. */
    Settings withoutPatches() {
      patched = false;
      return this;
    }

    /** Records are read neither while the program runs nor afterwards. */
    Settings withoutRecorder() {
      recorded = false;
      return this;
    }

    /**
     * Delays reading of records until the program has printed something; then this file is made.
     */
    Settings recordedAfter(String said, Path file) {
      pause = said;
      go = file;
      return this;
    }
  }

  /**
   * Result of a run.
   *
   * @param exitCode all 32 bits
   * @param text its standard output, each byte a character
   * @param errors its error output
   * @param searches how often all areas were looked through for a stack
   * @param sampled how many stacks were copied
   * @param recording the {@code .ntr}
   */
  record Outcome(
      int exitCode,
      String text,
      String errors,
      RecorderStatistics statistics,
      long searches,
      long sampled,
      UnwindSelfTest selfTest,
      List<PlannedFunction> plan,
      List<PlannedFunction> traced,
      Path recording) {
    /** Reads the recording. */
    CallTable calls() throws IOException {
      return CallTable.read(recording);
    }
  }

  /** Runs a program to its end. */
  Outcome run(Settings settings, String commandLine) throws IOException {
    String number = Integer.toString(++runs);
    Path in = Files.write(folder.resolve("in" + number), settings.input);
    Path out = folder.resolve("out" + number);
    Path errors = folder.resolve("errors" + number);
    Path recording = folder.resolve("calls" + number + ".ntr");
    StandardHandles streams =
        new StandardHandles(
            open(in, GENERIC_READ, OPEN),
            open(out, GENERIC_WRITE, CREATE),
            open(errors, GENERIC_WRITE, CREATE));
    Path awaited = folder.resolve("attached" + number);
    variable("NTRAIL_ATTACH", settings.attached ? host.name(awaited) : "");
    Result result;
    try (SessionFile session =
            settings.detail == CallDetail.RECORDS
                ? SessionFile.create(settings.records, settings.chunks, false, settings.sampling)
                : SessionFile.adding(settings.detail, 100, calls.layout().pointerBytes());
        TargetProcess started = TargetProcess.start(calls, commandLine, streams);
        TargetProcess target = settings.attached ? attach(started, awaited) : started) {
      streams.close(calls);
      try {
        result = trace(settings, commandLine, target, session, out, recording, awaited);
      } catch (RuntimeException e) {
        target.kill(99);
        throw e;
      }
    }
    return new Outcome(
        result.exitCode,
        Files.readString(out, StandardCharsets.ISO_8859_1),
        Files.readString(errors, StandardCharsets.ISO_8859_1),
        result.statistics,
        result.searches,
        result.sampled,
        result.selfTest,
        result.plan,
        result.traced,
        recording);
  }

  /** Sets a variable of programs that are started from now on; an empty one is taken away. */
  private void variable(String name, String value) {
    long scratch = agent.scratch() + STRUCTURES;
    agent.poke(scratch, new BytesBuilder(64).utf16z(name).toArray());
    agent.poke(scratch + 64, new BytesBuilder(256).utf16z(value).toArray());
    calls.call("kernel32!SetEnvironmentVariableW", scratch, value.isEmpty() ? 0 : scratch + 64);
  }

  private TargetProcess attach(TargetProcess started, Path awaited) {
    started.resumeMain();
    Path ready = awaited.resolveSibling(awaited.getFileName() + ".ready");
    while (!Files.exists(ready)) {
      assertEquals(OptionalInt.empty(), started.await(1));
    }
    RunningProcess running =
        RunningProcess.all(calls).stream()
            .filter(one -> one.pid() == started.pid())
            .findFirst()
            .orElseThrow();
    return TargetProcess.attach(calls, running);
  }

  private record Result(
      int exitCode,
      RecorderStatistics statistics,
      long searches,
      long sampled,
      UnwindSelfTest selfTest,
      List<PlannedFunction> plan,
      List<PlannedFunction> traced) {}

  private Result trace(
      Settings settings,
      String commandLine,
      TargetProcess target,
      SessionFile session,
      Path out,
      Path recording,
      Path awaited)
      throws IOException {
    session.waitWhenFull(settings.waits);
    if (target.isStarted()) {
      target.runToEntry(30_000);
    }
    TracePlan asked = new TracePlan(plan(target, settings), List.of());
    Tracer tracer = new Tracer(target, session, host.name(session.path()), settings.areas);
    UnwindSelfTest selfTest = tracer.selfTest();
    UnwinderProbes unwinders = UnwinderProbes.of(target, tracer, asked);
    List<PlannedFunction> plan = unwinders.leaveAlone(asked).functions();
    List<PlannedFunction> wanted = plan.stream().filter(PlannedFunction::isTraced).toList();
    List<Patcher.Patched> prepared = tracer.prepare(wanted, true);
    NtrHeader header =
        new NtrHeader(
            NtrHeader.ONE_CLOCK,
            2_100_000_000L,
            0,
            0,
            target.architecture().machine(),
            target.architecture().pointerSize(),
            1,
            "test");
    OutputStream file = Files.newOutputStream(recording);
    NtrWriter writer = new NtrWriter(file, header, 1);
    writer.process(new TracedProcess(1, target.pid(), 0, 0, 0, commandLine, commandLine));
    RecorderSettings how = new RecorderSettings(1, 0, 0, settings.arguments);
    try (Recorder recorder = Recorder.appending(session, writer, how)) {
      define(recorder, prepared);
      if (settings.patched) {
        if (settings.probes) {
          unwinders.write();
        }
        tracer.topUp(settings.stacks);
        tracer.arm();
      }
      int exit;
      // Threads wait only for a recorder that has looked.
      recorder.poll();
      target.resumeMain();
      if (!target.isStarted()) {
        Files.createFile(awaited);
      }
      if (settings.go != null) {
        awaitText(out, settings.pause, settings.limit);
        // The second time, what was handed over before the first is read whatever its order is.
        for (int pass = 0; pass < 2; pass++) {
          while (recorder.poll() > 0) {}
          recorder.flush();
        }
        Files.createFile(settings.go);
      }
      if (settings.recorded) {
        try (RecorderThread thread = RecorderThread.start(recorder)) {
          exit = end(target, tracer, recorder, settings);
          assertEquals(Optional.empty(), thread.failure());
        }
      } else {
        exit = end(target, tracer, recorder, settings);
      }
      recorder.finish(0);
      return new Result(
          exit,
          recorder.statistics(),
          session.searches(),
          session.samples().taken() + session.samples().missed(),
          selfTest,
          plan,
          prepared.stream().map(Patcher.Patched::function).toList());
    }
  }

  static void awaitText(Path out, String text, Duration limit) throws IOException {
    long end = System.nanoTime() + limit.toNanos();
    while (!Files.readString(out, StandardCharsets.ISO_8859_1).contains(text)) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("the program did not say in " + limit + ": " + text);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static int end(
      TargetProcess target, Tracer tracer, Recorder recorder, Settings settings) {
    settings.meanwhile.accept(target, tracer);
    long end = System.nanoTime() + settings.limit.toNanos();
    while (true) {
      OptionalInt exit = target.await(10);
      if (exit.isPresent()) {
        return exit.getAsInt();
      }
      tracer.topUp();
      // Oftener than a user's trace does it, so that short programs see it, too.
      if (settings.recorded) {
        recorder.retain(tracer.aliveThreads(), 0);
      }
      if (System.nanoTime() - end > 0) {
        target.kill(98);
        throw new AssertionError("the program did not end in " + settings.limit);
      }
    }
  }

  /** Action on a target that is at its entry point. */
  @FunctionalInterface
  interface Work {
    void on(TargetProcess target, SessionFile session, String sessionName) throws IOException;
  }

  /**
   * Starts a program without tracing it, up to its first instruction.
   *
   * @return the file that gets its output
   */
  Path start(String commandLine, Work work) throws IOException {
    String number = Integer.toString(++runs);
    Path in = Files.write(folder.resolve("in" + number), new byte[0]);
    Path out = folder.resolve("out" + number);
    StandardHandles streams =
        new StandardHandles(open(in, GENERIC_READ, OPEN), open(out, GENERIC_WRITE, CREATE), 0);
    try (SessionFile session = SessionFile.create(32, 64);
        TargetProcess target = TargetProcess.start(calls, commandLine, streams)) {
      target.runToEntry(30_000);
      work.on(target, session, host.name(session.path()));
    }
    return out;
  }

  private List<PlannedFunction> plan(TargetProcess target, Settings settings) {
    Set<String> exports = settings.exports ? exports(target) : Set.of();
    return plan(
        target,
        settings.wanted.or(
            (module, name) -> module.name().endsWith(".exe") && exports.contains(name)));
  }

  /** Names of the program's exports: other functions of 32-bit code have names, too. */
  private static Set<String> exports(TargetProcess target) {
    return target.modules().stream()
        .filter(module -> module.name().endsWith(".exe"))
        .flatMap(module -> Exports.of(TargetImage.read(target.memory(), module)).list().stream())
        .map(Exports.Export::name)
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  /** Returns the plan for a program that is at its entry point. */
  List<PlannedFunction> plan(TargetProcess target, BiPredicate<TargetModule, String> wanted) {
    List<PlannedFunction> plan = new ArrayList<>();
    Planner.Selection choice =
        new Planner.Selection() {
          @Override
          public boolean wants(TargetModule module, String name) {
            return wanted.test(module, name);
          }

          @Override
          public boolean excludes(TargetModule module, String name) {
            return false;
          }
        };
    for (TargetModule module : target.modules()) {
      PeImage image = TargetImage.read(target.memory(), module);
      Optional<Path> path = TargetPaths.here(calls, module.path());
      try (ModuleFile file = ModuleFile.open(path, module, image, new PdbSearch(List.of()))) {
        assertEquals(Optional.empty(), file.missing());
        plan.addAll(Planner.plan(module, image, symbols(image, file), file.code(), choice));
      }
    }
    return plan;
  }

  /** Code of IA-32 has no table of functions. */
  private static PlanSymbols symbols(PeImage image, ModuleFile file) {
    return image.headers().machine() == MachineType.I386 ? file.symbols() : PlanSymbols.NONE;
  }

  private static void define(Recorder recorder, List<Patcher.Patched> prepared) {
    Map<PlannedModule, Long> modules = new HashMap<>();
    long number = 0;
    for (Patcher.Patched traced : prepared) {
      PlannedModule module = traced.function().module();
      if (!modules.containsKey(module)) {
        long next = modules.size() + 1L;
        modules.put(module, next);
        ImageId id =
            new ImageId(
                module.image().headers().timestamp(), module.image().headers().sizeOfImage());
        TracedModule defined =
            new TracedModule(
                next, 1, module.module().base(), id, 0, 0, module.module().path(), null, "");
        recorder.define(writer -> writer.module(defined));
      }
      number++;
      recorder.function(
          traced.recordAddress(),
          traced.row(),
          new TracedFunction(
              number,
              modules.get(module),
              traced.function().rva(),
              traced.function().title(),
              List.of()));
    }
  }

  /** A file that gets what a program of another agent says. */
  StandardHandles writing(WindowsApi other, Path file) {
    return new StandardHandles(0, open(other, file, GENERIC_WRITE, CREATE), 0);
  }

  /** A file as a handle that the target inherits. */
  private long open(Path file, int access, int how) {
    return open(calls, file, access, how);
  }

  private long open(WindowsApi calls, Path file, int access, int how) {
    Agent agent = calls.agent();
    long scratch = agent.scratch() + STRUCTURES;
    // SECURITY_ATTRIBUTES: the handle may be inherited.
    BytesBuilder attributes = new BytesBuilder(24);
    if (calls.layout().pointerBytes() == Long.BYTES) {
      attributes.u32(24).u32(0).u64(0).u32(1).u32(0);
    } else {
      attributes.u32(12).u32(0).u32(1);
    }
    agent.poke(scratch, attributes.toArray());
    agent.poke(scratch + 32, new BytesBuilder(256).utf16z(host.name(file)).toArray());
    long handle =
        calls.call("kernel32!CreateFileW", scratch + 32, access, 3, scratch, how, 0x80, 0).result();
    if (handle == -1) {
      throw new IllegalStateException("no handle for " + file);
    }
    return handle;
  }

  /** Kills the agent. */
  void kill() {
    connection.kill();
  }

  /** Puts another function into the place of one of the system, in the agent alone. */
  static void replace(Agent agent, String function, byte[] code) {
    WindowsApi calls = new WindowsApi(agent);
    long address = calls.address(function);
    calls.must(
        function,
        "kernel32!VirtualProtect",
        address,
        code.length,
        TargetMemory.EXECUTE_READ_WRITE,
        agent.scratch());
    agent.poke(address, code);
  }

  /** The agent. */
  Agent agent() {
    return agent;
  }

  /** A handle of the agent for a process that it did not start. */
  long watch(int pid) {
    long process = calls.call("kernel32!OpenProcess", ALL_ACCESS, 0, pid).result();
    assertNotEquals(0, process, "no process " + pid);
    return process;
  }

  /** Gives such a handle back. */
  void forget(long process) {
    calls.call("kernel32!CloseHandle", process);
  }

  /** Returns the exit code of a process; empty if it did not exit in time. */
  OptionalInt end(long process, Duration limit) {
    long waited = calls.call("kernel32!WaitForSingleObject", process, limit.toMillis()).asInt();
    if (waited != 0) {
      return OptionalInt.empty();
    }
    calls.must("exit code", "kernel32!GetExitCodeProcess", process, agent.scratch());
    return OptionalInt.of((int) agent.peek(agent.scratch(), 4).u32(0));
  }

  @Override
  public void close() {
    agent.close();
  }
}

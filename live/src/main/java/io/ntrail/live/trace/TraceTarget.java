package io.ntrail.live.trace;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.AgentStart;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.patch.ModuleLookup;
import io.ntrail.live.patch.PatchPractice;
import io.ntrail.live.plan.OwnFunctionPlan;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlansAhead;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.recovery.CrashRecovery;
import io.ntrail.live.recovery.SessionJournal;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.CommandLine;
import io.ntrail.live.target.HeldProcesses;
import io.ntrail.live.target.ProgramFile;
import io.ntrail.live.target.RunningProcess;
import io.ntrail.live.target.TargetAgents;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TracePractice;
import io.ntrail.live.windows.ClockReading;
import io.ntrail.live.windows.ProcessMitigations;
import io.ntrail.live.windows.StandardHandles;
import io.ntrail.live.windows.TargetClock;
import io.ntrail.live.windows.TargetPaths;
import io.ntrail.live.windows.WindowsApi;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Program to be traced, with the agent beside it. If it was started for the trace, it is suspended
 * at its entry point, with all imported modules loaded.
 */
public final class TraceTarget implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long ENTRY_MILLIS = 60_000;

  /** Of a program that is being ended memory is gone before its end is told. */
  private static final int END_MILLIS = 200;

  /** Any distance of stubs from their library. */
  private static final long PRACTICE_DISTANCE = 1 << 24;

  private final HeldProcesses held = new HeldProcesses();
  private final TargetAgents agents;
  private final WindowsApi calls;
  private final TargetProcess process;
  private final ProcessMitigations mitigations;
  private final AgentHost host;
  private final String commandLine;
  private final String program;
  private final TargetClock clock;
  private final ClockReading first;
  private final Optional<String> unsettled;
  private final boolean isChild;

  /** Folders from which the program may load libraries, as far as its start says. */
  private final List<Path> folders;

  /** Plan of a function that every trace patches. */
  private final OwnFunctionPlan guardPlan;

  private PlansAhead ahead = PlansAhead.NONE;

  private TraceTarget(
      WindowsApi calls,
      TargetProcess process,
      ProcessMitigations mitigations,
      AgentHost host,
      String commandLine,
      TargetClock clock,
      ClockReading first,
      Optional<String> unsettled,
      List<Path> folders,
      OwnFunctionPlan guardPlan) {
    this.folders = folders;
    this.unsettled = unsettled;
    this.agents = new TargetAgents(host, calls);
    this.calls = calls;
    this.process = process;
    this.mitigations = mitigations;
    this.host = host;
    this.commandLine = commandLine;
    this.program = program(process, commandLine);
    this.clock = clock;
    this.first = first;
    this.isChild = false;
    this.guardPlan = guardPlan;
  }

  private TraceTarget(TraceTarget parent, TargetProcess process, ProcessMitigations mitigations) {
    boolean isAlike = process.calls() == parent.calls;
    this.folders = List.of();
    this.ahead = isAlike ? parent.ahead : PlansAhead.NONE;
    this.unsettled = Optional.empty();
    this.agents = parent.agents;
    this.calls = process.calls();
    this.process = process;
    this.mitigations = mitigations;
    this.host = parent.host;
    this.commandLine = process.commandLine();
    this.program = program(process, commandLine);
    this.clock = parent.clock;
    this.first = parent.first;
    this.isChild = true;
    this.guardPlan = isAlike ? parent.guardPlan : ModuleLookup.planAhead(process);
  }

  /**
   * Starts a program.
   *
   * @param words the program, a file of this machine or something that the target's system finds,
   *     and its arguments
   * @throws CannotGoOn if that is not possible
   */
  public static TraceTarget start(AgentHost host, List<String> words) {
    OptionalInt known =
        local(words.getFirst()).map(ProgramFile::machine).orElse(OptionalInt.empty());
    try (TargetStart begun = TargetStart.of(host, words.getFirst(), known)) {
      return start(host, begun.agent(), words, calls -> StandardHandles.of(calls, begun.streams()));
    }
  }

  /**
   * Starts a program with a running agent, which is closed with it, and with chosen standard
   * handles.
   */
  static TraceTarget start(
      AgentHost host,
      Agent agent,
      List<String> words,
      Function<WindowsApi, StandardHandles> chosen) {
    TargetProcess process = null;
    boolean done = false;
    try {
      WindowsApi calls = new WindowsApi(agent);
      // The agent's own pipes are not for the program.
      for (int stream = -10; stream >= -12; stream--) {
        long handle = calls.call("kernel32!GetStdHandle", stream).result();
        calls.call("kernel32!SetHandleInformation", handle, 1, 0);
      }
      TargetClock clock = new TargetClock(calls);
      ClockReading first = clock.now();
      List<String> line = new ArrayList<>(words);
      line.set(
          0,
          local(words.getFirst())
              .map(file -> TargetPaths.there(calls, file))
              .orElse(words.getFirst()));
      String commandLine = CommandLine.of(line);
      StandardHandles streams = chosen.apply(calls);
      try {
        process = TargetProcess.start(calls, commandLine, streams);
      } finally {
        streams.close(calls);
      }
      // Ctrl+C is for the controller and for the program. Set after the program was started, which
      // would inherit it.
      calls.call("kernel32!SetConsoleCtrlHandler", 0, 1);
      ProcessMitigations mitigations = process.mitigations();
      mitigations.mustAllowCode();
      process.runToEntry(ENTRY_MILLIS);
      OwnFunctionPlan guardPlan = ModuleLookup.planAhead(process);
      done = true;
      return new TraceTarget(
          calls,
          process,
          mitigations,
          host,
          commandLine,
          clock,
          first,
          Optional.empty(),
          LibraryFolders.of(Path.of(""), words, System.getenv()),
          guardPlan);
    } catch (CannotGoOn e) {
      String name = words.getFirst().replaceFirst(".*[/\\\\]", "");
      throw process == null ? e : afterEnd(process, name).orElse(e);
    } finally {
      if (!done) {
        try {
          if (process != null) {
            process.kill(1);
          }
        } finally {
          agent.close();
        }
      }
    }
  }

  /**
   * Attaches to a running program.
   *
   * @param which its id, or the name of its program's file with or without {@code .exe}
   * @throws CannotGoOn if there is none, or not one alone, or it cannot be traced
   */
  public static TraceTarget attach(AgentHost host, String which) {
    Agent agent = AgentStart.fitting(host, PATIENCE);
    if (agent.machine() != MachineType.I386 && is32Bit(agent, which)) {
      agent.close();
      agent = AgentStart.on(host, MachineType.I386, PATIENCE);
    }
    return attach(host, agent, which);
  }

  /** Returns whether a program is one of 32 bits on a 64-bit system, if that can be found out. */
  private static boolean is32Bit(Agent agent, String which) {
    boolean done = false;
    try {
      boolean is32Bit =
          TargetProcess.isX86OnX64(
              new WindowsApi(agent), RunningProcess.named(new WindowsApi(agent), which));
      done = true;
      return is32Bit;
    } finally {
      if (!done) {
        agent.close();
      }
    }
  }

  /** Attaches with a running agent, which is closed with the result. */
  static TraceTarget attach(AgentHost host, Agent agent, String which) {
    TargetProcess process = null;
    boolean done = false;
    try {
      WindowsApi calls = new WindowsApi(agent);
      calls.call("kernel32!SetConsoleCtrlHandler", 0, 1);
      TargetClock clock = new TargetClock(calls);
      ClockReading first = clock.now();
      RunningProcess running = RunningProcess.named(calls, which);
      process = TargetProcess.attach(calls, running);
      ProcessMitigations mitigations = process.mitigations();
      mitigations.mustAllowCode();
      // Before its code is looked at.
      Optional<String> unsettled = CrashRecovery.settle(process);
      String commandLine = process.commandLine();
      OwnFunctionPlan guardPlan = ModuleLookup.planAhead(process);
      done = true;
      return new TraceTarget(
          calls,
          process,
          mitigations,
          host,
          commandLine,
          clock,
          first,
          unsettled,
          List.of(),
          guardPlan);
    } catch (CannotGoOn e) {
      throw process == null ? e : afterEnd(process, which).orElse(e);
    } finally {
      if (!done) {
        try {
          if (process != null) {
            process.close();
          }
        } finally {
          agent.close();
        }
      }
    }
  }

  /**
   * Returns the refusal of a program that has ended; empty if it runs, or if that is unknown.
   * Whatever was wanted of it meanwhile failed in one way or another.
   */
  private static Optional<CannotGoOn> afterEnd(TargetProcess process, String program) {
    try {
      OptionalInt exit = process.await(END_MILLIS);
      return exit.isEmpty()
          ? Optional.empty()
          : Optional.of(tooLate(process.isStarted(), program, exit.getAsInt()));
    } catch (CannotGoOn e) {
      // Without the agent nobody knows, and the agent is what failed.
      return Optional.empty();
    }
  }

  private static CannotGoOn tooLate(boolean isStarted, String program, int exit) {
    String code = exit < 0 ? "0x%08x".formatted(exit) : Integer.toString(exit);
    return isStarted
        ? new CannotGoOn(
            "%s ended while it started, with exit code %s".formatted(program, code),
            "run it without ntrail to see why")
        : new CannotGoOn(program + " exited before it could be traced", "");
  }

  /**
   * Takes a step of the way to tracing; where the program ended meanwhile, that is what is told.
   *
   * @throws CannotGoOn as the step does, or if the program has ended
   */
  <T> T whileItLives(Supplier<T> step) {
    try {
      return step.get();
    } catch (CannotGoOn e) {
      throw afterEnd(process, program).orElse(e);
    }
  }

  /**
   * Makes sure that a program that was attached to has not ended before anything of it was
   * recorded.
   */
  void mustHaveBegun(SessionFile session) {
    if (!process.isStarted() && process.exitCode().isPresent() && session.threadsBegun() == 0) {
      throw tooLate(false, program, 0);
    }
  }

  private static String program(TargetProcess process, String commandLine) {
    return process.modules().stream().findFirst().map(TargetModule::name).orElse(commandLine);
  }

  /**
   * Returns a target for a process that this program or a descendant created, with these agents.
   *
   * @param child opened with {@link #calls}; suspended at its entry point, or running already
   * @throws CannotGoOn if it forbids itself what tracing needs
   */
  TraceTarget child(TargetProcess child) {
    ProcessMitigations its = child.mitigations();
    its.mustAllowCode();
    return new TraceTarget(this, child, its);
  }

  /** Returns a program that is a file of this machine; empty if the target's system finds it. */
  private static Optional<Path> local(String word) {
    Path file;
    try {
      file = Path.of(word);
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
    boolean isPath = word.indexOf('/') >= 0 || word.indexOf(File.separatorChar) >= 0;
    if (Files.isRegularFile(file) || !isPath) {
      return Optional.of(file).filter(Files::isRegularFile);
    }
    Path withExtension = Path.of(word + ".exe");
    if (!Files.isRegularFile(withExtension)) {
      throw new CannotGoOn("no such program: " + word, "");
    }
    return Optional.of(withExtension);
  }

  /**
   * Returns the calls of the agent that fits a process, which is a descendant of this program's.
   *
   * @throws CannotGoOn if no agent for it runs
   */
  WindowsApi calls(RunningProcess descendant) {
    return agents.fitting(descendant);
  }

  /** Returns whether a descendant runs or may have run, also if that is unknown. */
  boolean mayRun(RunningProcess descendant) {
    try {
      return held.mayRun(calls(descendant), descendant);
    } catch (CannotGoOn e) {
      // Who traces it is told why.
      return true;
    }
  }

  /** Returns the process. */
  public TargetProcess process() {
    return process;
  }

  /** Returns remarks about the target. */
  List<String> remarks() {
    return Stream.concat(process.remarks().stream(), unsettled.stream()).toList();
  }

  /** Plans the functions to trace; nothing is changed. */
  public TracePlan plan(TracePlan.Selection choice) {
    return whileItLives(() -> TracePlan.of(process, remarks(), choice));
  }

  /** Returns the plan of a function that every trace patches; most children can use it, too. */
  OwnFunctionPlan guardPlan() {
    return guardPlan;
  }

  /**
   * Begins to plan libraries that the program may load, if some may be selected; once for it and
   * those of its children that are of the same machine type.
   */
  public PlansAhead planAhead(TracePlan plan) {
    boolean isUseful =
        ahead == PlansAhead.NONE
            && plan.choice().filter(choice -> choice.mayComeLater(plan.modules())).isPresent();
    if (isUseful && !plan.modules().isEmpty()) {
      Optional<Path> own = file(plan.modules().getFirst().path()).map(Path::getParent);
      Optional<Path> system =
          plan.modules().stream()
              .filter(module -> module.stem().equalsIgnoreCase("ntdll"))
              .findFirst()
              .flatMap(module -> file(module.path()));
      ahead =
          PlansAhead.begin(
              plan.choice().orElseThrow(),
              plan.modules(),
              Stream.concat(own.stream(), folders.stream()).toList(),
              system.map(Path::getParent).stream().toList(),
              system,
              functions -> practise(process.architecture(), functions));
    }
    return ahead;
  }

  /** Makes stubs, jumps and the journal's entries of functions for nobody. */
  private static void practise(Architecture architecture, List<PlannedFunction> functions) {
    if (!functions.isEmpty()) {
      long base = functions.getFirst().module().module().base() - PRACTICE_DISTANCE;
      PatchPractice.run(TracePractice.stubs(architecture, base), functions)
          .forEach(SessionJournal.Patch::of);
    }
  }

  /** Returns its mitigation policies. */
  ProcessMitigations mitigations() {
    return mitigations;
  }

  /** Returns its command line. */
  public String commandLine() {
    return commandLine;
  }

  /** Returns the name of the processor architecture of the program. */
  public String architecture() {
    return process.architecture().name();
  }

  /** Returns the last part of the program's path. */
  public String program() {
    return program;
  }

  /** Returns the name of a local file on the target's system. */
  String name(Path file) {
    return host.name(file);
  }

  /** Returns the local file for a path of the target's system. */
  public Optional<Path> file(String path) {
    return TargetPaths.here(calls, path);
  }

  TargetClock clock() {
    return clock;
  }

  /** Returns the clocks before the program was started. */
  ClockReading firstMoment() {
    return first;
  }

  /**
   * Kills a program that was started and has not been resumed; one that was attached to continues.
   */
  public void giveUp() {
    if (process.isStarted()) {
      process.kill(1);
    }
  }

  /** Ends the agent; the program stays as it is. */
  @Override
  public void close() {
    try {
      process.close();
    } finally {
      if (!isChild) {
        agents.close();
      }
    }
  }
}

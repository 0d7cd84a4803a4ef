package io.ntrail.cli.probe;

import io.ntrail.analysis.calls.CallEvents;
import io.ntrail.analysis.calls.CallImageSymbols;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.analysis.probe.calls.CallFeed;
import io.ntrail.analysis.probe.calls.CallFirings;
import io.ntrail.analysis.probe.calls.CallProbes;
import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.sources.ProbeSource;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.cli.text.Version;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.code.ArgumentCopies;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.BufferMemory;
import io.ntrail.live.trace.BufferSettings;
import io.ntrail.live.trace.TraceSettings;
import io.ntrail.live.trace.TraceTarget;
import io.ntrail.programs.symbols.PdbSearch;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Probes of the functions of a program that runs. */
final class LiveProbes implements ProbeSource {
  /** Records that may wait for the reader, in bytes that each takes about. */
  private static final long RECORD_BYTES = 64;

  /** Time after which what happened is printed: a fourth of what DTrace takes. */
  private static final long USUAL_PASS = 250_000_000;

  private static final long LEAST_PASS = 20_000_000;
  private static final int MOST_THREADS = 4096;
  private static final int MOST_ARGUMENTS = 12;

  private final LiveRequest request;
  private final TraceTarget target;
  private final CallFeed feed;
  private final CallProbes probes;
  private @Nullable LiveSelection selection;
  private @Nullable TracePlan plan;
  private int arguments;
  private ArgumentCopies copies = ArgumentCopies.NONE;
  private boolean hasStacks;
  private Options options = new Options();
  private boolean hasBegun;
  private long end;
  private long late;
  private Optional<LiveTrace.Result> result = Optional.empty();

  private LiveProbes(LiveRequest request, TraceTarget target) {
    this.request = request;
    this.target = target;
    this.feed = new CallFeed(Runtime.getRuntime().maxMemory() / 8 / RECORD_BYTES);
    this.probes = CallProbes.growing(feed, new CallNames(feed, CallImageSymbols.NONE));
  }

  /**
   * Opens a program: one that is started has not run its first instruction.
   *
   * @throws CannotGoOn if that is not possible
   */
  static LiveProbes open(AgentHost host, LiveRequest request) {
    TraceTarget target =
        request.isStarted()
            ? TraceTarget.start(host, request.words())
            : TraceTarget.attach(host, request.process());
    return new LiveProbes(request, target);
  }

  /** Returns the id of the process. */
  int pid() {
    return target.process().pid();
  }

  /** Returns the name of the program. */
  String program() {
    return target.program();
  }

  /**
   * Finds the functions that are meant; nothing is changed yet.
   *
   * @param arguments of each call that are recorded
   * @param copies memory that they point to and that is recorded
   * @param hasStacks true if callers are recorded
   * @param options of the program, as they are when it runs
   */
  void plan(
      List<ProbeDescription> descriptions,
      PdbSearch symbols,
      int arguments,
      ArgumentCopies copies,
      boolean hasStacks,
      Options options) {
    this.arguments = Math.min(arguments, MOST_ARGUMENTS);
    this.copies = copies;
    this.hasStacks = hasStacks;
    this.options = options;
    LiveSelection first = LiveSelection.of(descriptions, pid(), symbols, request.mayStop());
    TracePlan its = target.plan(first);
    LiveSelection chosen = first.withoutCase(its);
    if (!chosen.equals(first)) {
      its = target.plan(chosen);
    }
    selection = chosen;
    plan = its;
    if (target.process().is32Bit() && copies.exist()) {
      boolean isMore = descriptions.stream().anyMatch(this::mayComeLater);
      this.copies = CopiedWords.of(copies, its.functions(), isMore);
    }
    for (PlannedFunction function : its.functions()) {
      if (function.isTraced()) {
        probes.add(pid(), function.module().module().name(), name(function));
      }
    }
  }

  private static String name(PlannedFunction function) {
    return function.name().isEmpty() ? "0x" + Long.toHexString(function.rva()) : function.name();
  }

  /**
   * Returns functions whose arguments are asked for and may be others than what is taken for them.
   */
  List<PlannedFunction> withDoubtfulArguments() {
    return arguments == 0 || !target.process().is32Bit()
        ? List.of()
        : plan().functions().stream()
            .filter(PlannedFunction::isTraced)
            .filter(one -> CallNames.mayUseRegisters(one.prototype(), one.name()))
            .toList();
  }

  /** Returns what is planned. */
  TracePlan plan() {
    TracePlan its = plan;
    if (its == null) {
      throw new IllegalStateException("not planned");
    }
    return its;
  }

  /** Returns true if a description may mean functions of a module that is loaded later. */
  boolean mayComeLater(ProbeDescription description) {
    LiveSelection its = selection;
    return its != null && its.mayComeLater(description, plan().modules());
  }

  /** Returns the name of a function that is nearest to one that no module has; empty: none is. */
  String nearest(ProbeDescription description) {
    LiveSelection its = selection;
    if (its == null || description.function().isEmpty()) {
      return "";
    }
    List<String> names =
        target.plan(its.ofAnyName(description)).functions().stream()
            .map(PlannedFunction::name)
            .distinct()
            .toList();
    return UnmatchedTerm.of(UnmatchedTerm.What.FIELD, description.function(), names).nearest();
  }

  /** Returns the functions that a description means and that cannot be traced. */
  List<PlannedFunction> refused(ProbeDescription description) {
    LiveSelection its = selection;
    return its == null
        ? List.of()
        : plan().functions().stream()
            .filter(function -> !function.isTraced())
            .filter(function ->
                its.wanted().stream()
                    .filter(one -> one.description().equals(description))
                    .anyMatch(one ->
                        one.matches(its.providers(), function.module().module(), function.name())))
            .toList();
  }

  @Override
  public List<Probe> all() {
    return probes.all();
  }

  @Override
  public List<Probe> matching(ProbeDescription description, boolean ignoresCase) {
    return probes.matching(description, ignoresCase);
  }

  @Override
  public boolean hasTime() {
    return probes.hasTime();
  }

  @Override
  public int timer(int timers) {
    return probes.timer(timers);
  }

  @Override
  public ProbeEvent at(long nanos) {
    return new Moment(probes.at(nanos), pid(), program());
  }

  /** Time in the program, without an event. */
  private record Moment(ProbeEvent time, long processId, String program) implements ProbeEvent {
    @Override
    public long timestamp() {
      return time.timestamp();
    }

    @Override
    public long wallTimestamp() {
      return time.wallTimestamp();
    }
  }

  @Override
  public void run(Set<Probe> enabled, Sink sink) {
    hasBegun = true;
    BufferSettings buffers =
        BufferSettings.growing(0, BufferMemory.of(0), request.isStarted())
            .sampling(hasStacks ? 1 : 0);
    TraceSettings settings =
        new TraceSettings(
            request.recording(),
            arguments,
            copies,
            buffers,
            MOST_THREADS,
            0,
            0,
            "ntrail " + Version.NUMBER,
            Optional.of(feed));
    LiveTrace trace = new LiveTrace(target, plan(), settings, feed, request.nanos(), passNanos());
    CallFirings firings = probes.firings(enabled, sink);
    try (CallEvents events = CallEvents.growing(feed)) {
      boolean goesOn = true;
      boolean isMore = true;
      while (isMore && goesOn) {
        isMore = feed.await();
        events.more(!isMore);
        goesOn = firings.fire(events) && sink.reach(feed.settled());
        sink.pause();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    } finally {
      feed.close();
      trace.stop();
      result = Optional.of(trace.await());
      late = firings.late();
      end = Math.max(feed.ended(), firings.latest());
    }
  }

  /** Returns the time between two moments at which something is printed. */
  private long passNanos() {
    return options.is("switchrate")
        ? Math.clamp(options.get("switchrate"), LEAST_PASS, USUAL_PASS)
        : USUAL_PASS;
  }

  @Override
  public long endNanos() {
    return end;
  }

  /** Returns the result of the trace; empty if none was begun. */
  Optional<LiveTrace.Result> result() {
    return result;
  }

  /** Returns whether the program has ended. */
  boolean hasEnded() {
    return result.filter(its -> its.exit().isPresent()).isPresent();
  }

  /** Returns how many records were lost. */
  long lost() {
    return result.map(its -> its.statistics().allDropped()).orElse(0L);
  }

  /** Returns how many events came after later ones of other threads had fired. */
  long late() {
    return late;
  }

  @Override
  public void close() {
    try {
      if (!hasBegun) {
        target.giveUp();
      }
    } finally {
      target.close();
    }
  }
}

package io.ntrail.analysis.probe.calls;

import io.ntrail.analysis.calls.CallEvents;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.sources.ProbeCatalog;
import io.ntrail.analysis.probe.sources.ProbeNames;
import io.ntrail.analysis.probe.sources.ProbePattern;
import io.ntrail.analysis.probe.sources.ProbeSource;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Probes of a recording of calls: {@code pidPID:module:function:entry}, {@code return} and {@code
 * unwind}; of all its processes with {@code fbt} as the provider. The functions that enter the
 * system are also probes of {@code syscall}.
 */
public final class CallProbes implements ProbeSource {
  private static final String FBT = "fbt";
  private static final String SYSCALL = "syscall";

  // Numbers are the same for a program that runs and for its recording: functions have them in the
  // order in which they were defined, and nothing else has numbers that depend on how many there
  // are.

  /** Number of the first probe of a function; probes of time have those before. */
  private static final int FUNCTIONS = 100;

  /** Number that those of probes of time follow for which there is no room before the functions. */
  private static final int MORE_TIMERS = 1 << 28;

  /** Numbers that those of functions follow, where a probe fires in all processes. */
  private static final Map<String, Integer> OF_ALL = Map.of(FBT, 1 << 26, SYSCALL, 1 << 27);

  /** Modules whose functions named Nt... are system calls. */
  private static final Set<String> SYSTEM = Set.of("ntdll.dll", "win32u.dll");

  private final CallSource source;
  private final CallNames names;
  private final List<Known> known = new ArrayList<>();
  private final Map<String, Known> ofAll = new TreeMap<>();
  private final Set<Place> places = new HashSet<>();
  private int last = FUNCTIONS - 1;
  private long end;

  /** Function in a process. */
  record Place(long process, String module, String function) {}

  /**
   * Probe with the calls that fire it.
   *
   * @param process its id; -1: any
   */
  record Known(Probe probe, ProbeNames names, CallEvents.Kind kind, long process, Place place) {
    /** Returns true if events of a function fire it. */
    boolean isOf(CallEvents.Kind of, Place function) {
      return kind == of
          && (process < 0 || process == function.process)
          && place.module.equals(function.module)
          && place.function.equals(function.function);
    }
  }

  private CallProbes(CallSource source, CallNames names) {
    this.source = source;
    this.names = names;
  }

  /** The probes of a recording: of the functions that were traced, called or not. */
  public static CallProbes of(CallSource source, CallNames names) {
    CallProbes probes = new CallProbes(source, names);
    probes.addTraced();
    return probes;
  }

  /**
   * The probes of calls that are still to come, none at first.
   *
   * @param source grows
   */
  public static CallProbes growing(CallSource source, CallNames names) {
    return new CallProbes(source, names);
  }

  /** Adds the functions that are defined; returns the probes of those that are new. */
  List<Known> addDefined() {
    List<Known> more = new ArrayList<>();
    source.traced().forEach(one -> more.addAll(add(place(one.process(), one.function()))));
    return more;
  }

  private void addTraced() {
    addDefined();
    Map<Long, Map<String, Place>> called = new TreeMap<>();
    Set<CallSource.Traced> seen = new HashSet<>();
    try (CallEvents events = events()) {
      for (CallEvents.Event event = events.next(); event != null; event = events.next()) {
        long process = process(event.thread());
        if (seen.add(new CallSource.Traced(process, event.function()))) {
          called
              .computeIfAbsent(process, _ -> new TreeMap<>())
              .put(names.text(event.function()), place(process, event.function()));
        }
        end = Math.max(end, event.time());
      }
    }
    called.values().forEach(all -> all.values().forEach(this::add));
    end = Math.max(end, source.end().orElse(0));
  }

  private CallEvents events() {
    return new CallEvents(source, IntStream.range(0, source.threads().size()).boxed().toList());
  }

  private long process(int thread) {
    return source.threads().get(thread).pid();
  }

  /** Returns where a function is. */
  Place place(long process, long function) {
    CallNames.Name name = names.of(function);
    return new Place(process, name.module(), name.function());
  }

  /**
   * Adds a function, unless it is known.
   *
   * @return its probes, if it is new
   */
  public List<Probe> add(long process, String module, String function) {
    return add(new Place(process, module, function)).stream().map(Known::probe).toList();
  }

  boolean knows(Place place) {
    return places.contains(place);
  }

  List<Known> add(Place place) {
    if (!places.add(place)) {
      return List.of();
    }
    List<Known> more = new ArrayList<>();
    for (CallEvents.Kind kind : CallEvents.Kind.values()) {
      more.add(make(++last, place, "pid" + place.process, place.process, kind));
    }
    known.addAll(more);
    return more;
  }

  private static Known make(
      int id, Place place, String provider, long process, CallEvents.Kind kind) {
    String module = place.module;
    int dot = module.lastIndexOf('.');
    List<String> modules = dot <= 0 ? List.of(module) : List.of(module.substring(0, dot), module);
    ProbeNames names =
        new ProbeNames(
            List.of(provider),
            provider.equals(SYSCALL) ? List.of("") : modules,
            List.of(place.function),
            List.of(kind.name().toLowerCase(Locale.ROOT)));
    return new Known(names.probe(id, List.of()), names, kind, process, place);
  }

  @Override
  public List<Probe> all() {
    return known.stream().map(Known::probe).toList();
  }

  @Override
  public List<Probe> matching(ProbeDescription description, boolean ignoresCase) {
    ProbePattern pattern = ProbePattern.of(description, ignoresCase);
    for (String provider : List.of(FBT, SYSCALL)) {
      if (!pattern.isAnyProvider() && pattern.meansProvider(provider)) {
        return ofAll(provider, pattern);
      }
    }
    return known.stream().filter(one -> pattern.matches(one.names)).map(Known::probe).toList();
  }

  /** Returns probes that fire in all processes. */
  private List<Probe> ofAll(String provider, ProbePattern pattern) {
    Map<String, Probe> found = new TreeMap<>();
    for (Known one : known) {
      general(provider, one)
          .filter(general -> pattern.matches(general.names))
          .map(this::only)
          .ifPresent(general -> found.put(general.probe.text(), general.probe));
    }
    return List.copyOf(found.values());
  }

  /** Makes the probe of a provider that fires in all processes for the function of another. */
  private static Optional<Known> general(String provider, Known one) {
    if (provider.equals(SYSCALL) && !isSystemCall(one.place.module, one.place.function)) {
      return Optional.empty();
    }
    int id = OF_ALL.getOrDefault(provider, 0) + one.probe.id();
    return Optional.of(make(id, one.place, provider, -1, one.kind));
  }

  /** Returns the one probe for functions of the same name in all processes. */
  private Known only(Known general) {
    return ofAll.computeIfAbsent(general.probe.text(), _ -> general);
  }

  /** Returns the probes that fire in all processes for the function of another. */
  List<Known> ofAllProcesses(Known one) {
    return Stream.of(FBT, SYSCALL)
        .flatMap(provider -> general(provider, one).stream())
        .map(this::only)
        .toList();
  }

  /** Returns true if a function is where a program calls the system. */
  public static boolean isSystemCall(String module, String function) {
    return SYSTEM.contains(module.toLowerCase(Locale.ROOT)) && function.startsWith("Nt");
  }

  /** Returns the known probes that are enabled. */
  List<Known> wanted(Set<Probe> enabled) {
    return Stream.concat(known.stream(), ofAll.values().stream())
        .filter(one -> enabled.contains(one.probe))
        .toList();
  }

  @Override
  public boolean hasTime() {
    return source.clock().nanos() && source.clock().shared();
  }

  @Override
  public int timer(int timers) {
    int first = ProbeCatalog.FIRST + timers;
    return first < FUNCTIONS ? first : MORE_TIMERS + timers;
  }

  @Override
  public ProbeEvent at(long nanos) {
    return new Moment(source, nanos);
  }

  /** Time without an event. */
  private record Moment(CallSource source, long timestamp) implements ProbeEvent {
    @Override
    public long wallTimestamp() {
      return source.begunAt().orElseThrow(CallEvent::notRecorded) + timestamp;
    }
  }

  @Override
  public void run(Set<Probe> enabled, Sink sink) {
    CallFirings firings = new CallFirings(this, source, names, enabled, sink, false);
    if (firings.isAnyWanted()) {
      try (CallEvents events = events()) {
        firings.fire(events);
      }
    }
  }

  /**
   * Fires the events of a growing recording.
   *
   * @param enabled probes that are known already
   */
  public CallFirings firings(Set<Probe> enabled, Sink sink) {
    return new CallFirings(this, source, names, enabled, sink, true);
  }

  @Override
  public long endNanos() {
    return end;
  }

  @Override
  public void close() {
    source.close();
  }
}

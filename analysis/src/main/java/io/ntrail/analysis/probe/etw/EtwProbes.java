package io.ntrail.analysis.probe.etw;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.StackStatistics;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.sources.ProbeCatalog;
import io.ntrail.analysis.probe.sources.ProbeNames;
import io.ntrail.analysis.probe.sources.ProbePattern;
import io.ntrail.analysis.probe.sources.ProbeSource;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import io.ntrail.formats.etl.EtlClock;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Probes of an ETW recording. */
public final class EtwProbes implements ProbeSource {
  private static final String SYSCALL = "syscall";

  private static final Pattern LEVEL_AND_KEYWORD =
      Pattern.compile("0x([0-9a-fA-F]{1,2})_0x([0-9a-fA-F]{1,16})");

  private final Events events;
  private final @Nullable RecordingSymbols symbols;
  private final List<Known> known = new ArrayList<>();
  private final Map<String, Probe> leveled = new LinkedHashMap<>();
  private final Map<Probe, Levels> levels = new HashMap<>();
  private final Map<Probe, Known> knownOf = new HashMap<>();
  private long end;
  private long cpus;
  private @Nullable Processors processors;

  /** The walk of the last run. */
  private Events.@Nullable Walk ran;

  private @Nullable RecordedSystemCalls systemCalls;
  private final Map<ProbeNames, List<Probe>> ofServices = new HashMap<>();

  /**
   * Probe with the events that fire it.
   *
   * @param identity of the types of its events
   * @param kernel null if the probe is the event itself
   */
  private record Known(
      Probe probe, ProbeNames names, Set<String> identity, @Nullable KernelProbe kernel) {
    /** Returns true if an event of its own fires it, which has no other name. */
    boolean isPlain() {
      return kernel == null && !names.providers().contains(SYSCALL);
    }
  }

  /**
   * Events of at most a level and of some keywords.
   *
   * @param keywords at least one of them; all of them: any
   */
  private record Levels(int level, long keywords) {
    boolean take(int itsLevel, long itsKeywords) {
      return itsLevel <= level
          && (keywords == -1 || itsKeywords == 0 || (itsKeywords & keywords) != 0);
    }
  }

  /** Probe and what its program looks at. */
  private record Firing(Probe probe, ProbeEvent event, @Nullable Levels levels) {}

  /**
   * The probes of a recording.
   *
   * @param symbols names frames of stacks; null: stacks are not needed
   */
  public EtwProbes(Events events, @Nullable RecordingSymbols symbols) {
    this.events = events;
    this.symbols = symbols;
    find();
  }

  private Events.Walk walk() {
    return symbols == null
        ? events.walk(new EventFilter.Builder().build())
        : events.walkWithStacks(
            new EventFilter.Builder().build(), Long.MIN_VALUE, Long.MAX_VALUE, symbols);
  }

  /** Finds the types of all events. */
  private void find() {
    Set<EventType> types = Collections.newSetFromMap(new IdentityHashMap<>());
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
      while (walk.next()) {
        types.add(walk.event().type());
        end = walk.event().nanos();
        cpus = Math.max(cpus, walk.event().record().cpu() + 1L);
      }
    }
    for (EtlFile file : events.recording().files()) {
      cpus = Math.max(cpus, file.header().map(LogFileHeader::processors).orElse(0L));
    }
    // Versions of one event are one probe, whose arguments have the fields of all of them.
    Map<String, List<EventType>> groups = new LinkedHashMap<>();
    types.stream()
        .filter(type -> !type.isStackRecord())
        .sorted(Comparator.comparing(EventType::text).thenComparing(EventType::identity))
        .forEach(type ->
            groups.computeIfAbsent(names(type).toString(), _ -> new ArrayList<>()).add(type));
    groups.values().forEach(this::add);
    Map<KernelProbe, Set<String>> kernel = new EnumMap<>(KernelProbe.class);
    for (KernelProbe probe : KernelProbe.values()) {
      for (EventType type : types) {
        String event = type.event();
        if (event != null && isKernel(type) && probe.events().contains(event)) {
          kernel.computeIfAbsent(probe, _ -> new TreeSet<>()).add(type.identity());
        }
      }
    }
    kernel.forEach((probe, identities) -> {
      ProbeNames names =
          new ProbeNames(
              List.of(probe.provider()), List.of(""), List.of(""), List.of(probe.word()));
      add(names, probe.arguments(), identities, probe);
    });
    if (types.stream()
        .anyMatch(type -> RecordedSystemCalls.kind(type) != RecordedSystemCalls.Kind.NONE)) {
      findSystemCalls();
    }
  }

  private void findSystemCalls() {
    RecordedSystemCalls calls =
        new RecordedSystemCalls(RecordedSystemCalls.isLossy(events.recording()));
    try (Events.Walk walk = walk()) {
      calls.learn(walk);
    }
    systemCalls = calls;
    for (ProbeNames service : calls.services()) {
      List<Probe> both = new ArrayList<>();
      for (String name : List.of("entry", "return")) {
        ProbeNames names =
            new ProbeNames(
                service.providers(), service.modules(), service.functions(), List.of(name));
        boolean isReturn = name.equals("return");
        add(names, isReturn ? List.of(Types.INT, Types.INT) : List.of(), Set.of(), null);
        both.add(known.getLast().probe);
      }
      ofServices.put(service, both);
    }
  }

  /** Returns true if system calls were recorded: their names are those of symbols. */
  public boolean hasSystemCalls() {
    return systemCalls != null;
  }

  private void add(List<EventType> group) {
    List<Type.Fields.Field> fields = new ArrayList<>();
    Set<String> identities = new TreeSet<>();
    EventType first = group.getFirst();
    for (EventType type : group) {
      identities.add(type.identity());
      for (Type.Fields.Field field : ProbeFields.of(type.text(), type.schema()).fields()) {
        if (fields.stream().noneMatch(other -> other.name().equals(field.name()))) {
          fields.add(field);
        }
      }
    }
    add(names(first), List.of(new Type.Fields(first.text(), fields)), identities, null);
  }

  private void add(
      ProbeNames names,
      List<Type> arguments,
      Set<String> identities,
      @Nullable KernelProbe kernel) {
    Probe probe = names.probe(ProbeCatalog.FIRST + known.size(), arguments);
    Known one = new Known(probe, names, identities, kernel);
    known.add(one);
    knownOf.put(probe, one);
  }

  static boolean isKernel(EventType type) {
    return "Windows Kernel".equals(type.provider());
  }

  /** Returns the names of an event: kernel::TASK:OPCODE, or etw:PROVIDER:TASK:NAME. */
  private static ProbeNames names(EventType type) {
    String event = type.event();
    int slash = event == null ? -1 : event.indexOf('/');
    String task = event == null || slash < 0 ? "" : event.substring(0, slash);
    String name = event == null ? "" : event.substring(slash + 1);
    String id = Integer.toString(type.id());
    if (isKernel(type) && event != null) {
      return new ProbeNames(
          List.of("kernel"),
          List.of(""),
          List.of(task),
          List.of(name, Integer.toString(type.opcode())));
    }
    List<String> modules = new ArrayList<>();
    if (type.provider() != null) {
      modules.add(type.provider());
    }
    modules.add(type.guid().toString());
    List<String> called = new ArrayList<>();
    if (event != null) {
      called.add(name.isEmpty() ? event : name);
      called.add(event);
    }
    called.add(id);
    return new ProbeNames(List.of("etw"), modules, List.of(task), called);
  }

  @Override
  public List<Probe> all() {
    return known.stream().map(Known::probe).toList();
  }

  @Override
  public List<Probe> matching(ProbeDescription description, boolean ignoresCase) {
    ProbePattern pattern = ProbePattern.of(description, ignoresCase);
    Matcher level = LEVEL_AND_KEYWORD.matcher(description.function());
    boolean isLeveled = level.matches();
    if (isLeveled) {
      pattern = pattern.withAnyFunction();
    }
    boolean isGeneric = description.name().equals("generic_event");
    List<Probe> found = new ArrayList<>();
    for (Known one : known) {
      boolean isMeant =
          isGeneric
              ? one.isPlain() && pattern.matches(anyName(one.names))
              : pattern.matches(one.names);
      if (isMeant) {
        found.add(isLeveled ? leveled(one, description.function(), level) : one.probe);
      }
    }
    return found;
  }

  private static ProbeNames anyName(ProbeNames names) {
    return new ProbeNames(
        names.providers(), names.modules(), names.functions(), List.of("generic_event"));
  }

  private Probe leveled(Known one, String function, Matcher level) {
    return leveled.computeIfAbsent(
        one.probe.id() + " " + function.toLowerCase(Locale.ROOT),
        _ -> {
          Probe plain = one.probe;
          Probe probe =
              new Probe(
                  ProbeCatalog.FIRST + known.size() + (1 << 20) + leveled.size(),
                  plain.provider(),
                  plain.module(),
                  function,
                  plain.name(),
                  plain.arguments());
          levels.put(
              probe,
              new Levels(
                  Integer.parseInt(level.group(1), 16),
                  Long.parseUnsignedLong(level.group(2), 16)));
          knownOf.put(probe, one);
          return probe;
        });
  }

  @Override
  public ProbeEvent at(long nanos) {
    EtlClock clock = events.recording().files().getFirst().clock();
    long start = (clock.startFileTime() - EtwEvent.UNIX_EPOCH) * 100;
    return new Moment(nanos, start + nanos);
  }

  /** Time without an event. */
  private record Moment(long timestamp, long wallTimestamp) implements ProbeEvent {}

  @Override
  public int processors() {
    Processors known = processors;
    return known == null ? 1 : known.count();
  }

  @Override
  public List<ProbeEvent> atEachProcessor(long nanos) {
    Processors known = processors;
    return known == null ? List.of(at(nanos)) : known.at(at(nanos));
  }

  /** Returns the statistics of the stacks that a run looked at; none before it. */
  public StackStatistics stackCounts() {
    Events.Walk last = ran;
    return last == null ? StackStatistics.NONE : last.stackCounts();
  }

  @Override
  public void run(Set<Probe> enabled, Sink sink) {
    try (Events.Walk walk = walk()) {
      ran = walk;
      Processors known =
          enabled.stream().anyMatch(ProbeCatalog::isOnEachProcessor)
              ? new Processors(walk, cpus, events.recording().oneClock())
              : null;
      processors = known;
      IdentityHashMap<EventType, List<Firing>> byType = new IdentityHashMap<>();
      Map<KernelProbe, KernelProbeEvent> kernel = new EnumMap<>(KernelProbe.class);
      EtwEvent plain = new EtwEvent(walk);
      List<Probe> ordered = enabled.stream().sorted(Comparator.comparingInt(Probe::id)).toList();
      boolean hasEvents = ordered.stream().anyMatch(knownOf::containsKey);
      boolean hasCalls = ordered.stream().anyMatch(probe -> probe.provider().equals(SYSCALL));
      RecordedSystemCalls calls = hasCalls ? systemCalls : null;
      SystemCallEvent seen = new SystemCallEvent(walk);
      while ((hasEvents || known != null) && walk.next()) {
        if (known != null) {
          // What runs until now is seen by the probes of time that are due until now.
          if (!sink.reach(walk.event().nanos())) {
            return;
          }
          known.pass();
        }
        if (calls != null && !fire(calls, seen, enabled, walk, sink)) {
          return;
        }
        List<Firing> firings = byType.get(walk.event().type());
        if (firings == null) {
          firings = new ArrayList<>();
          String identity = walk.event().type().identity();
          for (Probe probe : ordered) {
            Known one = knownOf.get(probe);
            if (one != null && one.identity.contains(identity)) {
              KernelProbe of = one.kernel;
              ProbeEvent event =
                  of == null
                      ? plain
                      : kernel.computeIfAbsent(of, _ -> new KernelProbeEvent(walk, of));
              firings.add(new Firing(probe, event, levels.get(probe)));
            }
          }
          byType.put(walk.event().type(), firings);
        }
        for (int i = 0; i < firings.size(); i++) {
          Firing firing = firings.get(i);
          Levels its = firing.levels;
          if (its != null
              && !its.take(walk.event().record().level(), walk.event().record().keyword())) {
            continue;
          }
          if (!sink.fire(firing.probe, firing.event)) {
            return;
          }
        }
      }
    }
  }

  /** Fires the probes of a system call, if the walk stands at one; false if that was the last. */
  private boolean fire(
      RecordedSystemCalls calls,
      SystemCallEvent seen,
      Set<Probe> enabled,
      Events.Walk walk,
      Sink sink) {
    EventReader event = walk.event();
    RecordedSystemCalls.Kind kind = RecordedSystemCalls.kind(event.type());
    calls.pass(event);
    if (kind == RecordedSystemCalls.Kind.NONE) {
      return true;
    }
    boolean isReturn = kind == RecordedSystemCalls.Kind.RETURN;
    RecordedSystemCalls.Entered entered = isReturn ? calls.leave(event) : null;
    long address = isReturn ? entered == null ? 0 : entered.address() : calls.address(event);
    if (!isReturn) {
      calls.enter(event, address);
    }
    ProbeNames service =
        isReturn && entered == null ? RecordedSystemCalls.unknown() : calls.service(address);
    List<Probe> both = ofServices.getOrDefault(service, List.of());
    if (both.isEmpty() || !enabled.contains(both.get(isReturn ? 1 : 0))) {
      return true;
    }
    seen.moveTo(isReturn, entered);
    return sink.fire(both.get(isReturn ? 1 : 0), seen);
  }

  @Override
  public long endNanos() {
    return end;
  }

  @Override
  public void close() {
    events.recording().close();
  }
}

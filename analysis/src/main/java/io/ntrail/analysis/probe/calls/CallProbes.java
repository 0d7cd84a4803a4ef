package io.ntrail.analysis.probe.calls;

import io.ntrail.analysis.calls.CallEvents;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.sources.ProbeCatalog;
import io.ntrail.analysis.probe.sources.ProbeNames;
import io.ntrail.analysis.probe.sources.ProbePattern;
import io.ntrail.analysis.probe.sources.ProbeSource;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Probes of a recording of calls: {@code pidPID:module:function:entry}, {@code return} and {@code
 * unwind}; of all its processes with {@code fbt} as the provider.
 */
public final class CallProbes implements ProbeSource {
  private static final String FBT = "fbt";

  private final CallSource source;
  private final CallNames names;
  private final List<Known> known = new ArrayList<>();
  private final Map<String, Known> ofAll = new TreeMap<>();
  private long end;

  /** Function in a process. */
  private record Place(long process, String module, String function) {}

  /**
   * Probe with the calls that fire it.
   *
   * @param process its id; -1: any
   */
  private record Known(
      Probe probe, ProbeNames names, CallEvents.Kind kind, long process, Place place) {}

  /** The probes of a recording. */
  public CallProbes(CallSource source, CallNames names) {
    this.source = source;
    this.names = names;
    Map<Long, Set<Long>> functions = new TreeMap<>();
    try (CallEvents events = events()) {
      for (CallEvents.Event event = events.next(); event != null; event = events.next()) {
        functions
            .computeIfAbsent(process(event.thread()), _ -> new HashSet<>())
            .add(event.function());
        end = Math.max(end, event.time());
      }
    }
    functions.forEach((process, all) -> {
      Map<String, Place> places = new TreeMap<>();
      for (long function : all) {
        CallNames.Name name = names.of(function);
        places.put(name.text(), new Place(process, name.module(), name.function()));
      }
      places.values().forEach(place -> add(place, "pid" + process));
    });
  }

  private CallEvents events() {
    return new CallEvents(source, IntStream.range(0, source.threads().size()).boxed().toList());
  }

  private long process(int thread) {
    return source.threads().get(thread).pid();
  }

  private void add(Place place, String provider) {
    for (CallEvents.Kind kind : CallEvents.Kind.values()) {
      known.add(make(ProbeCatalog.FIRST + known.size(), place, provider, place.process, kind));
    }
  }

  private static Known make(
      int id, Place place, String provider, long process, CallEvents.Kind kind) {
    String module = place.module;
    int dot = module.lastIndexOf('.');
    ProbeNames names =
        new ProbeNames(
            List.of(provider),
            dot <= 0 ? List.of(module) : List.of(module.substring(0, dot), module),
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
    if (!pattern.isAnyProvider() && pattern.meansProvider(FBT)) {
      return ofAll(pattern);
    }
    return known.stream().filter(one -> pattern.matches(one.names)).map(Known::probe).toList();
  }

  /** Returns probes that fire in all processes. */
  private List<Probe> ofAll(ProbePattern pattern) {
    Map<String, Probe> found = new TreeMap<>();
    for (Known one : known) {
      Known general =
          make(
              ProbeCatalog.FIRST + known.size() + (1 << 20) + ofAll.size(),
              one.place,
              FBT,
              -1,
              one.kind);
      if (pattern.matches(general.names)) {
        String text = general.probe.text();
        found.put(text, ofAll.computeIfAbsent(text, _ -> general).probe);
      }
    }
    return List.copyOf(found.values());
  }

  @Override
  public boolean hasTime() {
    return source.clock().nanos() && source.clock().shared();
  }

  @Override
  public ProbeEvent at(long nanos) {
    return new Moment(nanos);
  }

  /** Time without an event. */
  private record Moment(long timestamp) implements ProbeEvent {
    @Override
    public long wallTimestamp() {
      throw CallEvent.notRecorded();
    }
  }

  /** Returns the probes that calls of a function fire, by the kind of event. */
  private List<List<Probe>> fired(long process, long function, List<Known> enabled) {
    CallNames.Name name = names.of(function);
    List<List<Probe>> all = new ArrayList<>();
    for (CallEvents.Kind kind : CallEvents.Kind.values()) {
      Set<Probe> probes = new TreeSet<>(Comparator.comparingInt(Probe::id));
      for (Known one : enabled) {
        if (one.kind == kind
            && (one.process < 0 || one.process == process)
            && one.place.module.equals(name.module())
            && one.place.function.equals(name.function())) {
          probes.add(one.probe);
        }
      }
      all.add(List.copyOf(probes));
    }
    return all;
  }

  @Override
  public void run(Set<Probe> enabled, Sink sink) {
    List<Known> wanted =
        Stream.concat(known.stream(), ofAll.values().stream())
            .filter(one -> enabled.contains(one.probe))
            .toList();
    if (wanted.isEmpty()) {
      return;
    }
    Map<Long, Map<Long, List<List<Probe>>>> byFunction = new HashMap<>();
    CallEvent seen = new CallEvent(source, names);
    try (CallEvents events = events()) {
      for (CallEvents.@Nullable Event event = events.next(); event != null; event = events.next()) {
        long process = process(event.thread());
        long function = event.function();
        List<Probe> probes =
            byFunction
                .computeIfAbsent(process, _ -> new HashMap<>())
                .computeIfAbsent(function, _ -> fired(process, function, wanted))
                .get(event.kind().ordinal());
        if (probes.isEmpty()) {
          continue;
        }
        CallThread thread = source.threads().get(event.thread());
        seen.moveTo(event, thread);
        for (int i = 0; i < probes.size(); i++) {
          if (!sink.fire(probes.get(i), seen)) {
            return;
          }
        }
      }
    }
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

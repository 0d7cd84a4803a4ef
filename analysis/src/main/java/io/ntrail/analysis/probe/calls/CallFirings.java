package io.ntrail.analysis.probe.calls;

import io.ntrail.analysis.calls.CallEvents;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.sources.ProbeSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Fires enabled probes for entries and ends of calls. */
public final class CallFirings {
  private final CallProbes probes;
  private final CallSource source;
  private final ProbeSource.Sink sink;
  private final boolean isGrowing;
  private final List<CallProbes.Known> wanted;

  /** Probes that the program was offered; it took those that it means. */
  private final Set<Probe> offered;

  private final Map<Long, Map<Long, List<List<Probe>>>> byFunction = new HashMap<>();
  private final CallEvent seen;
  private List<CallThread> threads;
  private long latest = Long.MIN_VALUE;
  private long latestOfAll;
  private long late;

  /**
   * Nothing was fired yet.
   *
   * @param isGrowing true if functions may come that are not known yet
   */
  CallFirings(
      CallProbes probes,
      CallSource source,
      CallNames names,
      Set<Probe> enabled,
      ProbeSource.Sink sink,
      boolean isGrowing) {
    this.probes = probes;
    this.source = source;
    this.sink = sink;
    this.isGrowing = isGrowing;
    this.wanted = new ArrayList<>(probes.wanted(enabled));
    this.offered = new HashSet<>(enabled);
    this.seen = new CallEvent(source, names);
    this.threads = source.threads();
  }

  boolean isAnyWanted() {
    return !wanted.isEmpty();
  }

  /** Returns how many events came after later ones of other threads had fired. */
  public long late() {
    return late;
  }

  /** Returns the time of the latest event, whether a probe fired for it or not. */
  public long latest() {
    return latestOfAll;
  }

  /**
   * Fires all events that there are.
   *
   * @return false if no more are wanted
   */
  public boolean fire(CallEvents events) {
    if (isGrowing) {
      threads = source.threads();
    }
    for (CallEvents.Event event = events.next(); event != null; event = events.next()) {
      latestOfAll = Math.max(latestOfAll, event.time());
      CallThread thread = threads.get(event.thread());
      long process = thread.pid();
      long function = event.function();
      List<Probe> fired =
          byFunction
              .computeIfAbsent(process, _ -> new HashMap<>())
              .computeIfAbsent(function, _ -> fired(process, function))
              .get(event.kind().ordinal());
      if (fired.isEmpty()) {
        continue;
      }
      late += event.time() < latest ? 1 : 0;
      latest = Math.max(latest, event.time());
      seen.moveTo(event, thread);
      for (int i = 0; i < fired.size(); i++) {
        if (!sink.fire(fired.get(i), seen)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns the probes that calls of a function fire, by the kind of event. */
  private List<List<Probe>> fired(long process, long function) {
    CallProbes.Place place = probes.place(process, function);
    if (isGrowing && !probes.knows(place)) {
      // Its module was loaded later: its functions have numbers in the order of the recording.
      List<CallProbes.Known> more = new ArrayList<>(probes.addDefined());
      more.addAll(probes.add(place));
      List.copyOf(more).forEach(one -> more.addAll(probes.ofAllProcesses(one)));
      more.removeIf(one -> !offered.add(one.probe()));
      Set<Probe> meant = sink.enable(more.stream().map(CallProbes.Known::probe).toList());
      more.stream().filter(one -> meant.contains(one.probe())).forEach(wanted::add);
    }
    List<List<Probe>> all = new ArrayList<>();
    for (CallEvents.Kind kind : CallEvents.Kind.values()) {
      Set<Probe> fired = new TreeSet<>(Comparator.comparingInt(Probe::id));
      wanted.stream().filter(one -> one.isOf(kind, place)).forEach(one -> fired.add(one.probe()));
      all.add(List.copyOf(fired));
    }
    return all;
  }
}

package io.ntrail.analysis.probe.sources;

import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.Rate;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.analysis.probe.types.Types;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The probes of a source, and those that every program has: dtrace, profile. */
public final class ProbeCatalog {
  /** Number of the first probe of a source. */
  public static final int FIRST = 4;

  /** The shortest time between two firings of a probe of time. */
  static final long LEAST_NANOS = 200_000;

  /** Program begins. */
  public static final Probe BEGIN = dtrace(1, "BEGIN", 0);

  /** Program ends. */
  public static final Probe END = dtrace(2, "END", 0);

  /** Clause had a fault. */
  public static final Probe ERROR = dtrace(3, "ERROR", 6);

  private final ProbeSource source;
  private final Map<String, Timer> timers = new LinkedHashMap<>();

  /**
   * Probe of time.
   *
   * @param nanos between two firings
   */
  record Timer(Probe probe, long nanos) {}

  /** The probes of a source. */
  public ProbeCatalog(ProbeSource source) {
    this.source = source;
  }

  private static Probe dtrace(int id, String name, int arguments) {
    return new Probe(id, "dtrace", "", "", name, Collections.nCopies(arguments, Types.INT64));
  }

  /** Returns true if a probe of time fires on each processor, and not only once. */
  public static boolean isOnEachProcessor(Probe probe) {
    return probe.provider().equals("profile") && probe.name().startsWith("profile-");
  }

  List<Timer> timers() {
    return List.copyOf(timers.values());
  }

  /** Returns all probes, by their numbers. */
  public List<Probe> all() {
    List<Probe> all = new ArrayList<>(List.of(BEGIN, END, ERROR));
    all.addAll(source.all());
    return all;
  }

  /**
   * Returns the probes that a description means.
   *
   * @param isLenient true if there may be none
   * @throws CompileError if there are none
   */
  public List<Probe> matching(ProbeDescription description, boolean isLenient) {
    List<Probe> found =
        description.id() > 0 ? numbered(description.id()) : described(description, false);
    if (found.isEmpty() && description.id() == 0) {
      // Windows' names have no case, DTrace's have: END is not every event End.
      found = described(description, true);
    }
    if (found.isEmpty() && !isLenient) {
      throw new CompileError("D_PDESC_ZERO", description.place(), missing(description));
    }
    return found;
  }

  private List<Probe> numbered(int id) {
    return all().stream().filter(probe -> probe.id() == id).toList();
  }

  private List<Probe> described(ProbeDescription description, boolean ignoresCase) {
    List<Probe> found = new ArrayList<>();
    ProbePattern pattern = ProbePattern.of(description, ignoresCase);
    for (Probe probe : List.of(BEGIN, END, ERROR)) {
      ProbeNames names =
          new ProbeNames(List.of("dtrace"), List.of(""), List.of(""), List.of(probe.name()));
      // ERROR and the others are meant by their names only, not by a pattern for everything.
      if (!description.name().isEmpty() && pattern.matches(names)) {
        found.add(probe);
      }
    }
    timer(description, pattern).ifPresent(found::add);
    found.addAll(source.matching(description, ignoresCase));
    return found;
  }

  private Optional<Probe> timer(ProbeDescription description, ProbePattern pattern) {
    String name = description.name();
    int dash = name.indexOf('-');
    String kind = dash < 0 ? "" : name.substring(0, dash);
    if (!kind.equals("tick") && !kind.equals("profile") || !pattern.meansProvider("profile")) {
      return Optional.empty();
    }
    if (!source.hasTime()) {
      throw new CompileError(
          "D_PDESC_INVAL",
          description.place(),
          "%s needs times in nanoseconds, and this recording has ticks".formatted(name));
    }
    OptionalLong nanos = Rate.nanos(name.substring(dash + 1));
    if (nanos.isEmpty() || nanos.getAsLong() < LEAST_NANOS) {
      throw new CompileError(
          "D_PDESC_INVAL",
          description.place(),
          "%s is no time between firings, or one below 200 us".formatted(name));
    }
    return Optional.of(
        timers
            .computeIfAbsent(
                name,
                _ ->
                    new Timer(
                        new Probe(
                            source.timer(timers.size()),
                            "profile",
                            "",
                            "",
                            name,
                            List.of(Types.UINT64, Types.UINT64)),
                        nanos.getAsLong()))
            .probe());
  }

  /** Returns why nothing matches, with the nearest name. */
  private String missing(ProbeDescription description) {
    String wanted = description.isByFunction() ? description.function() : description.name();
    List<String> known =
        source.all().stream()
            .map(probe -> description.isByFunction() ? probe.function() : probe.name())
            .distinct()
            .toList();
    String near = UnmatchedTerm.of(UnmatchedTerm.What.FIELD, wanted, known).nearest();
    return "no probe matches %s%s"
        .formatted(description.text(), near.isEmpty() ? "" : "; nearest: " + near);
  }
}

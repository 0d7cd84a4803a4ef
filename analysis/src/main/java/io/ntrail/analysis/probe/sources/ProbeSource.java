package io.ntrail.analysis.probe.sources;

import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import java.util.List;
import java.util.Set;

/** Probes, and the events that fire them: a recording, or a program that runs. */
public interface ProbeSource extends AutoCloseable {
  /** Receiver of events in time order. */
  interface Sink {
    /**
     * Tells that time went on, before what happens then.
     *
     * @return false if nothing more is wanted
     */
    boolean reach(long nanos);

    /**
     * Fires a probe.
     *
     * @param event valid until this returns
     * @return false if nothing more is wanted
     */
    boolean fire(Probe probe, ProbeEvent event);

    /**
     * Enables probes that came after the program was compiled, at all clauses that mean them.
     *
     * @return those that any clause means
     */
    Set<Probe> enable(List<Probe> probes);

    /** Tells that nothing more is known for the moment: what was printed may be shown. */
    void pause();
  }

  /** Returns all probes, by their numbers. */
  List<Probe> all();

  /**
   * Returns the probes that a description means; empty if there are none.
   *
   * @param ignoresCase true if case does not matter
   */
  List<Probe> matching(ProbeDescription description, boolean ignoresCase);

  /** Returns true if times are nanoseconds that all threads share: probes of time need that. */
  default boolean hasTime() {
    return true;
  }

  /**
   * Returns the number of a probe of time.
   *
   * @param timers how many there are before it
   */
  default int timer(int timers) {
    return ProbeCatalog.FIRST + all().size() + timers;
  }

  /** Returns the event that BEGIN, END and the probes of time see. */
  ProbeEvent at(long nanos);

  /** Returns how many processors are told apart while it runs. */
  default int processors() {
    return 1;
  }

  /** Returns what probes of time see that fire on each processor, by the numbers of these. */
  default List<ProbeEvent> atEachProcessor(long nanos) {
    return List.of(at(nanos));
  }

  /** Hands the events of some probes on, in time order. */
  void run(Set<Probe> enabled, Sink sink);

  /** Returns the nanoseconds from the start to the end, when all was read. */
  long endNanos();

  @Override
  void close();
}

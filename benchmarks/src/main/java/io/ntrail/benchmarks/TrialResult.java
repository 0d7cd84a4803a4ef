package io.ntrail.benchmarks;

import io.ntrail.live.session.RecorderStatistics;

/**
 * One run with tracing, beside runs without it.
 *
 * @param functions that were traced
 * @param base what the program took without tracing, in the same round
 * @param time what it took with tracing
 * @param events that happened: those in the file and those that were lost
 * @param lost of them, those that are not in the file
 * @param bytes of the file
 * @param unwinds of the events in the file
 * @param reentrant calls that were not recorded because their thread was just being known
 */
record TrialResult(
    int functions,
    Time base,
    Time time,
    long events,
    long lost,
    long bytes,
    long unwinds,
    long reentrant) {
  /**
   * Times of a program, in nanoseconds.
   *
   * @param wall by the clock on the wall
   * @param processor of its process alone: what others do on the machine counts less
   */
  record Time(double wall, double processor) {
    /** Not known. */
    static final Time NONE = new Time(0, 0);

    /** Between two. */
    Time mean(Time other) {
      return new Time((wall + other.wall) / 2, (processor + other.processor) / 2);
    }
  }

  /** Returns the result of a run, not yet beside untraced ones. */
  static TrialResult of(LiveTrial.Run run, Time time) {
    RecorderStatistics statistics = run.statistics();
    long lost = statistics.allDropped();
    return new TrialResult(
        run.traced(),
        Time.NONE,
        time,
        statistics.captured().events() + lost,
        lost,
        statistics.bytes(),
        statistics.captured().unwinds(),
        run.reentrant());
  }

  /** Returns the result beside untraced runs. */
  TrialResult beside(Time untraced) {
    return new TrialResult(functions, untraced, time, events, lost, bytes, unwinds, reentrant);
  }

  /** Returns the processor time beyond the untraced run, in nanoseconds. */
  double more() {
    return time.processor() - base.processor();
  }

  /** Returns the overhead in per cent. */
  double overhead() {
    return 100 * more() / base.processor();
  }

  /** Returns the overhead for 100 million events, in per cent. */
  double overheadPerHundredMillion() {
    return overhead() * 1e8 / events;
  }

  /** Returns the overhead of one event, in nanoseconds. */
  double nanosPerEvent() {
    return more() / events;
  }

  /** Events a second of the traced run. */
  double rate() {
    return events * 1e9 / time.wall();
  }
}

package io.ntrail.formats.ntr;

/**
 * Receiver of what a writer is given, in the same order and at the same time; called by the
 * writer's thread. Numbers are those of docs/ntr.md.
 */
public interface RecordingFollower {
  /** Takes the header, before anything else. */
  void header(NtrHeader header);

  /** Takes the definition of a process, or more of it. */
  void process(TracedProcess process);

  /** Takes the definition of a thread, or more of it. */
  void thread(TracedThread thread);

  /** Takes the definition of a module, or more of it. */
  void module(TracedModule module);

  /** Takes the definition of a function, or more of it. */
  void function(TracedFunction function);

  /** Takes the callers of an entry. */
  void callers(TracedThread.Callers callers);

  /** Takes the readings of several clocks at one moment. */
  void calibration(ClockCalibration calibration);

  /**
   * Takes an event of a thread.
   *
   * @param kind one of {@link EventKind}
   * @param value as {@link ThreadEventCursor#value} has it
   * @param more further values, valid until this returns
   * @param count how many of them there are
   */
  void event(
      long thread,
      int kind,
      long ticks,
      long function,
      int area,
      int slot,
      long key,
      long value,
      long[] more,
      int count);

  /** Takes the number of records of a thread that were lost after its last event. */
  void lost(long thread, long records);

  /** Returns true if it has as much as it can hold: nothing more should be given for a while. */
  boolean isFull();
}

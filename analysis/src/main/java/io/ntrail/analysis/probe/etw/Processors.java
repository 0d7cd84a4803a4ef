package io.ntrail.analysis.probe.etw;

import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.FieldReference;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Processors of a recording at a time, with the threads that context switches put on them. Follows
 * a walk: an event counts from the time at which it was passed.
 */
final class Processors {
  /** Processors that Windows has at most. */
  private static final int MOST = 2048;

  private final Events.Walk walk;
  private final boolean isOneClock;
  private final int[] running;
  private final FieldReference newThread = new FieldReference("NewThreadId");

  /**
   * No thread is known until the first switch of a processor.
   *
   * @param count of the processors; at most those that Windows has are taken
   * @param isOneClock false if processors of several files are not the same ones
   */
  Processors(Events.Walk walk, long count, boolean isOneClock) {
    this.walk = walk;
    this.isOneClock = isOneClock;
    this.running = new int[Math.clamp(count, 1, MOST)];
    Arrays.fill(running, RecordCursor.NO_ID);
  }

  /** Returns how many there are. */
  int count() {
    return running.length;
  }

  /** Learns from the event that the walk stands at. */
  void pass() {
    EventReader event = walk.event();
    int cpu = event.record().cpu();
    if (isOneClock && cpu < running.length && isSwitch(event.type())) {
      try {
        running[cpu] = (int) ProbeFields.number(event, newThread);
      } catch (Fault damaged) {
        running[cpu] = RecordCursor.NO_ID;
      }
    }
  }

  private static boolean isSwitch(EventType type) {
    return "Thread/CSwitch".equals(type.event()) && EtwProbes.isKernel(type);
  }

  /** Returns what each processor does at a time before the event that the walk stands at. */
  List<ProbeEvent> at(ProbeEvent time) {
    List<ProbeEvent> all = new ArrayList<>(running.length);
    for (int cpu = 0; cpu < running.length; cpu++) {
      int thread = running[cpu];
      int process =
          thread == RecordCursor.NO_ID ? RecordCursor.NO_ID : walk.event().processOf(thread);
      all.add(new Moment(time, cpu, thread, process, walk.event().processLife(process)));
    }
    return all;
  }

  /**
   * Processor at a time.
   *
   * @param thread {@link RecordCursor#NO_ID}: unknown
   * @param process {@link RecordCursor#NO_ID}: unknown
   * @param life null if the process is not recorded
   */
  private record Moment(
      ProbeEvent time, int cpu, int thread, int process, @Nullable ProcessInstance life)
      implements ProbeEvent {
    @Override
    public long timestamp() {
      return time.timestamp();
    }

    @Override
    public long wallTimestamp() {
      return time.wallTimestamp();
    }

    @Override
    public long processId() {
      return process;
    }

    @Override
    public long threadId() {
      return thread;
    }

    @Override
    public long parentId() {
      return life == null ? UNKNOWN : life.parent();
    }

    @Override
    public String program() {
      return life == null ? UNKNOWN_NAME : life.image();
    }

    @Override
    public String commandLine() {
      String line = life == null ? null : life.commandLine();
      if (line == null) {
        throw new Fault(Fault.Kind.ILLOP, 0);
      }
      return line;
    }
  }
}

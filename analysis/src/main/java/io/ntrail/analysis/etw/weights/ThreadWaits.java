package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.StackSnapshot;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.KernelFieldOffsets.ReadyThread;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Waits of threads, or times in which they were ready and got no CPU: see docs/profile.md. */
final class ThreadWaits implements WeightVisitor {

  private static final int TERMINATED = 4;

  private static final String TO_RECORD =
      "wpr -start CPU, or: xperf -on PROC_THREAD+LOADER+CSWITCH+DISPATCHER"
          + " -stackwalk CSwitch+ReadyThread";

  /** Source of weights: waits. */
  static final WeightSource WAIT =
      new Switches(
          Metric.of("wait", "context switches", WeightUnit.NANOS, WeightUnit.COUNT)
              .withNouns("wait time", "waits")
              .withStacksOf("the threads that waited")
              .recordedBy(TO_RECORD),
          false);

  /** Source of weights: times of readiness. */
  static final WeightSource READY =
      new Switches(
          Metric.of("ready", "context switches", WeightUnit.NANOS, WeightUnit.COUNT)
              .withNouns("ready time", "ready intervals")
              .withStacksOf("what made the threads ready")
              .recordedBy(TO_RECORD),
          true);

  private static final class Switches extends WeightSource {
    private final boolean readyTimes;

    Switches(Metric metric, boolean readyTimes) {
      super(metric, KernelEvent.THREAD_CSWITCH);
      this.readyTimes = readyTimes;
    }

    @Override
    WeightVisitor start(
        Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
      return new ThreadWaits(readyTimes, request.unit() == WeightUnit.COUNT, diagnostics);
    }
  }

  /** Threads that are off their CPUs at one time, each with a stack. */
  private static final int MOST = 1 << 20;

  /** A thread that has left its CPU. */
  private static final class Away {
    final long since;
    final int process;
    final boolean waits;

    /** True if switches are among the events that were asked for. */
    final boolean isSelected;

    final StackSnapshot stack;

    /** Time at which it became ready, and the stack of that; the start if it never waited. */
    long readySince;

    StackSnapshot readyStack = StackSnapshot.NONE;
    boolean ready;

    Away(long since, int process, boolean waits, boolean isSelected, StackSnapshot stack) {
      this.isSelected = isSelected;
      this.since = since;
      this.process = process;
      this.waits = waits;
      this.stack = stack;
      this.ready = !waits;
      this.readySince = since;
      if (!waits) {
        this.readyStack = stack;
      }
    }
  }

  private final boolean readyTimes;
  private final boolean counted;
  private final ProfileDiagnostics diagnostics;
  private final Map<Integer, Away> away = new HashMap<>();
  private @Nullable EventContext last;

  /**
   * @param readyTimes whether to yield the times of readiness, or else those of waiting
   * @param counted whether to count, or else to add nanoseconds
   */
  ThreadWaits(boolean readyTimes, boolean counted, ProfileDiagnostics diagnostics) {
    this.readyTimes = readyTimes;
    this.counted = counted;
    this.diagnostics = diagnostics;
  }

  @Override
  public void visit(EventContext event) {
    last = event;
    RecordCursor record = event.record();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    switch (event.hook()) {
      case KernelEvent.THREAD_CSWITCH -> {
        if (length > CSwitch.OLD_THREAD_STATE) {
          contextSwitch(event, record.bytes(), at);
        } else {
          event.tooShort();
        }
      }
      case KernelEvent.THREAD_READYTHREAD -> {
        if (length >= ReadyThread.THREAD_ID + 4) {
          ready(event, record.bytes().i32(at + ReadyThread.THREAD_ID));
        } else {
          event.tooShort();
        }
      }
      case KernelEvent.THREAD_START -> ended(event, false);
      case KernelEvent.THREAD_END -> ended(event, true);
      default -> {
        // Another kind of event.
      }
    }
  }

  private void contextSwitch(EventContext event, Bytes payload, int at) {
    int in = payload.i32(at + CSwitch.NEW_THREAD_ID);
    int out = payload.i32(at + CSwitch.OLD_THREAD_ID);
    int state = payload.u8(at + CSwitch.OLD_THREAD_STATE);
    int before = event.threadBeforeSwitch();
    if (before != RecordCursor.NO_ID && before != out && isSaid(event, out)) {
      diagnostics.addBreak();
    }
    if (out != 0) {
      leave(event, out, state);
    }
    if (in != 0) {
      comeBack(event, in);
    }
  }

  private void leave(EventContext event, int thread, int state) {
    if (state == TERMINATED) {
      away.remove(thread);
      return;
    }
    boolean waits = state != 1 && state != 3 && state != 7;
    int process = event.machine().processOfThread(thread, event.key());
    StackSnapshot stack = event.stackOf(thread) ? event.keep(process) : StackSnapshot.NONE;
    boolean isSelected = event.passesEvent();
    Away before = away.put(thread, new Away(event.key(), process, waits, isSelected, stack));
    if (before != null && (before.waits || readyTimes) && isSaid(event, process, thread)) {
      diagnostics.addBroken();
    }
    if (away.size() > MOST) {
      diagnostics.addUnfinished(away.size());
      away.clear();
    }
  }

  private void comeBack(EventContext event, int thread) {
    Away left = away.remove(thread);
    if (left == null || !event.passesEvent()) {
      return;
    }
    if (readyTimes) {
      if (left.ready) {
        StackSnapshot stack = left.readyStack;
        if (stack.isEmpty() && !left.waits && event.stackOf(thread)) {
          stack = event.keep(left.process);
        }
        event.give(left.since, left.process, thread, stack, weight(event, left.readySince));
      }
    } else if (left.waits) {
      StackSnapshot stack = left.stack;
      if (stack.isEmpty() && event.stackOf(thread)) {
        stack = event.keep(left.process);
      }
      event.give(left.since, left.process, thread, stack, weight(event, left.since));
    }
  }

  private long weight(EventContext event, long since) {
    return counted ? 1 : event.nanosBetween(since, event.key());
  }

  private void ready(EventContext event, int thread) {
    Away left = away.get(thread);
    if (left == null || left.ready) {
      return;
    }
    left.ready = true;
    left.readySince = event.key();
    if (readyTimes) {
      left.readyStack = event.keepOwnStack();
    }
  }

  /** A thread that begins has no open wait of an earlier one; one that ends waits no more. */
  private void ended(EventContext event, boolean end) {
    int thread = event.threadOfThreadEvent();
    Away left = thread == RecordCursor.NO_ID ? null : away.remove(thread);
    if (left != null && end && counts(left) && event.isInScope(left.process, thread)) {
      diagnostics.addUnfinished(1);
    }
  }

  private boolean counts(Away left) {
    return left.isSelected && (readyTimes ? left.ready : left.waits);
  }

  /** Returns true if something is said about a switch, of a thread whose process is looked up. */
  private static boolean isSaid(EventContext event, int thread) {
    return isSaid(event, event.machine().processOfThread(thread, event.key()), thread);
  }

  private static boolean isSaid(EventContext event, int process, int thread) {
    return event.passesEvent() && event.isInScope(process, thread);
  }

  @Override
  public void finish(ProfileDiagnostics into) {
    away.forEach((thread, left) -> {
      if (counts(left) && (last == null || last.isOurs(left.since, left.process, thread))) {
        into.addUnfinished(1);
      }
    });
    away.clear();
  }
}

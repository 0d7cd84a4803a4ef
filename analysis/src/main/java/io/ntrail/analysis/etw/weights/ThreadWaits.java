package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.StackSnapshot;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.Map;

/** Where threads waited, or could have run and did not get a CPU: see docs/profile.md. */
final class ThreadWaits implements WeightSource {
  static final int CSWITCH = 0x0524;
  static final int READY_THREAD = 0x0532;
  private static final int THREAD_START = 0x0501;
  private static final int THREAD_END = 0x0502;

  private static final int TERMINATED = 4;

  /** Threads that are off their CPUs at one time, each with a stack. */
  private static final int MOST = 1 << 20;

  /** A thread that has left its CPU. */
  private static final class Away {
    final long since;
    final int process;
    final boolean waits;
    final StackSnapshot stack;

    /** When it could run again, and whose stack that was; the beginning if it never waited. */
    long readySince;

    StackSnapshot readyStack = StackSnapshot.NONE;
    boolean ready;

    Away(long since, int process, boolean waits, StackSnapshot stack) {
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
  private final ProfileDiagnostics remarks;
  private final Map<Integer, Away> away = new HashMap<>();

  /**
   * @param readyTimes whether to yield the times of readiness, or else those of waiting
   * @param counted whether to count, or else to add nanoseconds
   */
  ThreadWaits(boolean readyTimes, boolean counted, ProfileDiagnostics remarks) {
    this.readyTimes = readyTimes;
    this.counted = counted;
    this.remarks = remarks;
  }

  @Override
  public void visit(EventContext moment) {
    RecordCursor record = moment.record();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    switch (moment.hook()) {
      case CSWITCH -> {
        if (length >= 15) {
          contextSwitch(moment, record.bytes(), at);
        }
      }
      case READY_THREAD -> {
        if (length >= 4) {
          ready(moment, record.bytes().i32(at));
        }
      }
      case THREAD_START -> ended(moment, false);
      case THREAD_END -> ended(moment, true);
      default -> {
        // Another kind of event.
      }
    }
  }

  private void contextSwitch(EventContext moment, Bytes payload, int at) {
    int in = payload.i32(at);
    int out = payload.i32(at + 4);
    int state = payload.u8(at + 14);
    int running = moment.running();
    if (running != RecordCursor.NO_ID && running != out) {
      remarks.addBreak();
    }
    if (out != 0) {
      leave(moment, out, state);
    }
    if (in != 0) {
      comeBack(moment, in);
    }
  }

  private void leave(EventContext moment, int thread, int state) {
    if (state == TERMINATED) {
      away.remove(thread);
      return;
    }
    boolean waits = state != 1 && state != 3 && state != 7;
    int process = moment.machine().processOfThread(thread, moment.key());
    StackSnapshot stack = moment.stackOf(thread) ? moment.keep(process) : StackSnapshot.NONE;
    Away before = away.put(thread, new Away(moment.key(), process, waits, stack));
    if (before != null && (before.waits || readyTimes)) {
      remarks.addBroken();
    }
    if (away.size() > MOST) {
      remarks.addUnfinished(away.size());
      away.clear();
    }
  }

  private void comeBack(EventContext moment, int thread) {
    Away left = away.remove(thread);
    if (left == null || !moment.passesEvent()) {
      return;
    }
    if (readyTimes) {
      if (left.ready) {
        StackSnapshot stack = left.readyStack;
        if (stack.isEmpty() && !left.waits && moment.stackOf(thread)) {
          stack = moment.keep(left.process);
        }
        moment.give(left.since, left.process, thread, stack, weight(moment, left.readySince));
      }
    } else if (left.waits) {
      StackSnapshot stack = left.stack;
      if (stack.isEmpty() && moment.stackOf(thread)) {
        stack = moment.keep(left.process);
      }
      moment.give(left.since, left.process, thread, stack, weight(moment, left.since));
    }
  }

  private long weight(EventContext moment, long since) {
    return counted ? 1 : moment.nanosBetween(since, moment.key());
  }

  private void ready(EventContext moment, int thread) {
    Away left = away.get(thread);
    if (left == null || left.ready) {
      return;
    }
    left.ready = true;
    left.readySince = moment.key();
    if (readyTimes) {
      moment.ownStack();
      left.readyStack = moment.keep(moment.process(moment.thread()));
    }
  }

  /** A thread that begins has no open wait of an earlier one; one that ends waits no more. */
  private void ended(EventContext moment, boolean end) {
    int thread = moment.threadOfThreadEvent();
    Away left = thread == RecordCursor.NO_ID ? null : away.remove(thread);
    if (left != null && end && counts(left)) {
      remarks.addUnfinished(1);
    }
  }

  private boolean counts(Away left) {
    return readyTimes ? left.ready : left.waits;
  }

  @Override
  public void finish(ProfileDiagnostics into) {
    for (Away left : away.values()) {
      if (counts(left)) {
        into.addUnfinished(1);
      }
    }
    away.clear();
  }
}

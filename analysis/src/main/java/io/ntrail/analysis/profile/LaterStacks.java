package io.ntrail.analysis.profile;

import io.ntrail.analysis.stacks.EventStacks;
import io.ntrail.analysis.stacks.Frames;
import io.ntrail.analysis.stacks.Stacks;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.Map;

/**
 * Events that wait for a stack which comes behind them: from the CLR's stack event, or as the
 * second half of one that was taken in two parts. Each thread has at most one.
 */
final class LaterStacks {
  /** Threads that are waited for. */
  private static final int MOST = 1 << 16;

  private record Waiting(WeightedStack stack, long matchId, boolean clr) {}

  private final EventStacks events;
  private final WeightSink sink;
  private final Map<Integer, Waiting> byThread = new HashMap<>();
  private boolean consumed;

  LaterStacks(Stacks stacks, WeightSink sink) {
    this.events = new EventStacks(stacks);
    this.sink = sink;
  }

  /** Takes a weight, with the frames that the kernel's stack records gave the event. */
  void add(Moment moment, Frames frames, int process, int thread, long weight) {
    WeightedStack stack = new WeightedStack();
    stack.key = moment.key();
    stack.process = process;
    stack.thread = thread;
    stack.cpu = moment.record().cpu();
    stack.weight = weight;
    RecordCursor record = moment.record();
    // A second half is part of another event's stack.
    boolean own = !consumed && events.copy(record, moment.key(), frames);
    fill(moment, stack, frames);
    long match = own ? events.matchId() : 0;
    boolean clr =
        !consumed && frames.count() == 0 && record.kind().isEvent() && EventStacks.isClr(record);
    if (match == 0 && !clr) {
      sink.put(stack);
      return;
    }
    Waiting before = byThread.put(thread, new Waiting(stack, match, clr));
    if (before != null) {
      sink.put(before.stack);
    }
    if (byThread.size() > MOST) {
      finish();
    }
  }

  private static void fill(Moment moment, WeightedStack stack, Frames frames) {
    int more = frames.count();
    int[] resolved = moment.resolve(stack.process, frames, new int[more]);
    int[] all = new int[stack.count + more];
    boolean before = more > 0 && !stack.kernel && moment.isKernel(frames.address(0));
    // The kernel's part stands first, whichever came first.
    System.arraycopy(resolved, 0, all, before ? 0 : stack.count, more);
    System.arraycopy(stack.functions, 0, all, before ? more : 0, stack.count);
    stack.functions = all;
    stack.count += more;
    stack.kernel |= before;
    stack.hasStack = stack.count > 0;
  }

  /** Looks whether an event is what an earlier one waits for; before it is added itself. */
  void visit(Moment moment, Frames frames) {
    consumed = false;
    if (byThread.isEmpty()) {
      return;
    }
    RecordCursor record = moment.record();
    int thread = moment.thread();
    Waiting waiting = byThread.get(thread);
    if (waiting == null) {
      return;
    }
    if (waiting.clr) {
      if (EventStacks.isClrStack(record)) {
        frames.clear();
        EventStacks.copyClr(record, frames);
        fill(moment, waiting.stack, frames);
        release(thread, waiting);
      } else if (EventStacks.isClr(record)) {
        release(thread, waiting);
      }
    } else {
      frames.clear();
      if (events.copy(record, moment.key(), frames) && events.matchId() == waiting.matchId) {
        consumed = true;
        fill(moment, waiting.stack, frames);
        release(thread, waiting);
      }
    }
  }

  private void release(int thread, Waiting waiting) {
    byThread.remove(thread);
    sink.put(waiting.stack);
  }

  /** Gives out what is left as it is. */
  void finish() {
    byThread.values().forEach(waiting -> sink.put(waiting.stack));
    byThread.clear();
  }
}

package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.stacks.StackAssembler;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.stacks.NamedFrame;
import java.util.List;
import java.util.function.Supplier;

/** The stacks of events that a walk comes to, each of one thread. One thread at a time. */
final class StackReader implements AutoCloseable {
  private final StackRecords stacks;
  private final StackNames names;
  private final StackAssembler whole;
  private final StackRecords.Walk walk;
  private final StackAddresses frames = new StackAddresses();
  private final StackAddresses place = new StackAddresses();
  private boolean taken;
  private boolean has;
  private boolean finished;

  /**
   * @param names names the frames
   * @param another makes a cursor that begins where the walk begins
   */
  StackReader(StackRecords stacks, StackNames names, Supplier<OrderedCursor> another) {
    this.names = names;
    this.stacks = stacks;
    this.whole = new StackAssembler(stacks, another);
    this.walk = whole.records();
  }

  /** Goes to the cursor's next record; all must come. */
  void moveTo(OrderedCursor cursor) {
    whole.moveTo(cursor);
    taken = false;
  }

  /** Returns true if the current event has a stack. */
  boolean has(EventReader event) {
    if (!event.record().kind().isEvent()) {
      return walk.found();
    }
    take(event);
    return has;
  }

  private void take(EventReader event) {
    if (!taken) {
      taken = true;
      has = whole.take(event.record(), event.key(), event.threadId(), frames);
    }
  }

  /** The frames of the current event, innermost first; none if it has no stack. */
  List<NamedFrame> frames(EventReader event) {
    take(event);
    return frames.count() == 0
        ? List.of()
        : names.resolve(event.processOf(whole.thread()), event.key(), frames);
  }

  /** Returns the place that an address is in a process at the current event. */
  NamedFrame place(EventReader event, int process, long address) {
    place.clear();
    place.add(address);
    // Inlined functions come first: the last one has the code.
    return names.resolve(process, event.key(), place).getLast();
  }

  /** Returns the addresses of the current event's stack, which {@link #has} has found. */
  StackAddresses addresses(EventReader event) {
    take(event);
    return frames;
  }

  /** Returns the thread whose stack the current event has, which {@link #has} has found. */
  int thread(EventReader event) {
    take(event);
    return whole.thread();
  }

  /** Returns the statistics so far. */
  StackStatistics counts() {
    return new StackStatistics(
        walk.references(),
        finished ? walk.unmatched() : -1,
        walk.undefined(),
        walk.leftOut() + stacks.leftOut(),
        whole.joined(),
        whole.givenUp());
  }

  /** The walk has come to the end of the recording: the rest is unmatched. */
  void finish() {
    walk.finish();
    finished = true;
  }

  @Override
  public void close() {
    whole.close();
  }
}

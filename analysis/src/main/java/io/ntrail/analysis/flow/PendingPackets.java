package io.ntrail.analysis.flow;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Packets that wait for the one that they belong to. */
final class PendingPackets {
  /** Events that wait at most: a stream that is damaged may announce any number. */
  private static final int MOST = 64;

  /** Events of a block of items that wait at most: a processor writes some hundreds. */
  private static final int MOST_OF_BLOCK = 1024;

  // Types of control flow events that have data.
  private static final int INTERRUPT = 0x01;
  private static final int VM_EXIT = 0x08;
  private static final int VM_EXIT_BY_INTERRUPT = 0x09;

  /** Packet that the next FUP belongs to. */
  enum Binding {
    NONE,
    TRANSACTION,
    PTWRITE,
    STOP,
    TRIGGER,
    CONTROL,
    BLOCK,
    OTHER
  }

  /** Takes an event that waited. */
  interface Taker {
    void take(FlowEvent event, long value);
  }

  /**
   * An event that waits.
   *
   * @param address 0 if it is not known, or known only when the waiting ends
   */
  record Waiting(FlowEvent event, long address, long value) {}

  /** True while a FUP waits for a TIP or TIP.PGD. */
  boolean hasFup;

  /** Address of the FUP. */
  long fup;

  /** True if a MODE.Exec came right before the FUP, which may belong to it. */
  boolean isFupOfMode;

  Binding binding = Binding.NONE;

  /** Size of the code at the next target; -1: unchanged. */
  int newCodeSize = -1;

  boolean willBeSpeculative;
  boolean isAborted;

  /** Number of the event that {@link #binding} is of. */
  long operand;

  /** Announced, and told with an event that follows. */
  private final List<Waiting> held = new ArrayList<>();

  /** Told when a branch comes to its target. */
  private final List<Waiting> atTarget = new ArrayList<>();

  /** Told where the block of items ends. */
  private final List<Waiting> block = new ArrayList<>();

  /** Told when it is known how an overflow ended. */
  private final List<Waiting> queue = new ArrayList<>();

  private boolean isFull;

  /** Returns true if a FUP has to come before the next branch: a packet asked for its address. */
  boolean needsFup() {
    return binding != Binding.NONE || isAborted && !hasFup;
  }

  /** Keeps the address of a FUP. */
  void await(long address) {
    hasFup = true;
    fup = address;
    isFupOfMode = newCodeSize >= 0;
  }

  /** Changes the size of the code, if a packet told another one. */
  void applyMode(CodeWalk walk) {
    if (newCodeSize >= 0) {
      walk.setCodeSize(newCodeSize);
      newCodeSize = -1;
    }
  }

  private void add(List<Waiting> to, int most, FlowEvent event, long address, long value) {
    if (to.size() < most) {
      to.add(new Waiting(event, address, value));
    } else {
      isFull = true;
    }
  }

  /** Returns true, once, if an event found no room. */
  boolean wasFull() {
    boolean was = isFull;
    isFull = false;
    return was;
  }

  void hold(FlowEvent event, long value) {
    add(held, MOST, event, 0, value);
  }

  /** Keeps a part of a block of items. */
  void block(FlowEvent event, long value) {
    add(block, MOST_OF_BLOCK, event, 0, value);
  }

  /** Hands out the block of items. */
  void tellBlock(Taker taker) {
    List<Waiting> all = List.copyOf(block);
    block.clear();
    all.forEach(one -> taker.take(one.event, one.value));
  }

  boolean isHolding(FlowEvent event) {
    return held.stream().anyMatch(one -> one.event == event);
  }

  void atTarget(FlowEvent event, long value) {
    add(atTarget, MOST, event, 0, value);
  }

  void atTargetFirst(FlowEvent event, long value) {
    List<Waiting> others = List.copyOf(atTarget);
    atTarget.clear();
    add(atTarget, MOST, event, 0, value);
    for (Waiting other : others) {
      add(atTarget, MOST, other.event, other.address, other.value);
    }
  }

  void queue(FlowEvent event, long address, long value) {
    add(queue, MOST, event, address, value);
  }

  /** Returns true if the data that was announced can be that of a control flow event. */
  boolean hasDataOf(int type) {
    boolean isFault = isHolding(FlowEvent.FAULT_ADDRESS);
    boolean isExit = isHolding(FlowEvent.EXIT_QUALIFICATION) || isHolding(FlowEvent.EXIT_REASON);
    return switch (type) {
      case INTERRUPT -> !isExit;
      case VM_EXIT, VM_EXIT_BY_INTERRUPT -> !isFault;
      default -> !isFault && !isExit;
    };
  }

  /** Hands out the events of a kind that were announced. */
  void tell(FlowEvent event, Taker taker) {
    tell(held, event, taker);
  }

  private static void tell(List<Waiting> from, FlowEvent event, Taker taker) {
    for (Iterator<Waiting> all = from.iterator(); all.hasNext(); ) {
      Waiting one = all.next();
      if (one.event == event) {
        all.remove();
        taker.take(one.event, one.value);
      }
    }
  }

  /** Hands out the data of a control flow event. */
  void tellData(Taker taker) {
    tell(FlowEvent.FAULT_ADDRESS, taker);
    tell(FlowEvent.EXIT_QUALIFICATION, taker);
    tell(FlowEvent.EXIT_REASON, taker);
  }

  void tellTarget(Taker taker) {
    if (!atTarget.isEmpty()) {
      List<Waiting> all = List.copyOf(atTarget);
      atTarget.clear();
      all.forEach(one -> taker.take(one.event, one.value));
    }
  }

  void tellQueue(FlowSink sink) {
    List<Waiting> all = List.copyOf(queue);
    queue.clear();
    all.forEach(one -> sink.event(one.event, one.address, one.value));
  }

  /** Returns what a decoder needs that goes on here. */
  FlowSnapshot.Pending snapshot() {
    boolean isTransaction = binding == Binding.TRANSACTION;
    return new FlowSnapshot.Pending(
        hasFup,
        hasFup ? fup : 0,
        hasFup && isFupOfMode,
        binding,
        binding == Binding.NONE ? 0 : operand,
        isTransaction && willBeSpeculative,
        newCodeSize,
        isAborted,
        List.copyOf(held),
        List.copyOf(atTarget),
        List.copyOf(block),
        List.copyOf(queue));
  }

  void restore(FlowSnapshot.Pending from) {
    hasFup = from.hasFup();
    fup = from.fup();
    isFupOfMode = from.isFupOfMode();
    binding = from.binding();
    operand = from.operand();
    willBeSpeculative = from.willBeSpeculative();
    newCodeSize = from.newCodeSize();
    isAborted = from.isAborted();
    copy(from.held(), held);
    copy(from.atTarget(), atTarget);
    copy(from.block(), block);
    copy(from.queue(), queue);
  }

  private static void copy(List<Waiting> from, List<Waiting> to) {
    to.clear();
    to.addAll(from);
  }

  void forget() {
    hasFup = false;
    isFupOfMode = false;
    binding = Binding.NONE;
    newCodeSize = -1;
    isAborted = false;
    held.clear();
    atTarget.clear();
    block.clear();
  }
}

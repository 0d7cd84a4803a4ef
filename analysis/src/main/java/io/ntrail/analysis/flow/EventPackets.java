package io.ntrail.analysis.flow;

import io.ntrail.analysis.flow.PendingPackets.Binding;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;

/**
 * Packets that tell of something besides branches: each belongs to an instruction, to an address
 * that a FUP tells, or to the place that the flow has come to.
 */
final class EventPackets {
  // Types of control flow events that are told before the instruction which they belong to.
  private static final int IRET = 0x02;
  private static final int RSM = 0x04;
  private static final int SIPI = 0x05;
  private static final int VM_ENTRY = 0x07;
  private static final int UIRET = 0x0D;
  private static final int SYSCALL = 0x0F;

  private final FlowPlace place;
  private final PendingPackets pending;
  private final PacketCursor packets;
  private final CodeWalk walk;

  EventPackets(FlowPlace place) {
    this.place = place;
    this.pending = place.pending;
    this.packets = place.packets;
    this.walk = place.walk;
  }

  private long field(int index) {
    return packets.field(packets.type().fields().get(index));
  }

  /** Returns the number that this packet brings to its event. */
  long operand() {
    return switch (packets.type()) {
      case PIP -> field(0) | field(1);
      case MWAIT -> field(0) | field(1) << 32;
      case PWRE -> field(0) << 8 | field(2) << 4 | field(1);
      case PWRX -> field(2) << 8 | field(1) << 4 | field(0);
      case CFE -> field(2) << 8 | field(1);
      case VMCS -> field(0);
      case TRIG -> field(3);
      default -> packets.value();
    };
  }

  /** Takes a packet that is an event, or announces one. */
  void take(PacketType type) {
    switch (type) {
      case MODE_TSX, PIP, VMCS -> state(type, operand());
      case PTW -> ptwrite();
      case MWAIT -> pending.hold(FlowEvent.MWAIT, operand());
      case EXSTOP -> bind(Binding.STOP, FlowEvent.EXSTOP);
      case PWRE -> {
        if (pending.binding != Binding.STOP && pending.isHolding(FlowEvent.POWER_ENTRY)) {
          flushPower();
        }
        pending.hold(FlowEvent.POWER_ENTRY, operand());
      }
      case PWRX -> {
        flushPower();
        here(FlowEvent.POWER_EXIT, operand());
      }
      case TRACE_STOP -> stopped();
      case TRIG -> trigger();
      case EVD -> data();
      case CFE -> control();
      case BBP -> pending.block(FlowEvent.BLOCK, field(0) << 7 | field(1));
      case BIP -> {
        pending.block(FlowEvent.BLOCK_ITEM, field(0));
        pending.block(FlowEvent.BLOCK_VALUE, field(1));
      }
      case BEP -> {
        if (field(0) != 0) {
          pending.binding = Binding.BLOCK;
        } else {
          endBlock(place.state == FlowState.ENABLED ? walk.address() : 0);
        }
      }
      default -> {
        // Not an event.
      }
    }
  }

  /** Tells of an event at the place where the flow is. */
  private void here(FlowEvent event, long value) {
    place.event(event, place.state == FlowState.ENABLED ? walk.address() : 0, value);
  }

  /** Takes the end of tracing by the processor: a TIP.PGD came before it. */
  private void stopped() {
    if (place.state == FlowState.ENABLED) {
      place.fail(FlowError.CONTEXT);
    } else {
      here(FlowEvent.STOPPED, 0);
    }
  }

  private void bind(Binding binding, FlowEvent event) {
    if (field(0) != 0) {
      pending.binding = binding;
      pending.operand = operand();
    } else {
      tellStop(event, place.state == FlowState.ENABLED ? walk.address() : 0);
    }
  }

  /** Takes a packet of state, now or where it was kept until now. */
  void state(PacketType type, long value) {
    switch (type) {
      case MODE_TSX -> transaction((int) value);
      case PIP -> paging(value);
      default -> machine(value);
    }
  }

  private void transaction(int mode) {
    pending.willBeSpeculative = (mode & 1) != 0;
    boolean isAbort = (mode & 2) != 0;
    if (place.state != FlowState.ENABLED) {
      walk.setSpeculative(pending.willBeSpeculative);
      pending.isAborted = isAbort && place.state == FlowState.LOST;
      if (!pending.isAborted) {
        here(isAbort ? FlowEvent.ABORT : begun(), 0);
      }
    } else if (isAbort) {
      pending.isAborted = true;
    } else {
      pending.binding = Binding.TRANSACTION;
    }
  }

  private FlowEvent begun() {
    return pending.willBeSpeculative ? FlowEvent.TRANSACTION : FlowEvent.COMMIT;
  }

  private void paging(long value) {
    if (place.state == FlowState.ENABLED && pending.hasFup) {
      pending.atTarget(FlowEvent.PAGING, value);
    } else {
      change(FlowEvent.PAGING, BlockKind.MOV_CR3, value);
    }
  }

  /** Tells a change at the instruction that made it, or at the target of the far branch. */
  private void change(FlowEvent event, byte kind, long value) {
    if (place.state != FlowState.ENABLED) {
      here(event, value);
    } else if (walk.hasBits()) {
      pending.atTarget(event, value);
    } else if (!walk.toChange(kind)) {
      place.fail(walk.error());
    } else if (walk.isBehindChange()) {
      here(event, value);
    } else {
      pending.atTarget(event, value);
    }
  }

  /** Tells of a block of items, at its place. */
  private void endBlock(long address) {
    pending.tellBlock((event, value) -> place.event(event, address, value));
    place.event(FlowEvent.BLOCK_END, address);
  }

  private void machine(long value) {
    if (place.state == FlowState.ENABLED && pending.hasFup) {
      pending.atTargetFirst(FlowEvent.VMCS, value);
    } else {
      change(FlowEvent.VMCS, BlockKind.VMPTRLD, value);
    }
  }

  private void ptwrite() {
    long value = operand();
    if (field(0) != 0) {
      pending.binding = Binding.PTWRITE;
      pending.operand = value;
    } else if (place.state != FlowState.ENABLED) {
      place.event(FlowEvent.PTWRITE, 0, value);
    } else if (walk.toPtwrite()) {
      long address = place.settings.asLibipt() ? 0 : walk.ptwrite();
      place.event(FlowEvent.PTWRITE, address, value);
    } else {
      place.fail(walk.error());
    }
  }

  private void trigger() {
    long bits = operand();
    if (field(0) != 0) {
      pending.binding = Binding.TRIGGER;
      pending.operand = bits;
      return;
    }
    int instructions = field(1) != 0 ? (int) field(4) : 0;
    if (place.state == FlowState.ENABLED && !walk.forward(instructions)) {
      place.fail(walk.error());
    } else {
      here(FlowEvent.TRIGGER, bits);
    }
  }

  private void data() {
    FlowEvent event =
        switch ((int) field(0)) {
          case 0 -> FlowEvent.FAULT_ADDRESS;
          case 1 -> FlowEvent.EXIT_QUALIFICATION;
          case 2 -> FlowEvent.EXIT_REASON;
          default -> null;
        };
    if (event != null) {
      pending.hold(event, field(1));
    }
  }

  private void control() {
    long value = operand();
    int type = (int) field(1);
    pending.operand = value;
    if (type > SYSCALL) {
      // Of processors to come: only the address that follows has to be told from others.
      pending.binding = field(0) != 0 ? Binding.OTHER : Binding.NONE;
    } else if (!pending.hasDataOf(type)) {
      place.fail(FlowError.CONTEXT);
    } else if (field(0) != 0) {
      pending.binding = Binding.CONTROL;
    } else if (place.state != FlowState.ENABLED) {
      pending.tellData((event, data) -> here(event, data));
      here(FlowEvent.CONTROL, value);
    } else {
      switch (type) {
        case IRET, UIRET, VM_ENTRY, SYSCALL -> pending.atTarget(FlowEvent.CONTROL, value);
        case RSM, SIPI -> pending.binding = Binding.CONTROL;
        default -> pending.hold(FlowEvent.CONTROL, value);
      }
    }
  }

  /** Takes a FUP that belongs to the packet before it; false if that was none that asks for it. */
  boolean bound() {
    Binding whose = pending.binding;
    if (whose == Binding.NONE) {
      return false;
    }
    pending.binding = Binding.NONE;
    long address = packets.hasIp() ? packets.ip() : 0;
    if (place.state == FlowState.ENABLED && packets.hasIp()) {
      boolean isReached = whose == Binding.PTWRITE ? walk.over(address) : walk.to(address);
      if (!isReached && !goesOn(whose, address)) {
        return true;
      }
    }
    switch (whose) {
      case TRANSACTION -> {
        if (packets.hasIp()) {
          walk.setSpeculative(pending.willBeSpeculative);
          place.event(begun(), address);
        }
      }
      case PTWRITE -> place.event(FlowEvent.PTWRITE, address, pending.operand);
      case STOP -> tellStop(FlowEvent.EXSTOP, address);
      case TRIGGER -> place.event(FlowEvent.TRIGGER, address, pending.operand);
      case CONTROL -> control(address);
      case BLOCK -> endBlock(address);
      default -> {
        // Of a packet that is not known.
      }
    }
    return true;
  }

  /** Ends the flow, and goes on at the address of a packet; false if that is not wanted. */
  private boolean goesOn(Binding whose, long address) {
    place.takeOnce();
    place.fail(walk.error());
    if (place.state == FlowState.LOST) {
      place.begin(address);
      return whose != Binding.PTWRITE || walk.over(address);
    }
    return false;
  }

  private void control(long address) {
    int type = (int) pending.operand & 0xFF;
    boolean isInstruction = type == IRET || type == UIRET || type == VM_ENTRY || type == SYSCALL;
    if (isInstruction && place.state == FlowState.ENABLED) {
      pending.atTarget(FlowEvent.CONTROL, pending.operand);
      return;
    }
    pending.tellData((event, data) -> place.event(event, address, data));
    place.event(FlowEvent.CONTROL, address, pending.operand);
  }

  /** Tells that the core stops, with what was announced. */
  private void tellStop(FlowEvent event, long address) {
    pending.tell(FlowEvent.MWAIT, (held, value) -> place.event(held, address, value));
    place.event(event, address);
    flushPower();
  }

  /** Tells of power events that were announced and to which nothing came. */
  void flushPower() {
    pending.tell(FlowEvent.MWAIT, this::here);
    pending.tell(FlowEvent.POWER_ENTRY, this::here);
  }

  /** Tells what belongs to an interrupt, at its address. */
  void interrupted(long address) {
    pending.tellData((event, data) -> place.event(event, address, data));
    pending.tell(FlowEvent.CONTROL, (event, data) -> place.event(event, address, data));
  }

  /** Tells what belongs to the branch that was taken. */
  void branched(long address) {
    pending.tellTarget((event, value) -> place.event(event, address, value));
  }
}

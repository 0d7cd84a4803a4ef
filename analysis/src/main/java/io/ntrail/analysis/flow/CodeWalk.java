package io.ntrail.analysis.flow;

import io.ntrail.analysis.flow.FlowSnapshot.Place;
import io.ntrail.programs.x86.FlowClass;
import java.util.Arrays;
import java.util.List;

/**
 * The place in the code where the flow is, and the ways on from there. Each way ends where the
 * trace proves that the flow came to; false says that the code does not allow it, and {@link
 * #error} why.
 */
final class CodeWalk {
  private final CodeBlocks blocks;
  private final FlowSink sink;
  private final ReturnStack calls = new ReturnStack();

  private final List<AddressFilter> filters;
  private final boolean asLibipt;
  private int codeSize;
  private boolean isSpeculative;

  /** Block that is executed next; -1 if that is not known. */
  private int current = -1;

  private long bits;
  private int count;

  private final EndlessCheck endless = new EndlessCheck();

  /** Instructions since the last place that a trigger counts from, if a PTWRITE came behind it. */
  private int sincePlace;

  private boolean isBehind;
  private long ptwrite;
  private FlowError error = FlowError.MISMATCH;

  CodeWalk(CodeBlocks blocks, FlowSink sink, FlowSettings settings) {
    this.blocks = blocks;
    this.sink = sink;
    this.codeSize = settings.codeSize().ordinal();
    this.filters = settings.filters();
    this.asLibipt = settings.asLibipt();
  }

  private Place place(int block) {
    return block < 0
        ? Place.NOWHERE
        : new Place(blocks.start(block), blocks.codeSize(block).ordinal());
  }

  /** Returns what a decoder needs that goes on here. */
  FlowSnapshot snapshot(FlowState state, FlowSnapshot.Pending pending) {
    return new FlowSnapshot(
        state,
        place(current),
        codeSize,
        isSpeculative,
        count == 0 ? 0 : bits,
        count,
        sincePlace,
        Arrays.stream(calls.blocks()).mapToObj(this::place).toList(),
        Math.min(calls.old(), calls.blocks().length),
        pending);
  }

  void restore(FlowSnapshot from) {
    Place at = from.at();
    current = at.equals(Place.NOWHERE) ? -1 : blocks.at(at.address(), at.codeSize());
    codeSize = from.codeSize();
    isSpeculative = from.isSpeculative();
    bits = from.bits();
    count = from.count();
    sincePlace = from.sincePlace();
    calls.clear();
    from.calls().forEach(call -> calls.push(blocks.at(call.address(), call.codeSize())));
    calls.setOld(from.oldCalls());
  }

  int codeSize() {
    return codeSize;
  }

  void setCodeSize(int to) {
    codeSize = to;
  }

  void setSpeculative(boolean to) {
    isSpeculative = to;
  }

  void forgetCalls() {
    calls.clear();
  }

  void begin(long address) {
    current = blocks.at(address, codeSize);
  }

  /** Takes note of a stretch that is not seen: it may have calls and returns. */
  void leaveOut() {
    calls.age();
  }

  /** Forgets where the flow is. */
  void lose() {
    current = -1;
    count = 0;
  }

  /** Looks at the code again, which changed at some addresses. */
  void codeChanged(long address, long length) {
    blocks.changed(address, length);
    if (current >= 0 && blocks.isChanged(current)) {
      current = blocks.at(blocks.start(current), blocks.codeSize(current).ordinal());
    }
  }

  /** Returns the address of the next instruction; 0 if it is not known. */
  long address() {
    return current < 0 ? 0 : blocks.start(current);
  }

  /** Returns true if branches are told of which the first comes after an indirect one. */
  boolean hasBits() {
    return count != 0;
  }

  /** Returns how many results of branches are left. */
  int bits() {
    return count;
  }

  FlowError error() {
    return error;
  }

  /** Returns the error of a header whose address was not reached. */
  FlowError seamError() {
    return error == FlowError.MISMATCH || error == FlowError.ENDLESS ? FlowError.SEAM : error;
  }

  private boolean fail(FlowError why) {
    error = why;
    return false;
  }

  private void execute(int block, int instructions) {
    if (instructions > 0) {
      sink.instructions(blocks, block, instructions, isSpeculative);
    }
  }

  /**
   * Takes the results of branches. Stops before an indirect branch while there are some left: its
   * target is told by the next packet.
   */
  boolean branches(long newBits, int newCount) {
    bits = newBits;
    count = newCount;
    return run();
  }

  private boolean run() {
    start();
    while (count > 0) {
      int block = current;
      switch (blocks.kind(block)) {
        case BlockKind.CONDITIONAL -> {
          execute(block, blocks.count(block));
          count--;
          current = (bits >>> count & 1) != 0 ? blocks.taken(block) : blocks.next(block);
          start();
        }
        case BlockKind.RETURN -> {
          if ((bits >>> count - 1 & 1) == 0) {
            // Not compressed after all: its target is told later, as that of other branches.
            return true;
          }
          execute(block, blocks.count(block));
          int call = calls.pop();
          if (call < 0) {
            return fail(FlowError.RETURN_STACK);
          }
          count--;
          current = returned(call);
          if (calls.wasOld()) {
            sink.event(FlowEvent.UNCERTAIN_RETURN, blocks.start(current), 0);
          }
          start();
        }
        case BlockKind.INDIRECT_JUMP, BlockKind.INDIRECT_CALL, BlockKind.FAR -> {
          return true;
        }
        default -> {
          if (!step(block)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** Returns the block behind a call, in the size of the code that returns. */
  private int returned(int call) {
    return blocks.codeSize(call).ordinal() == codeSize
        ? blocks.next(call)
        : blocks.at(blocks.end(call) & (codeSize == 2 ? -1L : 0xFFFF_FFFFL), codeSize);
  }

  private void start() {
    endless.begin();
    sincePlace = 0;
  }

  /** Goes on in a block; false if the code goes round without a traced branch. */
  private boolean goOn(int block) {
    current = block;
    if (endless.isEndless(block)) {
      return fail(FlowError.ENDLESS);
    }
    return true;
  }

  /** Executes a block that ends without a traced branch, and goes on behind it. */
  private boolean step(int block) {
    return switch (blocks.kind(block)) {
      case BlockKind.NEXT, BlockKind.MOV_CR3, BlockKind.PTWRITE, BlockKind.VMPTRLD -> {
        execute(block, blocks.count(block));
        yield goOn(blocks.next(block));
      }
      case BlockKind.JUMP -> {
        execute(block, blocks.count(block));
        yield goOn(blocks.taken(block));
      }
      case BlockKind.CALL -> {
        execute(block, blocks.count(block));
        call(block);
        yield goOn(blocks.taken(block));
      }
      case BlockKind.NO_CODE -> fail(FlowError.NO_CODE);
      case BlockKind.NO_INSTRUCTION -> fail(FlowError.NO_INSTRUCTION);
      default -> {
        execute(block, blocks.count(block));
        yield fail(FlowError.MISMATCH);
      }
    };
  }

  private void call(int block) {
    // A call of what is behind it asks for its address, and does not return.
    if (blocks.target(block) != blocks.end(block)) {
      calls.push(block);
    }
  }

  /** Goes to the next indirect branch, and through it to an address, then on with what is left. */
  boolean target(long address, int newCodeSize) {
    start();
    while (true) {
      int block = current;
      switch (blocks.kind(block)) {
        case BlockKind.RETURN -> {
          popTold();
          return leave(block, address, newCodeSize);
        }
        case BlockKind.INDIRECT_CALL -> {
          calls.push(block);
          return leave(block, address, newCodeSize);
        }
        case BlockKind.INDIRECT_JUMP, BlockKind.FAR -> {
          return leave(block, address, newCodeSize);
        }
        default -> {
          if (!step(block)) {
            return false;
          }
        }
      }
    }
  }

  /** Pops a call at a return whose target is told: the call counts as returned from, too. */
  private void popTold() {
    if (!asLibipt) {
      calls.pop();
    }
  }

  private boolean leave(int block, long address, int newCodeSize) {
    execute(block, blocks.count(block));
    if (newCodeSize >= 0) {
      codeSize = newCodeSize;
    }
    current = blocks.at(address, codeSize);
    return run();
  }

  /** Goes to an address, without a traced branch, and does not execute what is there. */
  boolean to(long address) {
    start();
    while (true) {
      int before = blocks.before(current, address);
      if (before == 0 || before > 0 && before < blocks.count(current)) {
        execute(current, before);
        current = blocks.at(address, codeSize);
        return true;
      }
      if (!step(current)) {
        return false;
      }
    }
  }

  /**
   * Goes to an address where tracing is interrupted.
   *
   * @param entersMachine whether an entry of a virtual machine there is executed all the same
   */
  boolean toInterrupt(long address, boolean entersMachine) {
    boolean isReached = to(address);
    if (isReached
        && entersMachine
        && blocks.count(current) > 0
        && blocks.flowClass(current, 0) == FlowClass.VM_ENTRY) {
      execute(current, 1);
    }
    return isReached;
  }

  /** Goes to an address, and executes the one instruction that is there. */
  boolean over(long address) {
    if (!to(address) || !stepOver()) {
      return false;
    }
    sincePlace = 1;
    return true;
  }

  private boolean stepOver() {
    if (blocks.count(current) == 0) {
      return step(current);
    }
    if (blocks.count(current) > 1) {
      int block = current;
      execute(block, 1);
      current = blocks.at(blocks.start(block) + blocks.length(block, 0), codeSize);
      return true;
    }
    return step(current);
  }

  /** Goes behind the next PTWRITE. */
  boolean toPtwrite() {
    int before = sincePlace;
    start();
    sincePlace = before;
    while (true) {
      int block = current;
      sincePlace += blocks.count(block);
      if (!step(block)) {
        return false;
      }
      if (blocks.kind(block) == BlockKind.PTWRITE) {
        ptwrite = blocks.end(block) - blocks.length(block, blocks.count(block) - 1);
        return true;
      }
    }
  }

  /** Returns the address of the PTWRITE that {@link #toPtwrite} went behind. */
  long ptwrite() {
    return ptwrite;
  }

  /**
   * Goes some instructions on from the last place that the trace told: a PTWRITE tells none.
   *
   * @param instructions number of them, those up to the PTWRITE included
   */
  boolean forward(int instructions) {
    int left = instructions - sincePlace;
    start();
    while (left > 0) {
      int block = current;
      int count = blocks.count(block);
      if (count > left) {
        execute(block, left);
        long address = blocks.start(block);
        for (int i = 0; i < left; i++) {
          address += blocks.length(block, i);
        }
        current = blocks.at(address, codeSize);
        return true;
      }
      left -= count;
      if (!step(block)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Goes behind the next instruction that a packet can belong to, or to the next far branch, which
   * it can belong to as well.
   *
   * @param kind MOV_CR3 or VMPTRLD, whose packets are PIP and VMCS
   */
  boolean toChange(byte kind) {
    int before = sincePlace;
    start();
    sincePlace = before;
    while (true) {
      isBehind = blocks.kind(current) == kind;
      if (blocks.kind(current) == BlockKind.FAR) {
        return true;
      }
      sincePlace += blocks.count(current);
      if (!step(current)) {
        return false;
      }
      if (isBehind) {
        return true;
      }
    }
  }

  /** Returns true if {@link #toChange} went behind an instruction. */
  boolean isBehindChange() {
    return isBehind;
  }

  /** Returns true if an address is reached soon, without a traced branch; stays where it is. */
  boolean isNear(long address) {
    return StraightWalk.reaches(blocks, current, address);
  }

  /** Returns true if a block ends with a direct jump or call out of all filters. */
  private boolean leaves(int block) {
    byte kind = blocks.kind(block);
    return !filters.isEmpty()
        && (kind == BlockKind.JUMP || kind == BlockKind.CALL)
        && filters.stream().noneMatch(filter -> filter.contains(blocks.target(block)));
  }

  /**
   * Goes to where tracing ended: an address, if it is told, or the first branch that would have
   * been traced; that one is executed, too.
   */
  boolean toDisable(boolean hasAddress, long address) {
    start();
    while (true) {
      int block = current;
      if (hasAddress && endless.isOnTheWay() && blocks.start(block) == address) {
        return true;
      }
      int before = hasAddress ? blocks.before(block, address) : -1;
      if (before > 0 && before < blocks.count(block)) {
        execute(block, before);
        return true;
      }
      switch (blocks.kind(block)) {
        case BlockKind.CONDITIONAL, BlockKind.INDIRECT_JUMP, BlockKind.FAR -> {
          execute(block, blocks.count(block));
          return true;
        }
        case BlockKind.INDIRECT_CALL -> {
          execute(block, blocks.count(block));
          calls.push(block);
          return true;
        }
        case BlockKind.RETURN -> {
          execute(block, blocks.count(block));
          popTold();
          return true;
        }
        default -> {
          if (!step(block)) {
            return false;
          }
          if (!hasAddress && (blocks.kind(block) == BlockKind.MOV_CR3 || leaves(block))) {
            return true;
          }
        }
      }
    }
  }
}

package io.ntrail.analysis.flow.calls;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.calls.FlowCallSink.Entry;
import io.ntrail.programs.x86.FlowClass;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Calls out of the flow: a call opens one, and it ends where the flow comes to its return address.
 *
 * <p>A jump from one named function to the start of another one is a call, too, in place of the one
 * that jumped. Where tracing was off, and behind losses, what is open is compared with where the
 * flow goes on: calls that it cannot be in any more are ended, without having been seen to.
 */
public final class FlowCalls implements FlowSink {
  /** Open calls at most: code that calls and never returns would take all memory. */
  private static final int DEEPEST = 1 << 16;

  /** Ways in which the flow comes to the next instruction. */
  private enum Way {
    ON,
    CALL,
    RETURN,
    JUMP,
    SYSTEM,
    INTERRUPT,
    START,
    LOST
  }

  private final FlowFunctions functions;
  private final FlowCallSink sink;

  /** Ways in which blocks are left, by their numbers; null if not known yet. */
  private @Nullable Way[] ways = new @Nullable Way[256];

  private int[] open = new int[64];
  private long[] returns = new long[64];
  private int depth;
  private Way way = Way.START;
  private long returnAddress;

  /** No calls yet. */
  public FlowCalls(FlowFunctions functions, FlowCallSink sink) {
    this.functions = functions;
    this.sink = sink;
  }

  @Override
  public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
    // Most blocks are jumped to within their function.
    if (way != Way.ON && (way != Way.JUMP || depth == 0 || isElsewhere(blocks, block))) {
      arrive(blocks, block);
    }
    sink.executed(depth - 1, count);
    way = Way.ON;
    if (count == blocks.count(block)) {
      returnAddress = blocks.end(block);
      way = wayBehind(blocks, block);
    }
  }

  private boolean isElsewhere(CodeBlocks blocks, int block) {
    int function = functions.of(blocks, block);
    return function != 0 && function != open[depth - 1];
  }

  /** Returns how the flow leaves a whole block. */
  private Way wayBehind(CodeBlocks blocks, int block) {
    if (block >= ways.length) {
      ways = Arrays.copyOf(ways, Math.max(block + 1, 2 * ways.length));
    }
    Way known = ways[block];
    if (known == null) {
      known = wayOn(blocks.flowClass(block, blocks.count(block) - 1));
      ways[block] = known;
    }
    return known;
  }

  private static Way wayOn(FlowClass last) {
    return switch (last) {
      case DIRECT_CALL, INDIRECT_CALL, FAR_CALL -> Way.CALL;
      case RETURN, FAR_RETURN, INTERRUPT_RETURN, SYSTEM_RETURN -> Way.RETURN;
      case DIRECT_JUMP, INDIRECT_JUMP, FAR_JUMP, CONDITIONAL_BRANCH -> Way.JUMP;
      case SYSTEM_CALL, INTERRUPT, VM_ENTRY, VM_EXIT -> Way.SYSTEM;
      default -> Way.ON;
    };
  }

  private void arrive(CodeBlocks blocks, int block) {
    long address = blocks.start(block);
    if (depth == 0) {
      found(blocks, block);
      return;
    }
    switch (way) {
      case CALL, SYSTEM -> {
        // A call of what is behind it asks for its address.
        if (address != returnAddress) {
          push(blocks, block, returnAddress, way == Way.CALL ? Entry.CALL : Entry.INTERRUPT);
        }
      }
      case INTERRUPT -> push(blocks, block, returnAddress, Entry.INTERRUPT);
      case RETURN -> returned(blocks, block);
      case JUMP -> jumped(blocks, block);
      case START -> started(blocks, block);
      case LOST -> goesOn(blocks, block);
      case ON -> {
        // The same function.
      }
    }
  }

  private void push(CodeBlocks blocks, int block, long returnsTo, Entry how) {
    int function = functions.orNew(blocks, block);
    if (depth == DEEPEST) {
      leaveDownTo(0, false);
    }
    if (depth == open.length) {
      open = Arrays.copyOf(open, 2 * depth);
      returns = Arrays.copyOf(returns, 2 * depth);
    }
    open[depth] = function;
    returns[depth] = returnsTo;
    sink.enter(function, depth, blocks.start(block), returnsTo, how);
    depth++;
  }

  private void found(CodeBlocks blocks, int block) {
    push(blocks, block, 0, Entry.FOUND);
  }

  /** Ends calls until so many are open; the innermost is seen to end, or not. */
  private void leaveDownTo(int to, boolean isSeen) {
    boolean seen = isSeen;
    while (depth > to) {
      depth--;
      sink.leave(depth, seen);
      seen = false;
    }
  }

  /** Returns the innermost call that returns to an address; -1 if none does. */
  private int returningTo(long address) {
    int call = depth - 1;
    while (call >= 0 && returns[call] != address) {
      call--;
    }
    return call;
  }

  private void returned(CodeBlocks blocks, int block) {
    int call = returningTo(blocks.start(block));
    if (call >= 0) {
      leaveDownTo(call, true);
      if (depth == 0) {
        found(blocks, block);
      }
      return;
    }
    // A changed return address is a jump out of the function below; or the caller was not seen.
    leaveDownTo(depth - 1, true);
    if (depth == 0) {
      found(blocks, block);
    } else {
      jumped(blocks, block);
    }
  }

  private void jumped(CodeBlocks blocks, int block) {
    int function = functions.of(blocks, block);
    if (function != 0
        && function != open[depth - 1]
        && functions.get(function).start() == blocks.start(block)) {
      long returnsTo = returns[depth - 1];
      leaveDownTo(depth - 1, true);
      push(blocks, block, returnsTo, Entry.TAIL);
    }
  }

  /** Goes on where tracing starts again: behind a call that was not traced, or somewhere else. */
  private void started(CodeBlocks blocks, int block) {
    if (blocks.start(block) != returnAddress) {
      goesOn(blocks, block);
    }
  }

  /** Goes on in the innermost call that the flow can be in. */
  private void goesOn(CodeBlocks blocks, int block) {
    int call = returningTo(blocks.start(block));
    if (call < 0) {
      int function = functions.of(blocks, block);
      int same = depth - 1;
      while (same >= 0 && (function == 0 || open[same] != function)) {
        same--;
      }
      call = same + 1;
    }
    leaveDownTo(call, false);
    if (depth == 0) {
      found(blocks, block);
    }
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    switch (event) {
      case INTERRUPTED -> returnAddress = address;
      case INTERRUPT -> way = Way.INTERRUPT;
      case ENABLED -> way = Way.START;
      case DISABLED -> {
        if (way == Way.RETURN && depth > 0) {
          leaveDownTo(depth - 1, true);
        }
        way = Way.START;
      }
      case OVERFLOW -> {
        sink.overflow();
        way = Way.LOST;
      }
      default -> {
        // Not of calls.
      }
    }
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    sink.lost(error, offset, address);
    way = Way.LOST;
  }

  /** Returns how many calls are open. */
  public int depth() {
    return depth;
  }
}

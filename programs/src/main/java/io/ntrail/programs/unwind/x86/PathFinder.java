package io.ntrail.programs.unwind.x86;

import static io.ntrail.programs.unwind.FrameRegisters.SP;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.Operand;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.OperandType;
import io.ntrail.programs.x86.Operands;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Follows machine code from an address to a return and tells where the return address lies.
 *
 * <p>Every path through a function undoes what the function did to the stack, so that one path to a
 * return is enough, whichever the processor would take. Calls on the way remove the bytes that the
 * return of their target does. A path is given up where that is not known and the stack pointer is
 * not restored from elsewhere, and where control leaves in a way that the code does not say. Not
 * for several threads.
 */
final class PathFinder {
  /** Instructions that are followed from one address, on all paths together. */
  private static final int MOST_INSTRUCTIONS = 3000;

  /** Instructions that are looked at to find the return of a function that is called. */
  private static final int MOST_OF_CALLEE = 400;

  /** Instructions of a function without branches that is followed into. */
  private static final int MOST_INLINE = 24;

  /** Instructions of an epilogue: registers, stack pointer, return. */
  private static final int MOST_OF_EPILOGUE = 12;

  private static final int WINDOW = 256;
  private static final int UNKNOWN_SIZE = -1;

  private final CodeReader code;
  private final Words words;
  private final InstructionDecoder decoder;
  private final OperandReader reader;
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  /** Bytes that the return of a function removes, by its first address. */
  private final Map<Long, Integer> returnSizes = new HashMap<>();

  private Bytes window;
  private long windowStart;

  PathFinder(CodeReader code, Words words) {
    this.code = code;
    this.words = words;
    this.decoder = code.decoder();
    this.reader = OperandReader.of(decoder);
    this.window = code.read(0, 0);
  }

  private record Branch(long address, SymbolicState state) {}

  /** Returns the first path to a return from an address on; empty if there is none to be found. */
  Optional<PathToReturn> find(long start) {
    Deque<Branch> pending = new ArrayDeque<>();
    Set<Long> seen = new HashSet<>();
    pending.push(new Branch(start, SymbolicState.initial()));
    int count = 0;
    while (!pending.isEmpty()) {
      Branch branch = pending.pop();
      SymbolicState state = branch.state;
      long at = branch.address;
      boolean straight = at == start;
      while (count++ < MOST_INSTRUCTIONS && seen.add(at) && decode(at)) {
        long next = at + instruction.length();
        FlowClass flow = instruction.flowClass();
        if (flow == FlowClass.RETURN) {
          Optional<PathToReturn> path = ending(state, straight && count <= MOST_OF_EPILOGUE);
          if (path.isPresent()) {
            return path;
          }
          break;
        }
        if (flow == FlowClass.CONDITIONAL_BRANCH) {
          straight = false;
          pending.push(new Branch(instruction.branchTarget(at), state.copy()));
        } else if (flow == FlowClass.DIRECT_JUMP) {
          straight = false;
          next = instruction.branchTarget(at);
        } else if (flow == FlowClass.DIRECT_CALL || flow == FlowClass.INDIRECT_CALL) {
          straight = false;
          if (!call(at, state)) {
            break;
          }
        } else if (flow == FlowClass.NEXT) {
          straight = straight && isOfEpilogue();
          state.apply(instruction, operands);
        } else {
          break;
        }
        at = next & 0xFFFF_FFFFL;
      }
    }
    return Optional.empty();
  }

  /** Decodes an instruction with its operands; false if there is none. */
  private boolean decode(long address) {
    long offset = address - windowStart;
    if (offset < 0 || offset > window.length() - InstructionDecoder.LONGEST) {
      window = code.read(address, WINDOW);
      windowStart = address;
      offset = 0;
    }
    if (decoder.decode(window, (int) offset, window.length(), instruction) == 0) {
      return false;
    }
    return reader.read(instruction, operands);
  }

  private boolean isOfEpilogue() {
    return switch (operands.mnemonic()) {
      case "pop", "leave", "nop" -> true;
      case "add", "lea", "mov" ->
          operands.type(0) == OperandType.REGISTER && isRestored(operands.register(0).number());
      default -> false;
    };
  }

  /** Returns true for the stack pointer and the registers that a function gives back. */
  private static boolean isRestored(int register) {
    return register >= 3 && register <= 7;
  }

  private Optional<PathToReturn> ending(SymbolicState state, boolean isEpilogue) {
    SymbolicValue at = state.get(SP);
    if (!at.isSum()) {
      return Optional.empty();
    }
    List<SymbolicValue> saved = new ArrayList<>(8);
    for (int i = 0; i < 8; i++) {
      saved.add(state.get(i));
    }
    return Optional.of(new PathToReturn(at, saved, popped(), isEpilogue));
  }

  /** Returns the bytes that a decoded return removes besides the return address. */
  private int popped() {
    return operands.count() > 0 && operands.type(0) == OperandType.IMMEDIATE
        ? (int) operands.immediate(0) & 0xFFFF
        : 0;
  }

  /** Applies a decoded call to a state; false if control does not come back. */
  private boolean call(long at, SymbolicState state) {
    long target = target(at);
    if (target < 0) {
      state.set(SP, SymbolicValue.UNKNOWN);
      state.forgetVolatile();
      return true;
    }
    Optional<SymbolicState> after = inline(target, state);
    if (after.isPresent()) {
      for (int i = 0; i < 8; i++) {
        state.set(i, after.get().get(i));
      }
    } else {
      int removed = returnSize(target);
      state.set(SP, removed == UNKNOWN_SIZE ? SymbolicValue.UNKNOWN : state.get(SP).plus(removed));
    }
    state.forgetVolatile();
    return true;
  }

  /** Returns the address that a decoded call or jump goes to, or -1. */
  private long target(long at) {
    if (instruction.flowClass().hasTarget()) {
      return instruction.branchTarget(at);
    }
    if (operands.count() > 0 && operands.type(0) == OperandType.MEMORY) {
      Operand.InMemory slot = operands.memory(0);
      if (slot.base().isEmpty() && slot.index().isEmpty() && slot.segment().number() < 4) {
        return words.at(slot.displacement() & 0xFFFF_FFFFL);
      }
    }
    return -1;
  }

  /**
   * Follows a function without branches, such as the shared epilogues of exception handling, which
   * restore the registers of their caller. Empty if it is another one.
   */
  private Optional<SymbolicState> inline(long target, SymbolicState before) {
    SymbolicState state = before.copy();
    state.push(SymbolicValue.RETURN);
    long at = target;
    for (int i = 0; i < MOST_INLINE && decode(at); i++) {
      long next = at + instruction.length();
      FlowClass flow = instruction.flowClass();
      if (flow == FlowClass.RETURN) {
        int removed = popped();
        boolean comesBack = state.pop().equals(SymbolicValue.RETURN);
        state.set(SP, state.get(SP).plus(removed));
        return comesBack ? Optional.of(state) : Optional.empty();
      }
      if (flow == FlowClass.DIRECT_JUMP) {
        next = instruction.branchTarget(at);
      } else if (flow == FlowClass.NEXT) {
        state.apply(instruction, operands);
      } else {
        return Optional.empty();
      }
      at = next & 0xFFFF_FFFFL;
    }
    return Optional.empty();
  }

  /**
   * Returns the bytes that the first return of a function removes besides; negative: none found.
   */
  private int returnSize(long target) {
    Integer known = returnSizes.get(target);
    if (known != null) {
      return known;
    }
    if (returnSizes.size() >= RuleFinder.MOST_CACHED) {
      returnSizes.clear();
    }
    int size = searchReturn(target);
    returnSizes.put(target, size);
    return size;
  }

  private int searchReturn(long target) {
    Deque<Long> pending = new ArrayDeque<>();
    Set<Long> seen = new HashSet<>();
    pending.push(target);
    int count = 0;
    while (!pending.isEmpty()) {
      long at = pending.pop();
      while (count++ < MOST_OF_CALLEE && seen.add(at) && decode(at)) {
        FlowClass flow = instruction.flowClass();
        if (flow == FlowClass.RETURN) {
          return popped();
        }
        long next = at + instruction.length();
        if (flow == FlowClass.CONDITIONAL_BRANCH) {
          pending.push(instruction.branchTarget(at));
        } else if (flow == FlowClass.DIRECT_JUMP || flow == FlowClass.INDIRECT_JUMP) {
          next = target(at);
        } else if (!flow.fallsThrough() || flow == FlowClass.INTERRUPT) {
          break;
        }
        if (next < 0) {
          break;
        }
        at = next & 0xFFFF_FFFFL;
      }
    }
    return UNKNOWN_SIZE;
  }
}

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

  /** Paths of which one is looked for that leads to a return address. */
  private static final int MOST_PATHS = 8;

  /** Branches that wait to be followed, before guesses are no longer made. */
  private static final int MOST_PENDING = 64;

  /** GCC and Microsoft's compilers begin functions at multiples of it. */
  private static final int FUNCTION_ALIGNMENT = 16;

  /** {@code lea ecx, [esp+4]; and esp, ...}, or less. */
  private static final int START_BYTES = 6;

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

  /**
   * A place where the walk goes on.
   *
   * @param pushed bytes that were pushed since the last call
   * @param isGuessed true if it was guessed what a call removed
   * @param isBehindCall true if a call is right before it
   */
  private record Branch(
      long address, SymbolicState state, int pushed, boolean isGuessed, boolean isBehindCall) {}

  /** Ways that a walk has still to go, and what it has found. */
  private static final class Search {
    final Deque<Branch> pending = new ArrayDeque<>();
    final List<PathToReturn> found = new ArrayList<>();
    final Set<Long> seen = new HashSet<>();
    int count;
  }

  /**
   * Returns paths to a return from an address on. The first one that is not guessed is the last;
   * where all calls on the way are understood, there is no other.
   */
  List<PathToReturn> find(long start) {
    Search search = new Search();
    search.pending.push(new Branch(start, SymbolicState.initial(), 0, false, true));
    while (!search.pending.isEmpty() && search.found.size() < MOST_PATHS) {
      follow(search.pending.pop(), start, search);
      if (!search.found.isEmpty() && !search.found.getLast().isGuessed()) {
        break;
      }
    }
    return List.copyOf(search.found);
  }

  private void follow(Branch branch, long start, Search search) {
    SymbolicState state = branch.state;
    long at = branch.address;
    int pushed = branch.pushed;
    boolean straight = at == start;
    boolean isBehindCall = branch.isBehindCall;
    // Guesses go the same way with other stack pointers.
    while (search.count++ < MOST_INSTRUCTIONS
        && (branch.isGuessed || search.seen.add(at))
        && decode(at)) {
      if (isBehindCall && isFunctionStart(at)) {
        // The call does not come back: it ends a thread, or leaves for a handler.
        return;
      }
      isBehindCall = isCall() || isBehindCall && isPadding();
      long next = at + instruction.length();
      switch (instruction.flowClass()) {
        case RETURN -> {
          boolean isEpilogue = straight && search.count <= MOST_OF_EPILOGUE;
          ending(state, popped(), isEpilogue, branch.isGuessed).ifPresent(search.found::add);
          return;
        }
        case CONDITIONAL_BRANCH -> {
          straight = false;
          search.pending.push(
              new Branch(
                  instruction.branchTarget(at), state.copy(), pushed, branch.isGuessed, false));
        }
        case DIRECT_JUMP -> {
          straight = false;
          next = instruction.branchTarget(at);
        }
        case INDIRECT_JUMP -> {
          if (isThroughSlot()) {
            // The jump of an import: the function behind it returns to our caller.
            ending(state, 0, straight, branch.isGuessed).ifPresent(search.found::add);
          }
          return;
        }
        case DIRECT_CALL, INDIRECT_CALL -> {
          straight = false;
          if (call(at, state)) {
            pushed = 0;
          } else {
            guess(state, next & 0xFFFF_FFFFL, pushed, search);
            state.set(SP, SymbolicValue.UNKNOWN);
          }
        }
        case NEXT -> {
          straight = straight && isOfEpilogue();
          pushed += operands.mnemonic().equals("push") ? 4 : 0;
          state.apply(instruction, operands);
        }
        default -> {
          return;
        }
      }
      at = next & 0xFFFF_FFFFL;
    }
  }

  /**
   * Goes on behind a call of which is not known what it removes: all that was pushed since the call
   * before, as functions of Windows do, or nothing.
   */
  private static void guess(SymbolicState state, long next, int pushed, Search search) {
    if (!state.get(SP).isAddress() || search.pending.size() >= MOST_PENDING) {
      return;
    }
    search.pending.addLast(new Branch(next, state.copy(), 0, true, true));
    if (pushed > 0) {
      SymbolicState removed = state.copy();
      removed.set(SP, state.get(SP).plus(pushed));
      search.pending.addLast(new Branch(next, removed, 0, true, true));
    }
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

  private boolean isCall() {
    FlowClass flow = instruction.flowClass();
    return flow == FlowClass.DIRECT_CALL || flow == FlowClass.INDIRECT_CALL;
  }

  private boolean isPadding() {
    return isPadding(operands);
  }

  /**
   * Returns true for an instruction that compilers put between functions, and that does nothing.
   */
  static boolean isPadding(Operands operands) {
    return switch (operands.mnemonic()) {
      case "nop" -> true;
      case "xchg", "mov" ->
          operands.type(0) == OperandType.REGISTER
              && operands.type(1) == OperandType.REGISTER
              && operands.register(0).equals(operands.register(1));
      case "lea" ->
          operands.type(1) == OperandType.MEMORY
              && operands.memory(1).displacement() == 0
              && operands.memory(1).base().filter(operands.register(0)::equals).isPresent();
      default -> false;
    };
  }

  /**
   * Returns true if a function that keeps a frame pointer, or aligns its stack, begins at an
   * address.
   */
  boolean isFunctionStart(long at) {
    if ((at & FUNCTION_ALIGNMENT - 1) != 0) {
      return false;
    }
    Bytes next = code.read(at, START_BYTES);
    return next.length() == START_BYTES
        && (next.u8(0) == 0x55 && (next.u16(1) == 0xE589 || next.u16(1) == 0xEC8B)
            || next.u32(0) == 0x0424_4C8DL && next.u16(4) == 0xE483);
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

  private static Optional<PathToReturn> ending(
      SymbolicState state, int popped, boolean isEpilogue, boolean isGuessed) {
    SymbolicValue at = state.get(SP);
    if (!at.isAddress()) {
      return Optional.empty();
    }
    List<SymbolicValue> saved = new ArrayList<>(8);
    for (int i = 0; i < 8; i++) {
      saved.add(state.get(i));
    }
    return Optional.of(new PathToReturn(at, saved, popped, isEpilogue, isGuessed));
  }

  /** Returns the bytes that a decoded return removes besides the return address. */
  private int popped() {
    return operands.count() > 0 && operands.type(0) == OperandType.IMMEDIATE
        ? (int) operands.immediate(0) & 0xFFFF
        : 0;
  }

  /**
   * Applies the call at an address to a state; false if it is not known what it does to the stack.
   */
  boolean callAt(long address, SymbolicState state) {
    return decode(address) && call(address, state);
  }

  /** Applies a decoded call to a state; false if it is not known what it does to the stack. */
  private boolean call(long at, SymbolicState state) {
    long target = target(at);
    int removed = UNKNOWN_SIZE;
    if (target >= 0) {
      Optional<SymbolicState> after = inline(target, state);
      if (after.isPresent()) {
        for (int i = 0; i < 8; i++) {
          state.set(i, after.get().get(i));
        }
        removed = 0;
      } else {
        removed = returnSize(target);
      }
    }
    state.forgetVolatile();
    if (removed != UNKNOWN_SIZE) {
      state.set(SP, state.get(SP).plus(removed));
    }
    return removed != UNKNOWN_SIZE;
  }

  /** Returns the address that a decoded call or jump goes to, or -1. */
  private long target(long at) {
    if (instruction.flowClass().hasTarget()) {
      return instruction.branchTarget(at);
    }
    return isThroughSlot() ? words.at(operands.memory(0).displacement() & 0xFFFF_FFFFL) : -1;
  }

  /** Returns true if a decoded call or jump takes its target from a fixed address. */
  private boolean isThroughSlot() {
    if (operands.count() == 0 || operands.type(0) != OperandType.MEMORY) {
      return false;
    }
    Operand.InMemory slot = operands.memory(0);
    return slot.base().isEmpty() && slot.index().isEmpty() && slot.segment().number() < 4;
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
   * Returns the bytes that the first return removes besides that is found from an address on;
   * negative if there is none to be found.
   */
  int returnSize(long target) {
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

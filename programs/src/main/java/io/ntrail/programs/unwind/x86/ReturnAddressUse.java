package io.ntrail.programs.unwind.x86;

import static io.ntrail.programs.unwind.FrameRegisters.BP;
import static io.ntrail.programs.unwind.FrameRegisters.BX;
import static io.ntrail.programs.unwind.FrameRegisters.DI;
import static io.ntrail.programs.unwind.FrameRegisters.SI;
import static io.ntrail.programs.unwind.FrameRegisters.SP;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.Operand;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.OperandType;
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.Register;
import io.ntrail.programs.x86.RegisterClass;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * Follows all code of a function of 32-bit code and tells whether it does anything with its return
 * address but return to it. What it jumps to at its end has the same return address and is followed
 * as well.
 *
 * <p>No table says what a function does to its stack, nor how many bytes the return of a called
 * function removes. Of functions of the image their code says that. Of others, all that was pushed
 * for them is assumed to be removed, or nothing, whichever leads to the return address at each
 * return and to one stack pointer wherever paths meet; else the stack pointer is not known after
 * such calls, until it is taken from the frame pointer. For one thread.
 */
public final class ReturnAddressUse {
  /** Instructions of one function that are followed, with all that it jumps to at its end. */
  private static final int MOST_INSTRUCTIONS = 1 << 16;

  /** Entries of a table of jumps. */
  private static final int MOST_CASES = 1 << 12;

  private static final int SLOT = 4;

  private final PathFinder paths;
  private final CodeReader code;
  private final Words words;
  private final OperandReader reader;
  private final long base;
  private final long size;
  private final LongPredicate isFunction;
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  /** Use of the return address. */
  public enum Use {
    /** The function only returns to it. */
    NONE,
    /** It is read or changed, or the address of its place is taken. */
    USED,
    /** The code cannot be followed, or not its stack: it may be used. */
    UNKNOWN
  }

  /** Bytes that the return of functions removes of which the code is not at hand. */
  private enum Removal {
    /** All that was pushed since the call before: functions of Windows. */
    PUSHED,
    /** Nothing: functions of C. */
    NOTHING,
    /** It is not known. */
    UNKNOWN
  }

  /** Image at an address, as it is stored. */
  private record Mapped(PeImage image, long base) implements AddressSpace {
    @Override
    public String name() {
      return image.name();
    }

    @Override
    public Optional<MemoryRegion> regionAt(long address) {
      return Optional.empty();
    }

    @Override
    public Bytes readUpTo(long address, int most) {
      long rva = address - base;
      try {
        int there = Math.clamp(rva < 0 ? 0 : image.view().available(rva), 0, most);
        return image.view().bytes(there == 0 ? 0 : rva, there);
      } catch (DamagedInput e) {
        return image.view().bytes(0, 0);
      }
    }
  }

  /**
   * Prepares.
   *
   * @param base for which pointers in the image are made
   * @param isFunction whether a function is known to start at an RVA
   */
  public ReturnAddressUse(PeImage image, long base, LongPredicate isFunction) {
    AddressSpace memory = new Mapped(image, base);
    this.words = new Words(memory);
    this.code = new CodeReader(memory, _ -> Optional.empty());
    this.paths = new PathFinder(code, words);
    this.reader = OperandReader.of(code.decoder());
    this.base = base;
    this.size = image.headers().sizeOfImage();
    this.isFunction = isFunction;
  }

  /** Returns what the function at an RVA does with its return address. */
  public Use of(long rva) {
    for (Removal removal : Removal.values()) {
      Walk walk = new Walk(base + rva, removal);
      if (walk.isConsistent()) {
        return walk.use;
      }
    }
    return Use.UNKNOWN;
  }

  /**
   * Place where the walk goes on.
   *
   * @param pushed bytes that were pushed since the last call
   */
  private record Branch(long address, SymbolicState state, int pushed) {}

  /** Walk through all code of a function. */
  private final class Walk {
    private final long start;
    private final Removal removal;
    private final Deque<Branch> pending = new ArrayDeque<>();

    /** Stack pointers by the address of the instruction that was reached with them. */
    private final Map<Long, SymbolicValue> seen = new HashMap<>();

    private Use use = Use.NONE;

    /** Bases of stack pointers that were aligned. */
    private final Set<Integer> alignedBases = new HashSet<>();

    /** Set if a return or two paths contradict what was assumed of calls. */
    private boolean contradicts;

    // Of the path that is followed.
    private SymbolicState state = SymbolicState.initial();
    private int pushed;
    private int room;
    private boolean isBehindCall;

    /** Address of the table from which an element was loaded last; 0: none. */
    private long table;

    Walk(long start, Removal removal) {
      this.start = start;
      this.removal = removal;
    }

    boolean isConsistent() {
      add(start, state);
      while (!pending.isEmpty() && seen.size() <= MOST_INSTRUCTIONS && !isRefuted()) {
        Branch branch = pending.pop();
        state = branch.state;
        pushed = branch.pushed;
        room = 0;
        isBehindCall = false;
        table = 0;
        follow(branch.address);
      }
      return !isRefuted();
    }

    /** Returns whether something else has to be assumed of calls. */
    private boolean isRefuted() {
      return contradicts && removal != Removal.UNKNOWN;
    }

    private void add(long address, SymbolicState at) {
      long target = address & 0xFFFF_FFFFL;
      if (isMet(target, at.get(SP))) {
        return;
      }
      pending.push(new Branch(target, at.copy(), pushed));
    }

    /** Returns whether an instruction was reached before, and compares the stack pointers. */
    private boolean isMet(long address, SymbolicValue pointer) {
      SymbolicValue before = seen.get(address);
      if (before == null) {
        return false;
      }
      contradicts |= before.isAddress() && pointer.isAddress() && !before.equals(pointer);
      return true;
    }

    private void unknown() {
      if (use == Use.NONE) {
        use = Use.UNKNOWN;
      }
    }

    private void follow(long address) {
      long at = address;
      while (at >= 0 && !isMet(at, state.get(SP))) {
        seen.put(at, state.get(SP));
        if (seen.size() > MOST_INSTRUCTIONS || !decode(at)) {
          unknown();
          return;
        }
        at = step(at);
      }
    }

    /** Returns where the path goes on; negative: it ends. */
    private long step(long at) {
      FlowClass flow = instruction.flowClass();
      if (flow == FlowClass.RETURN) {
        contradicts |= state.get(SP).isAddress() && !isAtReturnAddress();
        return -1;
      }
      if (isLost()) {
        unknown();
        return -1;
      }
      if (isUse()) {
        // What comes may still show that the stack pointer is another one.
        use = Use.USED;
      }
      long next = at + instruction.length() & 0xFFFF_FFFFL;
      boolean isPadding = PathFinder.isPadding(operands);
      boolean wasBehindCall = isBehindCall;
      isBehindCall = wasBehindCall && isPadding;
      switch (flow) {
        case CONDITIONAL_BRANCH -> add(instruction.branchTarget(at), state);
        case DIRECT_JUMP -> {
          add(instruction.branchTarget(at), state);
          return -1;
        }
        case INDIRECT_JUMP -> {
          jumpThroughTable();
          return -1;
        }
        case DIRECT_CALL, INDIRECT_CALL -> call(at, next);
        case INTERRUPT -> {
          return isInterruptOver(wasBehindCall) ? -1 : ended(next);
        }
        case EXCEPTION -> {
          return -1;
        }
        case NEXT -> apply();
        default -> {
          unknown();
          return -1;
        }
      }
      return ended(next);
    }

    /** Returns true for what ends a path: int3 behind a call, and {@code int 29h}. */
    private boolean isInterruptOver(boolean wasBehindCall) {
      boolean isFailFast =
          operands.count() > 0
              && operands.type(0) == OperandType.IMMEDIATE
              && (operands.immediate(0) & 0xFF) == 0x29;
      return wasBehindCall || isFailFast;
    }

    /** Returns the next address; negative if the call before it does not come back. */
    private long ended(long next) {
      return isBehindCall && isStart(next) ? -1 : next;
    }

    private boolean isStart(long address) {
      return address != start && isFunction.test(address - base) || paths.isFunctionStart(address);
    }

    private void apply() {
      String mnemonic = operands.mnemonic();
      noteTable(mnemonic);
      boolean isSave = isSave(mnemonic);
      boolean isStackPointer = isStackPointer(0);
      SymbolicValue before = state.get(SP);
      state.apply(instruction, operands);
      SymbolicValue after = state.get(SP);
      if (mnemonic.equals("and") && isStackPointer) {
        alignedBases.add(after.base());
      }
      if (mnemonic.equals("push")) {
        pushed += isSave ? 0 : SLOT;
      } else if (mnemonic.equals("sub") && isStackPointer) {
        room = before.offset() - after.offset();
        pushed = 0;
      } else if (!before.equals(after)) {
        room = 0;
        pushed = Math.max(0, pushed + before.offset() - after.offset());
      }
    }

    private boolean isStackPointer(int operand) {
      return operands.count() > operand
          && operands.type(operand) == OperandType.REGISTER
          && operands.register(operand).equals(Register.of(RegisterClass.GENERAL32, SP));
    }

    /** Returns true for a push of a register that still has the caller's value. */
    private boolean isSave(String mnemonic) {
      if (!mnemonic.equals("push") || operands.type(0) != OperandType.REGISTER) {
        return false;
      }
      int register = operands.register(0).number();
      return register >= BX && state.get(register).equals(SymbolicValue.of(register));
    }

    private void noteTable(String mnemonic) {
      int memory = operands.memoryOperand();
      if (mnemonic.equals("mov") && memory == 1) {
        table = tableOf(operands.memory(1));
      }
    }

    private static long tableOf(Operand.InMemory memory) {
      return memory.base().isEmpty() && memory.index().isPresent() && memory.scale() == SLOT
          ? memory.displacement() & 0xFFFF_FFFFL
          : 0;
    }

    /** Follows the cases of a switch; a jump at the end of the function leads elsewhere. */
    private void jumpThroughTable() {
      int memory = operands.memoryOperand();
      long cases = memory < 0 ? table : tableOf(operands.memory(memory));
      int count = 0;
      if (cases != 0) {
        for (long target = words.at(cases);
            isCase(target) && count < MOST_CASES;
            target = words.at(cases + (long) SLOT * count)) {
          add(target, state);
          count++;
        }
      }
      if (count == 0 && !isAtReturnAddress()) {
        unknown();
      }
    }

    /** Returns true for an address behind the start of the function and before the next one. */
    private boolean isCase(long target) {
      return target > start && target < base + size && !isFunction.test(target - base);
    }

    private void call(long at, long next) {
      if (instruction.flowClass() == FlowClass.DIRECT_CALL
          && instruction.branchTarget(at) == next) {
        // Position-independent code asks where it is.
        state.push(SymbolicValue.UNKNOWN);
        return;
      }
      SymbolicValue before = state.get(SP);
      if (!paths.callAt(at, state)) {
        state.set(SP, after(before, next));
      }
      pushed = 0;
      room = 0;
      isBehindCall = true;
    }

    /** Returns the stack pointer after a call of a function whose code is not at hand. */
    private SymbolicValue after(SymbolicValue before, long next) {
      if (decode(next)
          && isStackPointer(0)
          && operands.count() == 2
          && operands.type(1) == OperandType.IMMEDIATE) {
        int by = (int) operands.immediate(1);
        if (operands.mnemonic().equals("add")) {
          // The caller removes all, or only what it left free below what the function removed.
          return by == room ? before.plus(pushed) : before;
        }
        if (operands.mnemonic().equals("sub")) {
          // Room for arguments that is kept all the time is made again.
          return before.plus(by);
        }
      }
      return switch (removal) {
        case PUSHED -> before.plus(pushed);
        case NOTHING -> before;
        case UNKNOWN -> pushed == 0 ? before : SymbolicValue.UNKNOWN;
      };
    }

    private boolean isAtReturnAddress() {
      return isPlace(state.get(SP));
    }

    /** Returns true for the address of the return address. */
    private static boolean isPlace(SymbolicValue value) {
      return value.isSum() && value.base() == SP && value.offset() == 0;
    }

    /** Returns true if nothing is known any more that leads to the frame. */
    private boolean isLost() {
      for (int register : new int[] {SP, BP, BX, SI, DI}) {
        SymbolicValue value = state.get(register);
        if (value.isSum() && (value.base() == SP || alignedBases.contains(value.base()))) {
          return false;
        }
      }
      return true;
    }

    /** Returns whether an instruction uses the return address or the address of its place. */
    private boolean isUse() {
      String mnemonic = operands.mnemonic();
      SymbolicValue pointer = state.get(SP);
      if (pointer.isAddress() && pointer.base() == SP && pointer.offset() > 0) {
        // It was removed.
        return true;
      }
      if (mnemonic.equals("pop") && isAtReturnAddress()) {
        return true;
      }
      int operand = operands.memoryOperand();
      if (operand < 0 || mnemonic.equals("nop")) {
        return false;
      }
      SymbolicValue address = state.address(operands.memory(operand));
      if (mnemonic.equals("lea")) {
        return isPlace(address) && operands.register(0).number() != SP;
      }
      if (mnemonic.equals("push")
          && alignedBases.contains(pointer.base())
          && pointer.offset() == 0) {
        // A function that aligns its stack puts a copy in front of its frame, for debuggers.
        return false;
      }
      int bytes = Math.max(1, operands.memory(operand).bytes());
      return address.isSum()
              && address.base() == SP
              && address.offset() < SLOT
              && address.offset() + bytes > 0
          || state.load(address).equals(SymbolicValue.of(SP).word());
    }
  }

  /** Decodes an instruction with its operands; false if there is none. */
  private boolean decode(long address) {
    Bytes bytes = code.read(address, 16);
    return code.decoder().decode(bytes, 0, bytes.length(), instruction) != 0
        && reader.read(instruction, operands);
  }
}

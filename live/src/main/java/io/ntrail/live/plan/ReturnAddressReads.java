package io.ntrail.live.plan;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.OperandType;
import io.ntrail.programs.x86.Operands;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Finds functions that read their own return address, which would be that of a slot.
 *
 * <p>The code is gone through from its first byte on, in the order in which it lies, with the
 * distance of the stack pointer, of the frame register and of copies of both from the place of the
 * return address; unwind data says where they are after each step of a prologue, and after each
 * jump. An instruction that touches that place or takes its address is a look. Parts of the
 * function that lie elsewhere are gone through as well, and so is what it jumps to at its end,
 * which has the same return address.
 *
 * <p>What cannot be understood counts as a look: code that does not decode, unwind data that is
 * damaged or that of an interrupt, a stack pointer that comes from elsewhere.
 */
final class ReturnAddressReads {
  private static final int MAX_BYTES = 1 << 22;
  private static final int MAX_PARTS = 256;
  private static final int WINDOW = 1 << 16;

  /** Bytes that are copied at first where code does not lie in one piece: most of it ends soon. */
  private static final int FIRST_BYTES = 1 << 10;

  private final PeImage image;
  private final FunctionTable table;
  private final InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
  private final OperandReader reader = OperandReader.of(decoder);
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();
  private final StackPointerTracker track = new StackPointerTracker();

  /** Parts that continue a function, by function. */
  private final Map<Long, List<RuntimeFunction>> parts;

  ReturnAddressReads(PeImage image, FunctionTable table) {
    this(image, table, parts(table));
  }

  /**
   * Prepares.
   *
   * @param parts ranges of the table that continue a function, by its start
   */
  ReturnAddressReads(PeImage image, FunctionTable table, Map<Long, List<RuntimeFunction>> parts) {
    this.image = image;
    this.table = table;
    this.parts = parts;
  }

  private ReturnAddressReads(ReturnAddressReads other) {
    this.image = other.image;
    this.table = other.table;
    this.parts = other.parts;
  }

  /** Returns the same for another thread. */
  ReturnAddressReads forAnotherThread() {
    return new ReturnAddressReads(this);
  }

  private static Map<Long, List<RuntimeFunction>> parts(FunctionTable table) {
    Map<Long, List<RuntimeFunction>> parts = new HashMap<>();
    for (RuntimeFunction entry : table.entries()) {
      if (table.continues(entry)) {
        parts.computeIfAbsent(table.primary(entry).begin(), _ -> new ArrayList<>()).add(entry);
      }
    }
    return parts;
  }

  /** Returns whether a function reads its return address. */
  boolean in(ImageFunction function) {
    return new FunctionScan().looks(function.rva(), function.end());
  }

  /**
   * Returns whether code that unwind data describes is entered with a frame that other code made.
   */
  boolean isPart(RuntimeFunction entry) {
    return FrameLayout.of(table.chain(entry)).map(FrameLayout::beginsWithFrame).orElse(false);
  }

  /** Returns where the first range of the function table begins after an address. */
  private long nextEntry(long rva) {
    List<RuntimeFunction> entries = table.entries();
    int next = Search.first(0, entries.size(), i -> entries.get(i).begin() > rva);
    return next < entries.size() ? entries.get(next).begin() : Long.MAX_VALUE;
  }

  private boolean hasNoFrame(RuntimeFunction entry) {
    return FrameLayout.of(table.chain(entry)).map(FrameLayout::isNone).orElse(false);
  }

  /** Analysis of one function, its parts and its tail calls. */
  private final class FunctionScan {
    /** Ranges of the function table by their begin, and code without unwind data. */
    private final LongSet seen = new LongSet();

    private final Deque<Range> left = new ArrayDeque<>();

    /** Set if the return address is read, or may be by code that could not be analysed. */
    private boolean found;

    boolean looks(long rva, long end) {
      routine(rva, end, Bound.NEXT_FUNCTION);
      while (!found && !left.isEmpty()) {
        through(left.pop());
        found |= seen.size() > MAX_PARTS;
      }
      return found;
    }

    /**
     * Analyses code that is called, or jumped to with nothing but a return address on the stack.
     */
    private void routine(long rva, long end, Bound bound) {
      Optional<RuntimeFunction> entry = table.entry(rva);
      if (entry.isEmpty()) {
        add(new Range(rva, Math.min(end, nextEntry(rva)), FrameLayout.NONE, bound));
      } else if (entry.get().begin() == rva || hasNoFrame(entry.get())) {
        function(entry.get());
      } else {
        found = true;
      }
    }

    private void function(RuntimeFunction entry) {
      range(entry);
      parts.getOrDefault(table.primary(entry).begin(), List.of()).forEach(this::range);
    }

    private void range(RuntimeFunction entry) {
      Optional<FrameLayout> layout = FrameLayout.of(table.chain(entry));
      if (layout.isEmpty()) {
        found = true;
      } else {
        add(new Range(entry.begin(), entry.end(), layout.get(), Bound.UNWIND_DATA));
      }
    }

    private void add(Range range) {
      if (seen.add(range.begin)) {
        left.push(range);
      }
    }

    private void through(Range range) {
      long length = Math.min(range.end - range.begin, MAX_BYTES);
      if (length <= 0
          || range.bound == Bound.UNWIND_DATA && length < range.end - range.begin
          || !image.view().has(range.begin, 1)) {
        found = true;
        return;
      }
      length = Math.min(length, image.view().available(range.begin));
      new Walk(range, (int) length).go();
    }

    /** Analyses one range. */
    private final class Walk {
      private final Range range;

      /** Bytes of the range. */
      private final int length;

      /** First bytes of the range: more are fetched when they are needed. */
      private Bytes code;

      private final TreeSet<Integer> targets = new TreeSet<>();

      /** Set after a jump through a register: the code may contain a table of its targets. */
      private boolean hasSwitch;

      Walk(Range range, int length) {
        this.range = range;
        this.length = length;
        long whole = Math.max(FIRST_BYTES, image.view().stored(range.begin));
        this.code = image.view().bytes(range.begin, (int) Math.min(length, whole));
      }

      private void fetch(int at) {
        if (at + InstructionDecoder.LONGEST > code.length() && code.length() < length) {
          long more = Math.max(4L * code.length(), at + InstructionDecoder.LONGEST);
          code = image.view().bytes(range.begin, (int) Math.min(length, more));
        }
      }

      void go() {
        track.begin();
        range.layout.at(0, track);
        int at = 0;
        while (!found && at >= 0 && at < length) {
          fetch(at);
          int size = decoder.decode(code, at, code.length(), instruction);
          // Most instructions have nothing to do with the stack, which is seen without operands.
          boolean isApart = size > 0 && track.isApart(instruction);
          if (!isApart && (size == 0 || !reader.read(instruction, operands))) {
            at = behindTable(at);
            continue;
          }
          found = !isApart && track.touches(operands) && !HookPrologue.is(code, at, size);
          FlowClass flow = instruction.flowClass();
          if (flow.hasTarget() && flow != FlowClass.DIRECT_CALL) {
            jump(at);
          }
          hasSwitch |= flow == FlowClass.INDIRECT_JUMP && isThroughRegister();
          if (!isApart) {
            track.step(instruction, operands);
          }
          at += size;
          if (!flow.fallsThrough()) {
            at = isOver(at) ? -1 : at;
            range.layout.at(Math.max(at, range.layout.prologue()), track);
          } else if (range.layout.changesAt(at)) {
            range.layout.at(at, track);
          }
          found |= track.isLost();
        }
      }

      private boolean isThroughRegister() {
        int operand = operands.memoryOperand();
        return operand < 0
            || operands.type(operand) == OperandType.MEMORY
                && operands.memory(operand).index().isPresent();
      }

      /** Returns whether code without unwind data ends here, as far as its jumps show. */
      private boolean isOver(int at) {
        boolean goesOn = hasSwitch && range.bound == Bound.NEXT_FUNCTION;
        return range.bound != Bound.UNWIND_DATA && !goesOn && targets.ceiling(at) == null;
      }

      /** Returns where code continues after bytes that do not decode. */
      private int behindTable(int at) {
        Integer next = targets.ceiling(at + 1);
        found |= !hasSwitch;
        if (next == null) {
          return -1;
        }
        range.layout.at(Math.max(next, range.layout.prologue()), track);
        return next;
      }

      private void jump(int at) {
        long target = instruction.branchTarget(range.begin + at);
        if (target >= range.begin && target < range.begin + length) {
          targets.add((int) (target - range.begin));
          return;
        }
        Optional<RuntimeFunction> entry = table.entry(target);
        if (entry.isPresent() && (seen.contains(entry.get().begin()) || isPart(entry.get()))) {
          range(entry.get());
        } else if (track.isAtReturnAddress()) {
          routine(target, target + WINDOW, Bound.NONE);
        } else {
          // With a frame that the code there does not know of, or into the middle of a function.
          found = true;
        }
      }
    }
  }

  /** Source of the end of a range of code. */
  private enum Bound {
    UNWIND_DATA,
    /** The function table, though code may end before. */
    NEXT_FUNCTION,
    /** None: code ends where its jumps lead no further. */
    NONE
  }

  /**
   * Range of code to analyse.
   *
   * @param begin its first byte
   * @param end past all that may belong to it
   */
  private record Range(long begin, long end, FrameLayout layout, Bound bound) {}
}

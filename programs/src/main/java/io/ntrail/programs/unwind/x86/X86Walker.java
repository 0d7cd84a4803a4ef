package io.ntrail.programs.unwind.x86;

import static io.ntrail.programs.unwind.FrameRegisters.BP;

import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.StackWalk.End;
import io.ntrail.programs.unwind.x86.CodeReader.ReturnAddress;
import io.ntrail.programs.unwind.x86.RuleRunner.Frame;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Walks stacks of 32-bit threads.
 *
 * <p>The caller of a frame is found by the first of these that leads somewhere: a frame program of
 * the PDB, FPO_DATA, the instructions up to the return, the chain of frame pointers, a scan of the
 * stack. In a prologue or an epilogue the instructions win over frame data that takes the frame for
 * complete. A return address has to follow a call instruction, where its bytes are at hand.
 *
 * <p>Walks end: the stack pointer grows with each frame, and their number is limited. Rules are
 * kept, so that one walker should be used for all threads of a process; not for several threads at
 * once.
 */
public final class X86Walker {
  /** Frames after which a walk is given up. */
  public static final int MOST_FRAMES = 65_536;

  /** Windows maps nothing below it. */
  private static final int LOWEST_CODE = 0x1_0000;

  private static final int MOST_PROBLEMS = 100;

  /** Frames without a module that a chain of frame pointers may pass. */
  private static final int MOST_UNKNOWN_FRAMES = 8;

  private final Words words;
  private final CodeReader code;
  private final RuleFinder rules;
  private final Set<String> problems = new LinkedHashSet<>();

  /**
   * @param memory stacks, and code as far as it was captured
   * @param modules what is loaded where
   * @param frameData frame data of modules
   */
  public X86Walker(AddressSpace memory, LoadedModules modules, FrameDataTables frameData) {
    this.words = new Words(memory);
    this.code = new CodeReader(memory, modules);
    this.rules = new RuleFinder(code, words, frameData);
  }

  /** Returns what was wrong with the frame data that walks used, the first hundred of it. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /**
   * Walks a stack.
   *
   * @param context registers of the thread; copied
   * @param limits of its stack
   */
  public StackWalk walk(FrameRegisters context, StackLimits limits) {
    return new Walk(words, limits).walk(context.copy());
  }

  /**
   * Walks from a function that begins: the stack pointer is where the return address lies. The
   * first frame is that of its caller.
   *
   * @param entered registers; the instruction pointer is that of the function, or 0 if unknown
   * @param stack memory of the same instant
   * @param limits of the thread's stack
   */
  public StackWalk walkCallers(FrameRegisters entered, AddressSpace stack, StackLimits limits) {
    return new Walk(new Words(stack), limits).walkCallers(entered.copy());
  }

  private void note(String problem) {
    if (problems.size() < MOST_PROBLEMS) {
      problems.add(problem);
    }
  }

  /** One walk. */
  private final class Walk {
    private final Words words;
    private final StackLimits limits;
    private final ReturnAddressSearch search;
    private final RuleRunner runner;
    private final List<StackFrame> frames = new ArrayList<>();

    /** Parameters of the function of the frame before the last one. */
    private int calleeParameters;

    Walk(Words words, StackLimits limits) {
      this.words = words;
      this.limits = limits;
      this.search = new ReturnAddressSearch(code, words, limits);
      this.runner = new RuleRunner(words, search, limits, X86Walker.this::note);
    }

    StackWalk walk(FrameRegisters context) {
      frames.add(new StackFrame(FrameTrust.CONTEXT, context));
      return goOn();
    }

    StackWalk walkCallers(FrameRegisters entered) {
      frames.add(new StackFrame(FrameTrust.CONTEXT, entered));
      long returnAddress = words.at(entered.sp());
      if (returnAddress == Words.MISSING) {
        StackWalk none = ending(entered);
        return new StackWalk(List.of(), none.end(), none.why());
      }
      FrameRegisters caller = entered.copy();
      caller.setIp(returnAddress);
      caller.setSp(entered.sp() + 4);
      frames.add(new StackFrame(FrameTrust.UNWIND, caller));
      calleeParameters = rules.parameterBytes(entered.ip()).orElse(Caller.UNKNOWN_PARAMETERS);
      StackWalk all = goOn();
      return new StackWalk(all.frames().subList(1, all.frames().size()), all.end(), all.why());
    }

    private StackWalk goOn() {
      while (frames.size() < MOST_FRAMES) {
        FrameRegisters registers = frames.getLast().registers();
        Frame frame = frame(registers);
        Optional<Caller> caller = callerOf(frame);
        if (caller.isEmpty()) {
          return ending(registers);
        }
        FrameRegisters next = caller.get().registers();
        if (isNowhere(next)) {
          return end(End.END_OF_STACK, "");
        }
        frames.add(new StackFrame(caller.get().trust(), next));
        calleeParameters = parameters(caller.get(), frame);
      }
      return end(End.TOO_MANY, "the stack has more than %,d frames".formatted(MOST_FRAMES));
    }

    private Frame frame(FrameRegisters registers) {
      boolean isFirst = frames.size() == 1;
      long address = isFirst ? registers.ip() : registers.ip() - 1;
      return new Frame(
          registers, Math.max(0, calleeParameters), isFirst, rules.functionAt(address));
    }

    private int parameters(Caller caller, Frame left) {
      return caller.parameters() != Caller.UNKNOWN_PARAMETERS
          ? caller.parameters()
          : rules.parameterBytes(addressIn(left)).orElse(Caller.UNKNOWN_PARAMETERS);
    }

    /** Returns an address in the instruction that is executed: of a caller, in its call. */
    private static long addressIn(Frame frame) {
      return frame.isFirst() ? frame.registers().ip() : frame.registers().ip() - 1;
    }

    private StackWalk end(End end, String why) {
      return new StackWalk(frames, end, why);
    }

    private Optional<Caller> callerOf(Frame frame) {
      FrameRegisters registers = frame.registers();
      long ip = registers.ip();
      if (frame.isFirst() && !code.canRun(ip)) {
        Optional<Caller> caller = fromNowhere(frame);
        if (caller.isPresent()) {
          return caller;
        }
      }
      Optional<PathToReturn> edge =
          frame.isFirst() ? rules.atEdge(ip) : rules.inProlog(addressIn(frame));
      Optional<Caller> atEdge = edge.flatMap(path -> run(new FrameRule.Code(path), frame));
      for (FrameRule rule : rules.data(addressIn(frame))) {
        Optional<Caller> caller = run(rule, frame);
        if (caller.isPresent()) {
          return atEdge
              .filter(other -> !other.isSamePlace(caller.get()))
              .or(() -> Optional.of(refined(caller.get(), frame)));
        }
      }
      return atEdge
          .or(() -> byCode(frame))
          .or(() -> chained(frame))
          .or(() -> outermost(frame))
          .or(() -> scanned(frame));
    }

    /** Corrects registers of the first frame's caller by what the code says. */
    private Caller refined(Caller caller, Frame frame) {
      return frame.isFirst()
          ? rules.code(frame.registers().ip()).stream()
              .filter(path -> !path.isGuessed())
              .findFirst()
              .map(path -> runner.refined(caller, path, frame))
              .orElse(caller)
          : caller;
    }

    /** Returns the caller by the instructions up to the return. */
    private Optional<Caller> byCode(Frame frame) {
      List<PathToReturn> paths = rules.code(frame.registers().ip());
      if (paths.isEmpty() || frame.isFirst()) {
        return byCode(paths, frame, false);
      }
      int removed = rules.removedByReturn(frames.get(frames.size() - 2).ip());
      if (removed >= 0) {
        return byCode(paths, behind(removed, frame), false);
      }
      return byCode(paths, behind(frame.calleeParameters(), frame), true)
          .or(() -> byCode(paths, frame, true));
    }

    /** Returns a frame as it is when a function that it called has removed parameters. */
    private static Frame behind(int removed, Frame frame) {
      FrameRegisters registers = frame.registers().copy();
      registers.setSp(registers.sp() + removed);
      return new Frame(registers, 0, frame.isFirst(), frame.function());
    }

    private Optional<Caller> byCode(List<PathToReturn> paths, Frame frame, boolean isGuessed) {
      for (PathToReturn path : paths) {
        Optional<Caller> caller = run(new FrameRule.Code(path), frame);
        boolean needsProof = path.isGuessed() || isGuessed && path.usesStackPointer();
        if (caller.isPresent()
            && (!needsProof || isProved(caller.get()) && !isRefuted(path, caller.get(), frame))
            && !isFalseEnd(caller.get(), frame)) {
          return caller;
        }
      }
      return Optional.empty();
    }

    /** Returns the caller of code that is not there: it was called and could not begin. */
    private Optional<Caller> fromNowhere(Frame frame) {
      return run(new FrameRule.Code(RuleFinder.ENTERED), frame)
          .map(caller -> new Caller(FrameTrust.SCAN, caller.registers(), caller.parameters()));
    }

    /** Runs a rule; empty if what comes out cannot be a caller. */
    private Optional<Caller> run(FrameRule rule, Frame frame) {
      return runner.run(rule, frame).filter(caller -> grows(frame, caller) && isPlausible(caller));
    }

    /** Returns true if a caller lies above the frame that it called, on the same stack. */
    private boolean grows(Frame frame, Caller caller) {
      long top = caller.registers().sp();
      return top > frame.registers().sp() && limits.holds(top - 4, 4);
    }

    private boolean isPlausible(Caller caller) {
      FrameRegisters registers = caller.registers();
      if (isNowhere(registers)) {
        return registers.get(BP) == 0;
      }
      return code.judge(registers.ip()) != ReturnAddress.NO
          || caller.trust() == FrameTrust.PROGRAM && code.canRun(registers.ip());
    }

    /** Returns the caller by the frame pointer, also where its code is of no module. */
    private Optional<Caller> chained(Frame frame) {
      return byFramePointer(frame)
          .filter(c -> isPlausible(c) || leadsBack(c))
          .filter(c -> !isFalseEnd(c, frame));
    }

    /**
     * Returns true if the end of the stack was found by a frame pointer, but a proved return
     * address lies below: the function keeps the frame pointer of its caller.
     */
    private boolean isFalseEnd(Caller end, Frame frame) {
      return isNowhere(end.registers())
          && (byFramePointer(frame).filter(this::isProved).isPresent()
              || search.proved(frame.registers().sp(), end.registers().sp() - 8)
                  != ReturnAddressSearch.NOT_FOUND);
    }

    /**
     * Returns true if a guess says that the function keeps a frame pointer, which it finds
     * elsewhere than the frame pointer is, and that leads to a call.
     */
    private boolean isRefuted(PathToReturn path, Caller guess, Frame frame) {
      return path.register(BP).equals(path.returnAddress().plus(-4).word())
          && byFramePointer(frame)
              .filter(other -> isProved(other) && !other.isSamePlace(guess))
              .isPresent();
    }

    private boolean isProved(Caller caller) {
      return code.judge(caller.registers().ip()).isAfterCall();
    }

    private Optional<Caller> byFramePointer(Frame frame) {
      return runner.run(new FrameRule.FramePointer(), frame).filter(c -> grows(frame, c));
    }

    /**
     * Returns true if a chain of frame pointers comes back to a call of a module after a few frames
     * of code that is not known, such as code that a runtime has made.
     */
    private boolean leadsBack(Caller unknown) {
      Frame frame = chainLink(unknown);
      for (int i = 0; i < MOST_UNKNOWN_FRAMES; i++) {
        Optional<Caller> caller = byFramePointer(frame);
        if (caller.isEmpty() || isData(frame.registers().ip())) {
          return false;
        }
        if (isPlausible(caller.get())) {
          return true;
        }
        frame = chainLink(caller.get());
      }
      return false;
    }

    private static Frame chainLink(Caller caller) {
      return new Frame(caller.registers(), 0, false, CodeReader.UNKNOWN_FUNCTION);
    }

    /** Returns true where no code can be: whatever lies there was never a return address. */
    private static boolean isNowhere(FrameRegisters registers) {
      return registers.ip() < LOWEST_CODE;
    }

    /** Returns true for addresses that hold no code, whatever ran: none, and the stack's own. */
    private boolean isData(long ip) {
      return ip < LOWEST_CODE || limits.isKnown() && limits.holds(ip, 4);
    }

    /** Returns the end of the stack, as a caller at 0, if the chain of frame pointers ends here. */
    private Optional<Caller> outermost(Frame frame) {
      FrameRegisters registers = frame.registers();
      if (frame.isFirst()
          || frames.getLast().trust() == FrameTrust.SCAN
          || !registers.isKnown(BP)
          || registers.get(BP) != 0) {
        return Optional.empty();
      }
      FrameRegisters none = registers.copy();
      none.setIp(0);
      return Optional.of(new Caller(FrameTrust.FRAME, none, 0));
    }

    private Optional<Caller> scanned(Frame frame) {
      long start = frame.registers().sp() + frame.calleeParameters();
      long place = search.scan(start, frame.isFirst(), frame.function());
      return place == ReturnAddressSearch.NOT_FOUND
          ? Optional.empty()
          : Optional.of(runner.scanned(frame, place));
    }

    private StackWalk ending(FrameRegisters registers) {
      long top = registers.sp();
      if (!limits.holds(top, 4) || words.at(top) == Words.MISSING) {
        return end(End.MEMORY_MISSING, "memory of the stack at 0x%08x is not there".formatted(top));
      }
      return end(
          End.UNKNOWN_CODE,
          "nothing from 0x%08x on looks like the caller of 0x%08x".formatted(top, registers.ip()));
    }
  }
}

package io.ntrail.programs.unwind.x64;

import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.StackWalk.End;
import io.ntrail.programs.unwind.x64.UnwindDecision.NoRule;
import io.ntrail.programs.unwind.x64.UnwindStep.Caller;
import io.ntrail.programs.unwind.x64.UnwindStep.Failed;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Walks stacks of x64 threads: from registers and memory to all frames. What it unwinds by unwind
 * data it trusts; where there are none it guesses, and says so of each frame.
 *
 * <p>A walk always ends: the stack pointer has to grow, except over a machine frame, which may lead
 * to another stack, but to no place where the walk was before; and there is a bound of the number
 * of frames. Not safe for several threads.
 */
public final class StackWalker {
  /** Bound of the number of frames unless another one is asked for. */
  public static final int MOST_FRAMES = 65_536;

  private static final int WORD = 8;

  private final VirtualUnwinder unwinder;
  private final CallerGuess guess;
  private final int mostFrames;

  /** Makes a walker with an unwinder, whose rules it shares. */
  public StackWalker(VirtualUnwinder unwinder) {
    this(unwinder, MOST_FRAMES);
  }

  /**
   * Makes a walker with an unwinder, whose rules it shares.
   *
   * @param mostFrames bound of the number of frames, from 1
   */
  public StackWalker(VirtualUnwinder unwinder, int mostFrames) {
    this.unwinder = unwinder;
    this.guess = new CallerGuess(unwinder);
    this.mostFrames = mostFrames;
  }

  /** Walks from registers of a thread, or of an exception, over memory of the same instant. */
  public StackWalk walk(FrameRegisters registers, AddressSpace memory) {
    return walk(registers, memory, StackLimits.UNKNOWN);
  }

  /**
   * Walks from registers of a thread, or of an exception, over memory of the same instant.
   *
   * @param limits of the thread's stack; a machine frame may lead out of it
   */
  public StackWalk walk(FrameRegisters registers, AddressSpace memory, StackLimits limits) {
    Walk walk = new Walk(new StackMemory(memory), limits);
    walk.frames.add(new StackFrame(FrameTrust.CONTEXT, registers.copy()));
    return walk.goOn();
  }

  /**
   * Walks from the registers that a caller has when what it called begins: their instruction
   * pointer is the return address.
   *
   * @param limits of the thread's stack; a machine frame may lead out of it
   */
  public StackWalk walkCallers(FrameRegisters caller, AddressSpace memory, StackLimits limits) {
    Walk walk = new Walk(new StackMemory(memory), limits);
    walk.frames.add(new StackFrame(FrameTrust.UNWIND, caller.copy()));
    return walk.goOn();
  }

  /** One walk. */
  private final class Walk {
    private final List<StackFrame> frames = new ArrayList<>();

    /** Frames that a trap frame must not lead back to; those after the last one are not yet in. */
    private final Set<Place> places = new HashSet<>();

    private int inPlaces;
    private final StackMemory stack;
    private StackLimits limits;

    Walk(StackMemory stack, StackLimits limits) {
      this.stack = stack;
      this.limits = limits;
    }

    StackWalk goOn() {
      while (frames.size() < mostFrames) {
        Optional<StackWalk> end = step(frames.getLast());
        if (end.isPresent()) {
          return end.get();
        }
      }
      return end(End.TOO_MANY, "the stack has more than %,d frames".formatted(mostFrames));
    }

    private StackWalk end(End end, String why) {
      return new StackWalk(frames, end, why);
    }

    /** Adds a caller, or returns why there is none. */
    private Optional<StackWalk> step(StackFrame frame) {
      boolean interrupted = isInterrupted(frame.trust());
      UnwindDecision decision =
          interrupted ? unwinder.decide(frame.ip()) : unwinder.decideAfterCall(frame.ip());
      return switch (decision) {
        case NoRule none -> guessed(frame, none);
        case UnwindRule rule
            when rule.place() == UnwindRule.Place.LEAF
                && !(interrupted && unwinder.isExecutable(frame.ip())) ->
            guessed(
                frame,
                new NoRule(End.UNKNOWN_CODE, "0x%x is in no function".formatted(frame.ip())));
        case UnwindRule rule -> unwound(frame, rule, interrupted);
      };
    }

    private Optional<StackWalk> unwound(StackFrame frame, UnwindRule rule, boolean interrupted) {
      FrameRegisters caller = frame.registers().copy();
      return switch (VirtualUnwinder.run(rule, caller, stack)) {
        case Failed failed -> Optional.of(end(failed.end(), failed.why()));
        case Caller _ -> {
          FrameTrust trust =
              rule.hasMachineFrame()
                  ? FrameTrust.TRAP
                  : interrupted && rule.isAssumed() ? FrameTrust.SCAN : FrameTrust.UNWIND;
          yield add(frame, new StackFrame(trust, caller));
        }
      };
    }

    private Optional<StackWalk> guessed(StackFrame frame, NoRule none) {
      if (none.end() == End.UNSUPPORTED) {
        return Optional.of(end(none.end(), none.why()));
      }
      Optional<StackFrame> caller =
          guess.callerOf(frame.registers(), isInterrupted(frame.trust()), stack);
      return caller.isPresent()
          ? add(frame, caller.get())
          : Optional.of(end(none.end(), none.why()));
    }

    private Optional<StackWalk> add(StackFrame frame, StackFrame caller) {
      if (caller.ip() == 0) {
        return Optional.of(end(End.END_OF_STACK, ""));
      }
      if ((caller.sp() & WORD - 1) != 0) {
        return Optional.of(
            end(
                End.DAMAGED,
                "the caller of 0x%x has the stack pointer 0x%x"
                    .formatted(frame.ip(), caller.sp())));
      }
      if (caller.trust() == FrameTrust.TRAP) {
        if (isKnown(caller)) {
          return Optional.of(
              end(
                  End.NO_PROGRESS,
                  "the trap frame of 0x%x leads back to 0x%x".formatted(frame.ip(), caller.ip())));
        }
        limits = limits.contains(caller.sp()) ? limits : StackLimits.UNKNOWN;
      } else if (Long.compareUnsigned(caller.sp(), frame.sp()) <= 0) {
        return Optional.of(
            end(
                End.NO_PROGRESS,
                "the stack pointer goes from 0x%x to 0x%x in the caller of 0x%x"
                    .formatted(frame.sp(), caller.sp(), frame.ip())));
      } else if (!limits.contains(caller.sp())) {
        return Optional.of(
            end(
                End.DAMAGED,
                "the caller of 0x%x has the stack pointer 0x%x, outside of the stack"
                    .formatted(frame.ip(), caller.sp())));
      }
      frames.add(caller);
      return Optional.empty();
    }

    private boolean isKnown(StackFrame frame) {
      for (; inPlaces < frames.size(); inPlaces++) {
        places.add(Place.of(frames.get(inPlaces)));
      }
      return places.contains(Place.of(frame));
    }
  }

  /** Instruction and stack pointer of a frame. */
  private record Place(long ip, long sp) {
    static Place of(StackFrame frame) {
      return new Place(frame.ip(), frame.sp());
    }
  }

  /**
   * Returns true if a frame with this trust ran when it was left, and did not wait for a return.
   */
  private static boolean isInterrupted(FrameTrust trust) {
    return trust == FrameTrust.CONTEXT || trust == FrameTrust.TRAP;
  }
}

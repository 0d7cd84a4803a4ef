package io.ntrail.live.plan;

import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What unwind data says of a range of code: how its prologue builds the frame. A part that was
 * moved out of a function begins with that function's frame.
 */
final class FrameLayout {
  /** What no unwind data describes: the stack pointer stays where it is. */
  static final FrameLayout NONE = new FrameLayout(List.of(), 0);

  private final List<Step> steps;
  private final int prologue;

  /**
   * One thing that was done.
   *
   * @param offset behind which byte of the range; 0: before it began
   * @param room by how many bytes the stack pointer was lowered
   * @param frame the register that points into the frame from here on, or -1
   * @param frameOffset how far above the stack pointer
   */
  private record Step(int offset, long room, int frame, int frameOffset) {}

  private FrameLayout(List<Step> steps, int prologue) {
    this.steps = steps;
    this.prologue = prologue;
  }

  /** The layout of a range; empty if it is damaged, of another kind, or that of an interrupt. */
  static Optional<FrameLayout> of(UnwindChain chain) {
    if (chain.damage().isPresent()) {
      return Optional.empty();
    }
    List<Step> steps = new ArrayList<>();
    for (int link = chain.depth(); link >= 0; link--) {
      UnwindInfo info = chain.links().get(link).info();
      if (info.version() > 2 || info.damage().isPresent()) {
        return Optional.empty();
      }
      // The last is stored first.
      for (UnwindCode code : info.prologCodes().reversed()) {
        int offset = link == 0 ? code.offset() : 0;
        switch (code.operation()) {
          case UWOP_PUSH_NONVOL -> steps.add(new Step(offset, 8, -1, 0));
          case UWOP_ALLOC_SMALL, UWOP_ALLOC_LARGE ->
              steps.add(new Step(offset, code.value(), -1, 0));
          case UWOP_SET_FPREG ->
              steps.add(new Step(offset, 0, info.frameRegister(), info.frameOffset()));
          case UWOP_PUSH_MACHFRAME -> {
            return Optional.empty();
          }
          default -> {}
        }
      }
    }
    return Optional.of(new FrameLayout(steps, chain.info().prologSize()));
  }

  /** Whether there is a frame already at the first byte. */
  boolean beginsWithFrame() {
    return !steps.isEmpty() && steps.getFirst().offset == 0;
  }

  /** Bytes of the prologue. */
  int prologue() {
    return prologue;
  }

  /** Whether the return address is where the stack pointer is, all the time. */
  boolean isNone() {
    return steps.isEmpty();
  }

  /** Whether the prologue did something that ends at an offset. */
  boolean changesAt(int offset) {
    return offset <= prologue && steps.stream().anyMatch(step -> step.offset == offset);
  }

  /** Tells what is known behind so many bytes. */
  void at(int offset, StackPointerTracker track) {
    track.resume();
    long stackPointer = 0;
    for (Step step : steps) {
      if (step.offset <= offset) {
        stackPointer -= step.room;
        if (step.frame >= 0) {
          track.set(step.frame, stackPointer + step.frameOffset);
        }
      }
    }
    track.stackPointer(stackPointer);
  }
}

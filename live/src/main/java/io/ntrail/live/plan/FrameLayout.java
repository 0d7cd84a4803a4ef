package io.ntrail.live.plan;

import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Frame layout of a range of code according to its unwind data: how its prologue builds the frame.
 * A separate part of a function starts with that function's frame.
 */
final class FrameLayout {
  /** Layout without unwind data: the stack pointer does not move. */
  static final FrameLayout NONE = new FrameLayout(List.of(), 0);

  private final List<Step> steps;
  private final int prologue;

  /**
   * Step of a prologue.
   *
   * @param offset after which byte of the range; 0: before it began
   * @param room by how many bytes the stack pointer was lowered
   * @param frame the register that points into the frame from here on, or -1
   * @param frameOffset how far above the stack pointer
   */
  private record Step(int offset, long room, int frame, int frameOffset) {}

  private FrameLayout(List<Step> steps, int prologue) {
    this.steps = steps;
    this.prologue = prologue;
  }

  /**
   * Returns the layout of a range; empty if it is damaged, of another kind, or that of an
   * interrupt.
   */
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

  /** Returns whether there is a frame already at the first byte. */
  boolean beginsWithFrame() {
    return !steps.isEmpty() && steps.getFirst().offset == 0;
  }

  /** Returns the size of the prologue. */
  int prologue() {
    return prologue;
  }

  /** Returns whether the return address is where the stack pointer is, all the time. */
  boolean isNone() {
    return steps.isEmpty();
  }

  /** Returns whether the prologue did something that ends at an offset. */
  boolean changesAt(int offset) {
    return offset <= prologue && steps.stream().anyMatch(step -> step.offset == offset);
  }

  /** Sets the tracker to the state after so many bytes. */
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

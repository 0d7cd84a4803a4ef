package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.live.capture.CapturedThread.Range;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.StackLimits;
import java.util.List;

/**
 * Copy of a thread's stack at the entry of a traced function, with the return addresses that it
 * would have untraced.
 *
 * @param tid id of the thread
 * @param ticks of the entry
 * @param key of the entry
 * @param caller registers of the caller when the function begins
 * @param function what stands for the function in the record, of x86; else 0
 * @param stack what was copied, from the return address on
 * @param limits of the stack
 */
public record SampledStack(
    int tid,
    long ticks,
    long key,
    FrameRegisters caller,
    int function,
    Range stack,
    StackLimits limits) {
  /** Numbers of the registers that a place has. */
  private static final List<Integer> REGISTERS =
      List.of(
          FrameRegisters.BX,
          FrameRegisters.BP,
          FrameRegisters.SI,
          FrameRegisters.DI,
          12,
          13,
          14,
          15);

  /**
   * Reads a place of the session file.
   *
   * @throws DamagedInput if no target wrote it
   */
  public static SampledStack of(Bytes place, Architecture architecture) {
    long at = place.u32(SamplePlaces.STACK_AT);
    long bytes = place.u32(SamplePlaces.STACK_BYTES);
    if (at < SamplePlaces.FRAMES
        || bytes < architecture.pointerSize()
        || at + bytes > place.length()) {
      throw new DamagedInput(place.name(), 0, "%d bytes at %d".formatted(bytes, at));
    }
    boolean is64Bit = architecture.pointerSize() == Long.BYTES;
    long key = architecture.pointer(place, SamplePlaces.KEY);
    Range copied = new Range(key - architecture.pointerSize(), place.slice((int) at, (int) bytes));
    Range stack = UntracedStack.untraced(copied, architecture.sampledReturns(place), architecture);
    FrameRegisters caller = is64Bit ? FrameRegisters.x64() : FrameRegisters.x86();
    for (int i = 0; i < REGISTERS.size() && REGISTERS.get(i) < caller.count(); i++) {
      caller.set(
          REGISTERS.get(i), architecture.pointer(place, SamplePlaces.REGISTERS + Long.BYTES * i));
    }
    caller.setSp(key);
    caller.setIp(architecture.pointer(stack.bytes(), 0));
    return new SampledStack(
        (int) place.u32(SamplePlaces.THREAD),
        place.i64(SamplePlaces.TICKS),
        key,
        caller,
        is64Bit ? 0 : (int) place.u32(SamplePlaces.FUNCTION),
        stack,
        new StackLimits(stack.address(), architecture.pointer(place, SamplePlaces.STACK_BASE)));
  }
}

package io.ntrail.programs.unwind.x64;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.testkit.LittleEndian;
import java.util.Arrays;
import java.util.List;

/** Whatever images hold as code and unwind data, and memory as a stack: walks end in values. */
class UnwindX64FuzzTest {
  private static final int MOST_ENTRIES = 8;
  private static final int ENTRY = 12;
  private static final long BODY = 0x400;
  private static final int MOST_FRAMES = 64;

  /**
   * Bytes: number of function entries; the entries, of which 16 bits of each field count; RVA of
   * the instruction pointer; half of the rest lies in the image from 400h on, the other half is the
   * stack, in which words below 10000h become addresses of the image.
   */
  @FuzzTest(maxDuration = "60s")
  void walk(byte[] data) {
    if (data.length < 3) {
      return;
    }
    UnwindSketch sketch = new UnwindSketch();
    int entries = Math.min(data[0] & MOST_ENTRIES - 1, (data.length - 3) / ENTRY);
    for (int i = 0; i < entries; i++) {
      int at = 1 + i * ENTRY;
      sketch.entry(
          LittleEndian.getU16(data, at),
          LittleEndian.getU16(data, at + 4),
          LittleEndian.getU16(data, at + 8));
    }
    int at = 1 + entries * ENTRY;
    long ip = UnwindSketch.BASE + LittleEndian.getU16(data, at);
    int half = at + 2 + (data.length - at - 2) / 2;
    sketch.at(BODY, Arrays.copyOfRange(data, at + 2, half));
    sketch.memory(UnwindSketch.STACK, stack(Arrays.copyOfRange(data, half, data.length)));
    for (boolean isInMemory : new boolean[] {true, false}) {
      check(isInMemory ? sketch : sketch.withoutCodeInMemory(), ip);
    }
  }

  /** Makes words that look like RVAs addresses of the image or of the stack. */
  private static byte[] stack(byte[] bytes) {
    byte[] words = bytes.clone();
    for (int i = 0; i + 8 <= words.length; i += 8) {
      long word = LittleEndian.getU64(words, i);
      if (word != 0 && word >>> 16 == 0) {
        boolean isCode = word < 0x8000;
        long address = isCode ? UnwindSketch.BASE + word : UnwindSketch.STACK + word - 0x8000;
        LittleEndian.putU64(words, i, address);
      }
    }
    return words;
  }

  private static void check(UnwindSketch sketch, long ip) {
    FrameRegisters registers = FrameRegisters.x64();
    for (int i = 0; i < registers.count(); i++) {
      registers.set(i, UnwindSketch.STACK + 8L * i);
    }
    registers.setIp(ip);
    registers.setSp(UnwindSketch.STACK);
    AddressSpace space = sketch.space();
    LoadedModule module = sketch.module();
    for (WindowsBehavior behavior :
        List.of(WindowsBehavior.BEFORE_1809, WindowsBehavior.newest())) {
      VirtualUnwinder unwinder =
          new VirtualUnwinder(
              space, LoadedModules.of(List.of(module)), DynamicFunctions.NONE, behavior);
      StackWalker walker = new StackWalker(unwinder, MOST_FRAMES);
      StackWalk cold = walker.walk(registers, space);
      check(cold);
      StackWalk warm = walker.walk(registers, space);
      expect(warm.equals(cold), "a warm walk differs");
    }
  }

  private static void check(StackWalk walk) {
    List<StackFrame> frames = walk.frames();
    expect(frames.size() <= MOST_FRAMES, "too many frames");
    expect(frames.getFirst().trust() == FrameTrust.CONTEXT, "no first frame");
    expect(
        walk.why().isEmpty() == (walk.end() == StackWalk.End.END_OF_STACK), "an end without why");
    for (int i = 1; i < frames.size(); i++) {
      StackFrame frame = frames.get(i);
      boolean grows = Long.compareUnsigned(frame.sp(), frames.get(i - 1).sp()) > 0;
      expect(grows || frame.trust() == FrameTrust.TRAP, "a stack pointer that does not grow");
      expect(frame.ip() != 0 && (frame.sp() & 7) == 0, "a frame that is none");
    }
  }

  private static void expect(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}

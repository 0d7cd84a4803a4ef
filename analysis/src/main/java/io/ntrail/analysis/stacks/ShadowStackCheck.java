package io.ntrail.analysis.stacks;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.StackFrame;
import java.util.List;
import java.util.OptionalInt;

/**
 * Comparison of a walk with the shadow stack, on which the processor keeps the return addresses of
 * all calls: a frame whose return address is another one was not walked right, or its return
 * address was overwritten.
 *
 * @param compared number of frames that were compared; 0 if the memory is not there
 * @param differs number of the first frame whose return address is another one; empty if none is
 * @param expected the return address on the shadow stack of that frame; 0 if none differs
 */
public record ShadowStackCheck(int compared, OptionalInt differs, long expected) {
  private static final int WORD = 8;

  /**
   * Compares frames with a shadow stack.
   *
   * @param frames as they were walked, without those of inlined functions
   * @param pointer address of the innermost return address
   */
  static ShadowStackCheck of(AddressSpace memory, List<StackFrame> frames, long pointer) {
    Bytes words = memory.readUpTo(pointer, WORD * Math.max(0, frames.size() - 1));
    int compared = 0;
    for (; (compared + 1) * WORD <= words.length(); compared++) {
      long kept = words.i64(compared * WORD);
      if (kept != frames.get(compared + 1).ip()) {
        return new ShadowStackCheck(compared + 1, OptionalInt.of(compared), kept);
      }
    }
    return new ShadowStackCheck(compared, OptionalInt.empty(), 0);
  }
}

package io.ntrail.analysis.stacks;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.memory.AddressSpace;

/** Recognizes the instruction behind a system call by the bytes of the call. */
final class SystemCalls {
  /** Bytes of the longest call: {@code call fs:[000000c0h]}. */
  private static final int LONGEST = 7;

  private SystemCalls() {}

  /**
   * Returns true if control is behind a system call: {@code syscall}, {@code sysenter}, {@code int
   * 2eh}, or the call by which 32-bit code leaves for 64-bit code.
   */
  static boolean isBehind(AddressSpace memory, long ip) {
    Bytes bytes = memory.readUpTo(ip - LONGEST, LONGEST);
    if (bytes.length() < LONGEST) {
      bytes = memory.readUpTo(ip - 2, 2);
    }
    int end = bytes.length();
    if (end < 2) {
      return false;
    }
    int last = bytes.u8(end - 2) << 8 | bytes.u8(end - 1);
    return last == 0x0F05
        || last == 0x0F34
        || last == 0xCD2E
        || end == LONGEST
            && bytes.u8(0) == 0x64
            && bytes.u8(1) == 0xFF
            && bytes.u8(2) == 0x15
            && bytes.i32(3) == 0xC0
        || last == 0xFFD2 && end == LONGEST && bytes.u8(0) == 0xBA;
  }
}
